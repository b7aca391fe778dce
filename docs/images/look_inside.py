"""Draw the pictures of docs/use/inspect.md: a tree, importances, rounds, and the ranking of a query.

python docs/images/look_inside.py
"""

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from refrank import LSBoostRanker
from refrank.inspection import permutation_importance, plot_importances, plot_ranking, plot_rounds, plot_tree
from refrank.inspection.style import save_picture


def make_pages(n_queries: int = 40, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Make queries of 15 pages, whose grade rises with match, links count if the words match, and old pages lose."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "match": rng.uniform(0, 5, 15 * n_queries).round(1),
            "links": rng.integers(0, 30, 15 * n_queries),
            "age": rng.integers(0, 12, 15 * n_queries),
            "qid": np.repeat(np.arange(n_queries), 15),
        }
    )
    grade = 0.6 * table["match"] + 0.05 * table["links"] * (table["match"] > 2) - 0.1 * table["age"]
    return table, np.clip(np.rint(grade), 0, 4).to_numpy(int)


def main() -> None:
    """Write the drawings beside this script."""
    mpl.use("Agg")

    def save(axes: Axes, name: str) -> None:
        save_picture(axes.figure, Path(__file__).with_name(f"{name}.svg"))

    train, y = make_pages()
    test, y_test = make_pages(seed=1)
    ranker = LSBoostRanker(n_rounds=60, n_leaves=5).fit(train, y)
    save(plot_tree(ranker.tree(1)), "look_inside_tree")
    save(plot_importances(permutation_importance(ranker, test, y_test)), "look_inside_importances")
    chosen = LSBoostRanker(n_rounds=100, n_leaves=5, learning_rate=0.2).fit(train, y, X_val=test, y_val=y_test)
    save(plot_rounds(chosen), "look_inside_rounds")
    query = (test["qid"] == 0).to_numpy()
    save(plot_ranking(y_test[query], ranker.predict(test[query])), "look_inside_ranking")


if __name__ == "__main__":
    main()
