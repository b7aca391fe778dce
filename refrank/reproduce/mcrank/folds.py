"""McRank Table 1 and Figure 1 on real data: the rankers on folds of LETOR, MSLR, Yahoo!, or one's own.

The paper's Web-1, Web-2 and Web-3 are not public. Their parameters (Sec. 6.2) are; a run takes those of one of the
three. Web-3 was cross-validated: each query is tested in one fold, and mean, deviation and p-values are over all its
queries. The unlabelled URLs of Web-2, label -1 in a file, "were assigned the level 0" (Sec. 6.1): "zero".
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from refrank.reproduce.cells import Arrays
from refrank.reproduce.mcrank.figures import draw_figure_1
from refrank.reproduce.mcrank.rankers import BESIDE, CONVENTION, RANKERS, Parameters, join_queries
from refrank.reproduce.mcrank.table_1 import take_level_10, write_p_values
from refrank.reproduce.run import Run
from refrank.reproduce.tables import format_mean, write_table

# McRank Sec. 6.2
PAPER = {
    "web-1": Parameters(n_rounds=1000, n_leaves=10, learning_rate=0.05),
    "web-2": Parameters(n_rounds=2000, n_leaves=40, learning_rate=0.02),
    "web-3": Parameters(n_rounds=1500, n_leaves=20, learning_rate=0.02),
}
# A fifth of the rounds and epochs: minutes on MQ2008
SMALL = {like: replace(of, n_rounds=of.n_rounds // 5, n_epochs=of.n_epochs // 5) for like, of in PAPER.items()}

Tested = dict[str, dict[str, NDArray[np.float64]]]  # fold -> ranker -> NDCG of its test queries, (n_queries, 10)


def reproduce_folds(parameters: Parameters, run: Run) -> str:
    """Compute the cells that are not there yet, write the table and Figure 1, and return the text.

    Raises
    ------
    ValueError, OSError
        If the collection is in no known layout, or one of its files is bad, as in `load_folds`.
    """
    assert run.data is not None
    collection = run.data.resolve().name  # "." has no name
    rule = "" if run.unlabelled == "error" else f"-{run.unlabelled}"
    stem = f"{collection}-J{parameters.n_leaves}-nu{parameters.learning_rate}-M{parameters.n_rounds}{rule}"
    cells = {fold.name: parameters.measure_rankers(fold, run) for fold in run.load()}
    folds = {name: join_queries([of_fold], "test") for name, of_fold in cells.items()}
    whole, figures = join_folds(cells), []
    for name, test in whole.items():
        figure = run.place(f"figure1-{stem}-{name.replace(' ', '-')}.png")
        draw_figure_1(test, f"{collection}, {name}", parameters, figure)
        figures.append(f"Figure 1, {name}: {figure}")
    heading = [
        f"McRank Table 1 on {collection}: NDCG at L = 10 of the test queries in percent, "
        "mean (standard deviation over queries)",
        f"convention {CONVENTION}",
        f"boosters: {parameters.describe()}; rows of label -1: {run.unlabelled}",
        f"LambdaRank: {parameters.describe_net()}",
    ]
    return run.write(f"{stem}.txt", [*heading, "", *write_fold_table(folds, whole), "", *figures])


def join_folds(cells: dict[str, dict[str, Arrays]]) -> Tested:
    """Join the folds of one collection, which tests each query once; Yahoo!'s two sets are two collections."""
    if len(cells) > 1 and next(iter(cells)).startswith("Fold"):
        return {"all folds": join_queries([*cells.values()], "test")}
    return {name: join_queries([of_fold], "test") for name, of_fold in cells.items()}


def write_fold_table(folds: Tested, whole: Tested) -> list[str]:
    """Write one row per fold, one for all folds of a collection, and the p-values of each collection."""
    names = (*RANKERS, *BESIDE)
    at_10 = {name: take_level_10(test) for name, test in (folds | whole).items()}
    rows = [(name, [format_mean(of[ranker]) for ranker in names]) for name, of in at_10.items()]
    lines = write_table([("", names), *rows])
    for name in whole:
        lines += ["", f"{name}, {len(at_10[name]['ordinal']):,} queries:", *write_p_values(at_10[name])]
    return lines
