"""Draws of scores, from resampled data or from a distribution, and what can be counted in them."""
