"""Pairwise votes: strengths, their errors, and how healthy the votes are."""
