"""Bins: which values fall into one bin, and the labels of all rows."""
