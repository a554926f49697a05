"""From ranks on the seen tasks to the rank on a new one."""
