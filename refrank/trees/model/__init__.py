"""Grown trees, and sums of them."""
