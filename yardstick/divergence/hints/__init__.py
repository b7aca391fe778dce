"""Hints on a difference: patterns that name the mistake behind it."""
