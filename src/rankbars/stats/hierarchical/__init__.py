"""Bayesian models of one model's scores on several tasks, by quadrature: no Markov chain."""
