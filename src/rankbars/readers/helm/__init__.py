"""Runs and releases of HELM."""
