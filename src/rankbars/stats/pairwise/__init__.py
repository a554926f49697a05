"""Tests of all pairs of models on one task, at once."""
