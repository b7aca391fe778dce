"""Data: `letor` reads learning-to-rank files, `cubic` draws McRank's artificial data (Sec. 6.1)."""

from refrank.datasets.cubic import cubic_polynomial
from refrank.datasets.letor import LetorData, load_letor

__all__ = ["LetorData", "cubic_polynomial", "load_letor"]
