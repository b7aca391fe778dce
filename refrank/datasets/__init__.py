"""Data: `letor` reads learning-to-rank files, `cubic` draws McRank's artificial data (Sec. 6.1)."""

from refrank.datasets.letor import LetorData, load_letor

__all__ = ["LetorData", "load_letor"]
