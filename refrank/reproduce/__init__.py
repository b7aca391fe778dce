"""Reproductions of each paper's tables and figures, beside the paper's own numbers: one folder per paper."""
