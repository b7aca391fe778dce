"""`refrank reproduce`: the tables and figures of one paper."""

import argparse
from pathlib import Path

from refrank.datasets.letor import UNLABELLED_RULES
from refrank.reproduce import cocr, igbrt, mcrank, mcrank_folds, mcrank_studies, mcrank_study_tables
from refrank.trees.engine import resolve_threads


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank reproduce`."""
    command.add_argument("paper", choices=["mcrank", "igbrt", "cocr"])
    command.add_argument("--full", action="store_true", help="the paper's size, instead of minutes")
    command.add_argument("--data", type=Path, metavar="DIR", help="real folds: LETOR's, MSLR's, Yahoo!'s, or S1..S5")
    command.add_argument("--out", type=Path, default=Path("refrank-out"), metavar="DIR", help="default refrank-out")
    command.add_argument("--n-threads", type=int)
    command.add_argument("--studies", action="store_true", help="mcrank: Figures 2 and 3, scores, J, nu and M, instead")
    command.add_argument("--like", choices=[*mcrank_folds.PAPER], help="mcrank --data: whose J, nu and M (web-1)")
    command.add_argument("--unlabelled", choices=[*UNLABELLED_RULES], help="--data: rows of label -1 (error)")


def reproduce(
    paper: str,
    full: bool,
    data: Path | None,
    out: Path,
    n_threads: int | None,
    studies: bool,
    like: str | None,
    unlabelled: str | None,
) -> int:
    """Print the tables of a paper, and draw its figures into a folder of its own in `out`.

    Raises
    ------
    ValueError
        Where a flag is not one of the paper's, or the data are bad (`refrank.datasets.load_folds`).
    OSError
        Where there is no such folder of data, or a file cannot be read or written.
    """
    resolve_threads(n_threads)
    if paper != "mcrank" and studies:
        raise ValueError(f"--studies is of mcrank: {paper} has none")
    if studies and data is not None:
        raise ValueError("--studies is of the artificial data: it takes no --data")
    if like and (paper != "mcrank" or data is None):
        raise ValueError(f"--like {like} is of mcrank --data: it says whose J, nu and M the folds are given")
    if unlabelled and data is None:
        raise ValueError(f"--unlabelled {unlabelled} is of --data: the artificial data have no row of label -1")
    unlabelled = unlabelled or "error"
    if paper == "cocr":
        if full:
            raise ValueError("--full is of mcrank and igbrt: cocr runs at the paper's settings where --data is given")
        print(cocr.reproduce(data, out / paper, n_threads, unlabelled))
    elif paper == "igbrt":
        print(igbrt.reproduce(data, full, out / paper, n_threads, unlabelled))
    elif studies:
        study = mcrank_studies.FULL if full else mcrank_studies.SMALL
        print(mcrank_study_tables.reproduce_studies(study, out / paper, n_threads))
    elif data is not None:
        parameters = (mcrank_folds.PAPER if full else mcrank_folds.SMALL)[like or "web-1"]
        folds = mcrank_folds.FoldSetting(data, parameters, unlabelled)
        print(mcrank_folds.reproduce_folds(folds, out / paper, n_threads))
    else:
        print(mcrank.reproduce(mcrank.FULL if full else mcrank.SMALL, out / paper, n_threads))
    return 0
