"""Multiplicity corrections: which of many comparisons may be claimed."""
