"""The average of several tasks: what is planned, how it is estimated, what was found."""
