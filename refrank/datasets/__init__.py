"""Data sets: `letor` reads learning-to-rank files, `tables` CSV and Parquet, `folds` collections of files.

`cubic` draws artificial data.
"""

from refrank.datasets.columns import Columns
from refrank.datasets.cubic import cubic_polynomial
from refrank.datasets.folds import Fold, load_folds
from refrank.datasets.letor import LetorData, load_letor
from refrank.datasets.tables import load_table

__all__ = ["Columns", "Fold", "LetorData", "cubic_polynomial", "load_folds", "load_letor", "load_table"]
