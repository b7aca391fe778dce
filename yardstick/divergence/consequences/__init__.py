"""Consequences of the records before: each stage again, from a port's own numbers, by refrank's functions."""
