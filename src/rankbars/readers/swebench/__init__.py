"""Verdicts of the SWE-bench family: run reports, reports on instances, experiments, Pro."""
