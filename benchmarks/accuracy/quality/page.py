"""The page docs/use/quality.md, from the document that `quality` measured. Each sentence with a figure is computed."""

from textwrap import fill
from typing import Any

import numpy as np

ARTIFICIAL = "artificial, heavy-tailed"
WORDS = {"holds": " **above**", "does not hold": " **below**", "not decided": ""}
HEAD = """# Quality beside other libraries

How well do refrank's rankers order documents, compared with those of other libraries that have the same parameters?
`REFRANK_DATA=... python -m benchmarks.accuracy.quality --write` trains all rankers and writes this page, from
[quality.json](quality.json). For speed, see [other tools](other_tools.md#speed). [Well-known programs
as ports](../port/peers.md) compares the numbers inside of them.

All boosters except the LambdaMARTs have {n_rounds} rounds. All have trees with {n_leaves} leaves, learning rate
{learning_rate}, {min_samples_leaf} rows per leaf and {n_bins} bins, no limit on the depth, no regularization, and all
rows and features in each round. The learning rates of XGBoost's and scikit-learn's softmax are changed so that their
steps are as long as those of McRank Alg. 1. In each round, ordinal boosting grows a tree per threshold, softmax one per
class (CatBoost's one for all classes), and each other booster one. XGBoost has no least number of rows per leaf: in its
least squares, the second derivative counts the rows; its other boosters go without. LightGBM keeps its least sum of
second derivatives in a leaf, 0.001. The seed is {seed}.

The LambdaMARTs stop early: after {patience} rounds without a better NDCG@10 of the validation queries (YDF: without a
lower loss), and at the latest after {most_rounds} rounds. Only they see the validation queries. CatBoost's YetiRank
keeps its own regularization of leaves.

**Means** are NDCG@10 of the test queries in percent, convention `paper` (a query without a relevant document counts
as 0). **Differences** are refrank's mean minus that of the row, so a positive one is in favour of refrank. The rule
of the [verdicts on several training sets](../learn/verdicts.md) says which are *above* or *below*. Both intervals are
of 95%, by Student's t: the first is over the queries, given these training sets, and the second over the training
sets. They must leave out 0 on the same side, and the p-value over the training sets, by Holm's method over the
differences of a table, must be below .05. Where only the p-value is against a verdict, the table shows it; all of
them are in quality.json.

Forests have {n_trees} trees of full depth, each of whose cuts chooses among a share of {max_features} of the features,
rounded. The other libraries' forests have no bins, so refrank's stands beside them with exact cuts, and with bins for
itself. iGBRT starts from the forest of bins, and adds trees of depth 4.
"""
ABOUT_FOLDS = """The training sets of the folds overlap, so their interval is shorter, and their p-value smaller, than
over independent training sets."""
ABOUT_SETS = """Each training set has weights, documents and queries of its own (`refrank.reproduce.artificial`), with
{0:,} training, {1:,} validation and {2:,} test queries of 16 documents. A verdict on them is about this recipe."""


def write_page(document: dict[str, Any]) -> str:
    """Write the page."""
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    absent = ", ".join(document["left_out"])
    lines = [HEAD.format(**document["parameters"]), f"Versions: {versions}."]
    lines.append(f"Left out because not installed: {absent}." if absent else "No library is left out.")
    for name, data in document["data"].items():
        folds = data["sets"][0].startswith("Fold")
        about = ABOUT_FOLDS if folds else ABOUT_SETS.format(*document["artificial_queries"])
        number = f"{len(data['sets'])} {'folds' if folds else 'training sets'}, {data['n_queries']:,} test queries."
        lines += ["", f"## {name}", "", number, about, "", *write_table(document["rankers"], data)]
        lines += ["", *count_verdicts(document["rankers"], data)]
    return "\n".join(lines) + "\n"


def write_table(rankers: dict[str, Any], data: dict[str, Any]) -> list[str]:
    """Write a row per ranker, the families together."""
    lines = [
        "| loss | ranker | rounds | mean | refrank's of the same loss minus it | refrank's ordinal minus it |",
        "|---|---|---|---|---|---|",
    ]
    claims = {claim["claim"]: claim for claim in data["claims"]}
    families = [*dict.fromkeys(of["family"] for of in rankers.values())]
    for name in sorted(data["rows"], key=lambda name: families.index(rankers[name]["family"])):
        row, family = data["rows"][name], rankers[name]["family"]
        cells = [write_cell(claims.get(name_claim(f"refrank, {loss}", name))) for loss in (family, "ordinal")]
        call = f"{name.removesuffix(', ' + family)}, {rankers[name]['call']}"
        fewest, most = min(row["n_rounds"]), max(row["n_rounds"])
        rounds = str(most) if fewest == most else f"{fewest} to {most}"
        lines.append("| " + " | ".join([family, call, rounds, f"{np.mean(row['means']):.2f}", *cells]) + " |")
    return lines


def name_claim(ours: str, it: str) -> str:
    """Name the claim that a ranker of refrank is above another ranker."""
    return f"{ours} above {it}"


def write_cell(claim: dict[str, Any] | None) -> str:
    """Write a difference, both intervals, and the verdict, or the p-value if it alone is against one."""
    if claim is None:
        return ""
    intervals = " ".join(f"[{low:+.2f}, {high:+.2f}]" for low, high in (claim["queries"], claim["sets"]))
    end = f" p {claim['p']:.2g}" if is_close(claim) else WORDS[claim["verdict"]]
    return f"{claim['mean']:+.2f} {intervals}{end}"


def is_close(claim: dict[str, Any]) -> bool:
    """Return whether a claim is not decided by its p-value alone: both intervals leave out 0 on the same side."""
    lows, highs = zip(claim["queries"], claim["sets"], strict=True)
    return claim["verdict"] == "not decided" and (min(lows) > 0 or max(highs) < 0)


def count_verdicts(rankers: dict[str, Any], data: dict[str, Any]) -> list[str]:
    """Write how often refrank is above and below other libraries."""
    claims, lines = {claim["claim"]: claim for claim in data["claims"]}, []
    for of, loss in (("ranker of the same loss", None), ("ordinal boosting", "ordinal")):
        named = {name: claims.get(name_claim(f"refrank, {loss or rankers[name]['family']}", name)) for name in rankers}
        others = {name: claim for name, claim in named.items() if claim and not name.startswith("refrank,")}
        words = [claim["verdict"] for claim in others.values()]
        below = [name for name, claim in others.items() if claim["verdict"] == "does not hold"]
        close = [f"{name}: {claim['mean']:+.2f}" for name, claim in others.items() if is_close(claim)]
        sentence = (
            f"refrank's {of} is above {words.count('holds')} of {len(words)} rankers of other libraries and below "
            f"{len(below)}{list_in_parentheses(below)}; {words.count('not decided')} are not decided, "
            f"{len(close)} of them by the p-value alone{list_in_parentheses(close)}."
        )
        lines.append(fill(sentence, 118, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False))
    return lines


def list_in_parentheses(names: list[str]) -> str:
    """List the names in parentheses, if there are any.

    >>> list_in_parentheses(["YDF, forest", "YDF, softmax"])
    ' (YDF, forest; YDF, softmax)'
    """
    return f" ({'; '.join(names)})" if names else ""
