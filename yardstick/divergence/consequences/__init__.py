"""Consequences of earlier records: refrank's functions recompute each stage from a port's own numbers."""
