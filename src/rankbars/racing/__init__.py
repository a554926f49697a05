"""Races: what to run next to learn who leads, and when to stop."""
