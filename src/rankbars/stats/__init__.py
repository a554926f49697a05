"""The mathematics: bare arrays in, arrays out; numpy and scipy only."""
