"""Traps: what goes wrong with an error bar that does not fit the data, measured.

Each module makes one study; its table puts a published value beside ours.
"""
