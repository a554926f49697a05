"""Traps: what goes wrong with an error bar that does not fit the data, measured.

The table of a study puts a published value beside ours.
"""
