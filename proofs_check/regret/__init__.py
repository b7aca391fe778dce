"""Statements on noisy labels: the regret of a ranking, in expectation over the labels."""
