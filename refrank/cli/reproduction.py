"""`refrank reproduce`: the tables and figures of one paper.

Only the module that makes them is imported, and only when it runs: `refrank --help` loads none.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from refrank.cli.commands import Interrupted
from refrank.cli.prediction import CACHE
from refrank.datasets.letor import UNLABELLED_RULES, Unlabelled
from refrank.kernel import resolve_threads

if TYPE_CHECKING:
    from refrank.reproduce.run import Reproduction

Paper = Literal["mcrank", "igbrt", "cocr"]
Like = Literal["web-1", "web-2", "web-3", "rt-rank"]
Only = Literal["table-1", "table-2", "table-3", "table-4", "missing", "figures"]

LIKE = "mcrank --data: whose J, nu and M to take (web-1); igbrt: rt-rank, depth, rates and convention of the authors"


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank reproduce`."""
    command.add_argument("paper", choices=get_args(Paper))
    command.add_argument("--full", action="store_true", help="mcrank, igbrt: run at the paper's size, not in minutes")
    command.add_argument("--wide", action="store_true", help="mcrank: three polynomials, and nets of up to 100 units")
    command.add_argument("--data", type=Path, metavar="DIR", help="real folds: LETOR's, MSLR's, Yahoo!'s, or S1..S5")
    command.add_argument("--out", type=Path, default=Path("refrank-out"), metavar="DIR", help="default refrank-out")
    command.add_argument("--n-threads", type=int, help="default: all cores")
    command.add_argument("--studies", action="store_true", help="mcrank: Figures 2 and 3 and the side studies instead")
    command.add_argument("--like", choices=get_args(Like), help=LIKE)
    command.add_argument("--depth", type=int, metavar="D", help="igbrt: depth of the boosted trees, in cuts (4)")
    rates = "igbrt: learning rates to choose from (.1 to .5)"
    command.add_argument("--learning-rate", type=float, nargs="+", metavar="ALPHA", help=rates)
    command.add_argument("--bins", type=int, metavar="B", help="igbrt: quantile bins per feature (exact cuts)")
    command.add_argument("--only", nargs="+", choices=get_args(Only), help="igbrt: the parts to make (all)")
    command.add_argument("--unlabelled", choices=UNLABELLED_RULES, help="--data: rule for rows of label -1 (error)")
    command.add_argument("--cache", action="store_true", help=f"--data: {CACHE}")
    scores = "scores of another ranker, FOLDER/Fold1.txt ...: docs/use/compare.md; repeatable"
    command.add_argument("--add", action="append", default=[], metavar="NAME=FOLDER", help=scores)


def run(
    paper: Paper,
    full: bool,
    wide: bool,
    data: Path | None,
    out: Path,
    n_threads: int | None,
    studies: bool,
    like: Like | None,
    unlabelled: Unlabelled | None,
    cache: bool,
    add: list[str],
    depth: int | None = None,
    learning_rate: list[float] | None = None,
    bins: int | None = None,
    only: list[Only] | None = None,
) -> int:
    """Print the tables of a paper, and draw its figures into its own folder in `out`; a useless flag is an error."""
    resolve_threads(n_threads)
    cocr_settings = "cocr --data always runs at the paper's settings"
    of_igbrt = {"depth": depth, "learning-rate": learning_rate, "bins": bins, "only": only}
    faults = {
        "--studies works with mcrank only": studies and paper != "mcrank",
        "--wide works with mcrank on artificial data only, without --full and --studies": (
            wide and (paper != "mcrank" or data is not None or full or studies)
        ),
        f"--like {like} works with igbrt only": like == "rt-rank" and paper != "igbrt",
        f"--like {like} works with mcrank --data only": (
            like and like != "rt-rank" and (paper != "mcrank" or data is None)
        ),
        **{
            f"--{flag} works with igbrt only": given is not None and paper != "igbrt"
            for flag, given in of_igbrt.items()
        },
        f"--unlabelled {unlabelled} works with --data only": unlabelled and data is None,
        "--cache works with --data only": cache and data is None,
        "--add works with the tables only: leave out --studies": add and studies,
        f"--full works with mcrank and igbrt only: {cocr_settings}": full and paper == "cocr",
    }
    if present := [fault for fault, is_so in faults.items() if is_so]:
        raise ValueError(present[0])
    from refrank.reproduce.added import parse_added
    from refrank.reproduce.run import Reproduction

    settings = Reproduction(out / paper, data, unlabelled or "error", n_threads, cache, tuple(map(parse_added, add)))
    try:
        if paper == "igbrt":
            print(reproduce_igbrt(settings, full, like, depth, learning_rate, bins, only))
        else:
            print(reproduce(settings, paper, full, wide, studies, like or "web-1"))
    except KeyboardInterrupt:
        raise Interrupted(f"finished cells are kept in {settings.folder}; the same command resumes") from None
    return 0


def reproduce_igbrt(
    settings: "Reproduction",
    full: bool,
    like: Like | None,
    depth: int | None,
    learning_rates: list[float] | None,
    bins: int | None,
    only: list[Only] | None,
) -> str:
    """Make the tables and figures of iGBRT, or those in `only`, with sizes as the flags say, and return the text."""
    from refrank.reproduce.igbrt import reproduction as igbrt

    sizes = igbrt.FULL if full else igbrt.SMALL if settings.data else igbrt.ARTIFICIAL
    sizes = igbrt.change_sizes(sizes, like, depth, learning_rates, bins)
    return igbrt.reproduce(sizes, settings, only or igbrt.PARTS)


def reproduce(settings: "Reproduction", paper: Paper, full: bool, wide: bool, studies: bool, like: Like) -> str:
    """Make the tables and figures of a paper, and return the text."""
    if paper == "cocr":
        from refrank.reproduce.cocr import tables as cocr

        return cocr.reproduce(cocr.FULL if settings.data else cocr.SMALL, settings)
    if studies:
        from refrank.reproduce.mcrank import studies as models

        return models.reproduce_studies(models.FULL if full else models.SMALL, settings)
    from refrank.reproduce.mcrank import table_1

    if settings.data:
        return table_1.reproduce_folds((table_1.PAPER if full else table_1.FIFTH)[like], settings)
    return table_1.reproduce(table_1.FULL if full else table_1.WIDE if wide else table_1.SMALL, settings)
