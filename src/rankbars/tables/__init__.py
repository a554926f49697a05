"""From tables of any kind to `Scores`.

A table is coded first (`coding`): names become integers, cells become numbers. Then the header
decides its layout (`layouts`) and the roles of its columns (`columns`), rows are cleaned
(`records`), counted into one matrix per task (`matrices`) or into one score per model
(`summaries`), and described (`groups`, `remarks`). `assembly` is the way through all of it.
"""
