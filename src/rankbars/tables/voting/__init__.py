"""Tables of votes → `Votes`: columns, outcome words, assembly; every layout ends in one form."""
