"""From tables of any kind to `Scores`.

The header of a table decides its layout (`layouts`) and the roles of its columns (`columns`). Its
rows become a relation of the database with a column for each role (`relations`; `wide` puts the
cells of a matrix below each other). Rows of one design are put under common codes and made clean
(`records`), counted into one matrix per task (`matrices`) or into one score per model
(`taskestimates`), and described (`descriptions`, `remarks`). `assembly` is the way through it.
"""
