"""Data sets: `letor` reads learning-to-rank files, `folds` reads collections of them, `cubic` draws artificial data."""

from refrank.datasets.cubic import cubic_polynomial
from refrank.datasets.folds import Fold, load_folds
from refrank.datasets.letor import LetorData, load_letor

__all__ = ["Fold", "LetorData", "cubic_polynomial", "load_folds", "load_letor"]
