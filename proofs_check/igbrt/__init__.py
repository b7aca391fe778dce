"""Statements of iGBRT (Mohan, Chen, Weinberger 2011)."""
