"""Tables of votes: what their columns and outcomes mean, and votes as `Scores`."""
