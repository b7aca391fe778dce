"""NDCG@10 of refrank's rankers beside those of other libraries, with the same parameters: docs/use/quality.md.

    REFRANK_DATA=... python -m benchmarks.accuracy.quality --write     # all of it, about 15 minutes on one core
    python -m benchmarks.accuracy.quality --sets 2 --rounds 10         # artificial data alone: to try it
    python -m benchmarks.accuracy.quality --page                       # the page again, from quality.json

The data are the folds of MQ2008 in REFRANK_DATA, or of the collection that --data names, and --sets training sets of
artificial heavy-tailed data. Each set has weights, documents and queries of its own. Each training is a cell in the
folder --cells, so an interrupted run resumes where it stopped. A library that is not installed is named on the page.
"""

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.accuracy.quality.measuring import measure_rankers
from benchmarks.accuracy.quality.page import ARTIFICIAL, write_page
from benchmarks.accuracy.quality.rankers import SharedParameters
from refrank.datasets import Fold, load_folds
from refrank.reproduce.artificial import make_heavy_tailed_fold
from refrank.reproduce.run import Reproduction

PAGE = Path(__file__).parents[3] / "docs" / "use" / "quality.md"
N_QUERIES = (1_000, 250, 2_000)  # of each artificial set: training, validation and test


def load_data(arguments: argparse.Namespace) -> Iterator[tuple[str, Fold]]:
    """Load or draw the sets one after another, each with the name of its data."""
    if arguments.data is not None:
        for fold in load_folds(arguments.data):
            yield Reproduction(arguments.cells, arguments.data).collection, fold
    for seed in range(arguments.sets):
        yield ARTIFICIAL, make_heavy_tailed_fold(arguments.queries, seed)


def main(arguments: list[str] | None = None) -> None:
    """Train, and write quality.json and quality.md into the folder --out, or into docs/use with --write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mq2008 = Path(os.environ["REFRANK_DATA"], "mq2008") if "REFRANK_DATA" in os.environ else None
    parser.add_argument("--data", type=Path, default=mq2008, help="a collection in folds; default: MQ2008")
    parser.add_argument("--sets", type=int, default=8, help="training sets of artificial data, at least 2")
    parser.add_argument("--queries", type=int, nargs=3, default=N_QUERIES, help="training, validation and test queries")
    parser.add_argument("--rounds", type=int, default=SharedParameters.n_rounds)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cells", type=Path, default=Path("quality-cells"), help="folder of the finished trainings")
    parser.add_argument("--out", type=Path, default=Path())
    parser.add_argument("--write", action="store_true", help="write into docs/use instead of --out")
    parser.add_argument("--page", action="store_true", help="write the page of the quality.json that is there")
    given = parser.parse_args(arguments)
    if given.sets < 2:
        parser.error(f"--sets is {given.sets}: it must be an integer of at least 2")
    folder = PAGE.parent if given.write or given.page else given.out
    path = folder / "quality.json"
    if not given.page:
        parameters = SharedParameters(n_rounds=given.rounds, threads=given.threads)
        document = measure_rankers(load_data(given), given.cells, parameters)
        document["artificial_queries"] = given.queries
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    page = write_page(json.loads(path.read_text(encoding="utf-8")))
    (folder / PAGE.name).write_text(page, encoding="utf-8")
    print(f"wrote {path} and {folder / PAGE.name}")


if __name__ == "__main__":
    main()
