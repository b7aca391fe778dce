"""Regression trees on binned features: exact sums, the specification of the hot path, growing, and sums of trees."""
