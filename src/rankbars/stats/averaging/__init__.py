"""Rules that make one number of many task scores: points, ranks, common scales, weights."""
