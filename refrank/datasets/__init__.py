"""Data sets: `letor` reads learning-to-rank files, `tables` CSV and Parquet, `folds` collections of files.

`trec` reads runs and judgments, `trec_run` writes runs; `cubic` draws artificial data.
"""

from refrank.datasets.columns import Columns
from refrank.datasets.cubic import cubic_polynomial
from refrank.datasets.folds import Fold, load_folds
from refrank.datasets.letor import LetorData, load_letor
from refrank.datasets.tables import load_table
from refrank.datasets.trec import JudgedRun, TrecFile, judge_run, read_qrels, read_run
from refrank.datasets.trec_run import write_qrels, write_run

__all__ = [
    "Columns",
    "Fold",
    "JudgedRun",
    "LetorData",
    "TrecFile",
    "cubic_polynomial",
    "judge_run",
    "load_folds",
    "load_letor",
    "load_table",
    "read_qrels",
    "read_run",
    "write_qrels",
    "write_run",
]
