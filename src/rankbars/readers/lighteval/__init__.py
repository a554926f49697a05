"""Results and details of lighteval."""
