"""`refrank step`: write the page that goes through a training step by step."""

import argparse
from typing import Any

from refrank.cli.algorithm_table import ALGORITHMS, BASES
from refrank.cli.inputs import FILE, N_FEATURES, check_not_read, open_input
from refrank.cli.parameters import add_parameters, make_ranker
from refrank.cli.reading import add_reading, take_reading
from refrank.datasets.whole_file import check_target
from refrank.inspection.step.page import write_page
from refrank.inspection.step.training import SHOWN, record_query

# of a page that is gone through by hand, as far as an algorithm has them
SMALL: dict[str, Any] = {"n_rounds": 3, "n_trees": 3, "n_leaves": 3, "max_depth": 2, "n_bins": 8, "learning_rate": 0.3}


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank step`."""
    command.argument_default = argparse.SUPPRESS
    small = ", ".join(f"--{name.replace('_', '-')} {value}" for name, value in SMALL.items())
    command.epilog = f"Unless a flag says otherwise: {small}. A page must be below 1 MB."
    data = f"{FILE}; by default a toy query, which can be edited on the page"
    command.add_argument("file", metavar="DATA", nargs="?", default=None, help=data)
    query = "id of the query whose documents are shown; all rows of DATA are trained on; by default the only query"
    command.add_argument("--query", metavar="Q", default=None, help=query)
    command.add_argument("--out", required=True, metavar="PAGE", help="file of HTML to write")
    command.add_argument("--algorithm", choices=SHOWN, default=SHOWN[0], help=f"what is trained; default {SHOWN[0]}")
    command.add_argument("--n-features", type=int, default=None, help=N_FEATURES)
    add_reading(command)
    add_parameters(command, SHOWN)


def run(
    file: str | None, query: str | None, out: str, algorithm: str, n_features: int | None, **parameters: Any
) -> int:
    """Train, and write the page; without data, write the page of the toy query."""
    reading = take_reading(parameters)
    check_target(out)
    if file is None:
        if parameters or query is not None:
            raise ValueError("DATA is missing: without it, the page has the toy query, which takes no flags but --out")
        write_page(None, out)
        return 0
    check_not_read("--out", out, file)
    given = parameters if algorithm != "cocr" else {"base": "gbrt", **parameters}
    own = {*ALGORITHMS[algorithm].parameters, *BASES.get(given.get("base", ""), ())}
    small = {name: value for name, value in SMALL.items() if name in own}
    ranker = make_ranker(algorithm, {**small, "verbose": 0, **given})
    data = reading.load(open_input(file), n_features, reading.choose_absent(ranker))
    write_page(record_query(ranker, data.X, data.y, data.qid, query, data.names), out)
    return 0
