"""The page docs/use/quality.md, from the document that `quality` measured. Each sentence with a figure is computed."""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np

from refrank.reproduce.intervals import MeanDifference, compute_t_interval

HEAD = """# Quality beside other libraries

How well do refrank's rankers order documents, compared with those of other libraries that have the same parameters?
`REFRANK_DATA=... python -m benchmarks.accuracy.quality --write` trains all rankers and writes this page, from
[quality.json](quality.json). For speed, see [other tools](other_tools.md#speed). [Well-known programs
as ports](../port/peers.md) compares the numbers inside of them.

All boosters have {n_rounds} rounds of trees with {n_leaves} leaves, learning rate {learning_rate}, {min_samples_leaf}
rows per leaf and {n_bins} bins, no limit on the depth, no regularization, and all rows and features in each round. The
learning rates of XGBoost's and scikit-learn's softmax are changed so that their steps are as long as those of McRank
Alg. 1. XGBoost has no least number of rows per leaf: in its least squares, the second derivative counts the rows; its
other boosters go without. LightGBM keeps its least sum of second derivatives in a leaf, 0.001. The seed is {seed}.

The LambdaMARTs stop early: after {patience} rounds without a better NDCG@10 of the validation queries (YDF: without a
lower loss), and at the latest after {most_rounds} rounds. Only they see the validation queries. CatBoost's YetiRank
keeps its own regularization of leaves.

**Means** are NDCG@10 of the test queries in percent, convention `paper` (a query without a relevant document counts
as 0). **Differences** are refrank's mean minus that of the row, so a positive one is in favour of refrank. The first
interval is over the queries, given these training sets (paired bootstrap). The second interval is over the training
sets (Student's t). A difference is called *above* or *below* only if both intervals exclude 0. Each interval is one of
95%, and none is corrected for the number of rows: of twenty true zeros, one is expected outside each kind of interval.
"""
ABOUT_FORESTS = """
Forests have {n_trees} trees of full depth, each of whose cuts chooses among a share of {max_features} of the features,
rounded. The other libraries' forests have no bins, so refrank's stands beside them with exact cuts, and with bins for
itself. iGBRT starts from the forest of bins, and adds trees of depth 4.
"""
ABOUT_FOLDS = """The training sets of the folds overlap, so their interval is shorter than one over independent training
sets would be."""
ABOUT_SETS = """Each training set has weights, documents and queries of its own (`refrank.reproduce.artificial`), with
{0:,} training, {1:,} validation and {2:,} test queries of 16 documents. A verdict on them is about this recipe."""


def write_page(document: dict[str, Any]) -> str:
    """Write the page."""
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    absent = ", ".join(document["left_out"])
    given = document["parameters"]
    has_forests = any(of["family"] == "forest" for of in document["rankers"].values())
    head = HEAD + ABOUT_FORESTS if has_forests else HEAD
    lines = [head.format(**given), f"Versions: {versions}."]
    lines.append(f"Left out because not installed: {absent}." if absent else "No library is left out.")
    for name, data in document["data"].items():
        folds = data["sets"][0].startswith("Fold")
        about = ABOUT_FOLDS if folds else ABOUT_SETS.format(*document["artificial_queries"])
        number = f"{len(data['sets'])} {'folds' if folds else 'training sets'}, {data['n_queries']:,} test queries."
        lines += ["", f"## {name}", "", number, about, "", *write_table(document["rankers"], data["rows"])]
        lines += ["", *count_verdicts(document["rankers"], data["rows"])]
    return "\n".join(lines) + "\n"


def write_table(rankers: dict[str, Any], rows: dict[str, Any]) -> list[str]:
    """Write a row per ranker, the families together."""
    lines = [
        "| loss | ranker | rounds | mean | refrank's of the same loss minus it | refrank's ordinal minus it |",
        "|---|---|---|---|---|---|",
    ]
    families = [*dict.fromkeys(of["family"] for of in rankers.values())]
    for name in sorted(rows, key=lambda name: families.index(rankers[name]["family"])):
        row, family = rows[name], rankers[name]["family"]
        cells = [write_cell(rows, name, key, against) for key, against in list_pairs(family)]
        call = f"{name.removesuffix(', ' + family)}, {rankers[name]['call']}"
        fewest, most = min(row["n_rounds"]), max(row["n_rounds"])
        rounds = str(most) if fewest == most else f"{fewest} to {most}"
        lines.append("| " + " | ".join([family, call, rounds, f"{np.mean(row['means']):.2f}", *cells]) + " |")
    return lines


def list_pairs(family: str) -> list[tuple[str, str]]:
    """List the keys of the two differences of a row, and the ranker of refrank behind each."""
    return [("same family", f"refrank, {family}"), ("ordinal", "refrank, ordinal")]


def write_cell(rows: dict[str, Any], name: str, key: str, against: str) -> str:
    """Write a difference, both intervals, and whether both exclude 0."""
    if key not in rows[name]["refrank_minus_it"]:
        return ""
    over_queries, over_sets = find_intervals(rows, name, key, against)
    said = {"holds": " **above**", "does not hold": " **below**", "not decided": ""}[decide(over_queries, over_sets)]
    return f"{over_queries} [{over_sets.low:+.2f}, {over_sets.high:+.2f}]{said}"


def find_intervals(rows: dict[str, Any], name: str, key: str, against: str) -> tuple[MeanDifference, MeanDifference]:
    """Return the difference with its interval over the queries, and with that over the training sets."""
    of_sets = np.subtract(rows[against]["means"], rows[name]["means"])
    over_sets = MeanDifference(float(of_sets.mean()), *compute_t_interval(of_sets))
    return MeanDifference(*rows[name]["refrank_minus_it"][key]), over_sets


def decide(over_queries: MeanDifference, over_sets: MeanDifference) -> str:
    """Return the verdict of both intervals: "not decided" unless they agree."""
    return over_queries.verdict if over_queries.verdict == over_sets.verdict else "not decided"


def count_verdicts(rankers: dict[str, Any], rows: dict[str, Any]) -> Sequence[str]:
    """Write how often refrank is above and below other libraries."""
    lines = []
    for place, of in enumerate(("ranker of the same loss", "ordinal boosting")):
        verdicts: dict[str, list[str]] = {"holds": [], "does not hold": [], "not decided": []}
        for name in rows:
            key, against = list_pairs(rankers[name]["family"])[place]
            if key in rows[name]["refrank_minus_it"] and not name.startswith("refrank,"):
                verdicts[decide(*find_intervals(rows, name, key, against))].append(name)
        total = sum(map(len, verdicts.values()))
        worse = f" ({'; '.join(verdicts['does not hold'])})" if verdicts["does not hold"] else ""
        sentence = (
            f"refrank's {of} is above {len(verdicts['holds'])} of {total} rankers of other libraries and below "
            f"{len(verdicts['does not hold'])}{worse}; {len(verdicts['not decided'])} are not decided."
        )
        lines.append(fill(sentence, 118, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False))
    return lines
