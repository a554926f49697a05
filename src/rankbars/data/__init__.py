"""What things are: scores and their evidence, comparisons, rank intervals, boards."""
