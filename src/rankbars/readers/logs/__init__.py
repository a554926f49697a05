"""What all logs of evaluation tools have in common, from their bytes to `Scores`.

A format gives `Run` objects (see `rankbars.readers.logs.records`); everything after that is here.
"""
