"""Larger Bayesian models, sampled by NumPyro: they need the extra ``bayes``.

The estimator ``bayes`` of `rankbars.aggregate` needs none of this. Modules here import NumPyro and
ArviZ when a function is called, never when they are imported.
"""
