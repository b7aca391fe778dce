"""Statements on NDCG: the bounds of DCG divided by the ideal, and those of the literature."""
