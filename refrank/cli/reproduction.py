"""`refrank reproduce`: the tables and figures of one paper.

Only the paper's own module is imported, and only when it runs: `refrank --help` loads none.
"""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from refrank.cli.commands import Interrupted
from refrank.cli.reading import add_reading, take_reading
from refrank.datasets.reading import Reading
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
    add_reading(command, folds="--data")
    scores = "scores of another ranker, FOLDER/Fold1.txt ...: docs/use/compare.md; repeatable"
    command.add_argument("--add", action="append", default=[], metavar="NAME=FOLDER", help=scores)
    sets = "the claims on N artificial training sets instead, 8 or more, with intervals over queries and over sets"
    command.add_argument("--replicate", type=int, metavar="N", help=sets)
    command.add_argument("--seed", type=int, metavar="S", help="--replicate: seed of the first training set (0)")
    against = "--replicate: fail if a verdict of this file, verdicts.json of another run, is not borne out"
    command.add_argument("--against", type=Path, metavar="FILE", help=against)


def run(**flags: Any) -> int:
    """Print the tables of a paper, and draw its figures into its own folder in `out`; a useless flag is an error."""
    reading, given = take_reading(flags), argparse.Namespace(**flags)
    resolve_threads(given.n_threads)
    check_useful(given)
    check_is_read(given.data, reading)
    from refrank.reproduce.added import parse_added
    from refrank.reproduce.run import Reproduction

    added = tuple(map(parse_added, given.add))
    run = Reproduction(given.out / given.paper, given.data, reading, given.n_threads, added)
    try:
        if given.replicate is not None:
            return run_replication(run, given)
        print(reproduce(run, given))
    except KeyboardInterrupt:
        raise Interrupted(f"finished cells are kept in {run.folder}; the same command resumes") from None
    return 0


def check_useful(given: argparse.Namespace) -> None:
    """Refuse the first flag that has no effect."""
    paper, data, like = given.paper, given.data, given.like
    of_igbrt = {"depth": given.depth, "learning-rate": given.learning_rate, "bins": given.bins, "only": given.only}
    faults = {
        "--studies works with mcrank only": given.studies and paper != "mcrank",
        "--wide works with mcrank on artificial data only, without --full and --studies": (
            given.wide and (paper != "mcrank" or data is not None or given.full or given.studies)
        ),
        f"--like {like} works with igbrt only": like == "rt-rank" and paper != "igbrt",
        f"--like {like} works with mcrank --data only": (
            like and like != "rt-rank" and (paper != "mcrank" or data is None)
        ),
        **{f"--{flag} works with igbrt only": of_igbrt[flag] is not None and paper != "igbrt" for flag in of_igbrt},
        "--add works with the tables only: leave out --studies": given.add and given.studies,
        "--full works with mcrank and igbrt only: cocr --data always runs at the paper's settings": (
            given.full and paper == "cocr"
        ),
    }
    excluded = ("full", "wide", "data", "studies", "like", *of_igbrt, "add")
    for flag in excluded if given.replicate is not None else ():
        is_given = getattr(given, flag.replace("-", "_")) not in (None, False, [])
        faults[f"--{flag} does not work with --replicate"] = is_given
    for flag in ("seed", "against") if given.replicate is None else ():
        faults[f"--{flag} works with --replicate only"] = getattr(given, flag) is not None
    for fault, is_so in faults.items():
        if is_so:
            raise ValueError(fault)


def check_is_read(data: Path | None, reading: Reading) -> None:
    """Refuse the first flag of a reading if no files are read."""
    for field in fields(reading) if data is None else ():
        if (value := getattr(reading, field.name)) != field.default:
            given = "" if value is True else f" {value}"
            raise ValueError(f"--{field.name.replace('_', '-')}{given} works with --data only")


def reproduce(run: "Reproduction", given: argparse.Namespace) -> str:
    """Make the tables and figures of a paper in the sizes that the flags set, and return the text."""
    full = given.full
    if given.paper == "igbrt":
        from refrank.reproduce.igbrt import reproduction as igbrt

        sizes = igbrt.FULL if full else igbrt.SMALL if run.data else igbrt.ARTIFICIAL
        sizes = igbrt.change_sizes(sizes, given.like, given.depth, given.learning_rate, given.bins)
        return igbrt.reproduce(sizes, run, given.only or igbrt.PARTS)
    if given.paper == "cocr":
        from refrank.reproduce.cocr import tables as cocr

        return cocr.reproduce(cocr.FULL if run.data else cocr.SMALL, run)
    if given.studies:
        from refrank.reproduce.mcrank import studies as models

        return models.reproduce_studies(models.FULL if full else models.SMALL, run)
    from refrank.reproduce.mcrank import table_1

    if run.data:
        return table_1.reproduce_folds((table_1.PAPER if full else table_1.FIFTH)[given.like or "web-1"], run)
    return table_1.reproduce(table_1.FULL if full else table_1.WIDE if given.wide else table_1.SMALL, run)


def run_replication(run: "Reproduction", given: argparse.Namespace) -> int:
    """Print the verdicts of a paper's claims on several training sets; 1 if they reverse a recorded one."""
    from importlib import import_module

    from refrank.checks import check_integer
    from refrank.reproduce.replication import FEWEST_SETS, find_flips, read_recorded, replicate

    n_sets = check_integer("replicate", given.replicate, at_least=FEWEST_SETS)
    first = check_integer("seed", given.seed or 0, at_least=0)
    recorded = read_recorded(given.against, given.paper) if given.against else None
    study = import_module(f"refrank.reproduce.{given.paper}.replication").make_study()
    text, verdicts = replicate(study, range(first, first + n_sets), run)
    print(text)
    flips = find_flips(verdicts, recorded) if recorded is not None else []
    for flip in flips:
        print(f"reversed: {flip}")
    return 1 if flips else 0
