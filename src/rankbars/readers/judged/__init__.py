"""Votes that tools write: AlpacaEval, Arena-Hard, counts per pair."""
