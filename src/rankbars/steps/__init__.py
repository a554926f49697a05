"""What happens to things: one verb per module; no verb imports another.

`pairtests` and `corrections` hold the tables of methods that the verbs share.
"""
