"""Cases of DCG, NDCG and ERR of several queries, under the convention of each tool.

Every choice is an input, so a port needs no table of presets. The flag of a case is the preset whose choices it has.

    input          what
    gain           "2^y-1", "y", or a table of the gains of y = 0, 1, ..., float64
    discount       "log2(1+i)", "ln(1+i)", or "letor": 1 at positions 1 and 2, then 1/log2(i)
    ties           "stable", "worst", "best", "averaged", or "document id descending"
    no_relevant    NDCG of a query without a relevant document, a number; or "skip": no value, for each measure
    short          "as is", or "zero": the value of a query of fewer than k documents
    doc_id         ids for the tie rule, int64, (n,); null: the row numbers
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from generators.cases.making import Case, Family, Function, refused, valid
from refrank.metrics import PRESETS, MetricSpec, dcg, err, mean_weight_per_query, ndcg, weighted_mean_of_queries
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.logarithms import round_logarithms

RULES = {
    "gain": '"2^y-1", "y", or a table of the gains of y = 0, 1, ..., float64',
    "discount": '"log2(1+i)", "ln(1+i)" or "letor"',
    "ties": '"stable", "worst", "best", "averaged" or "document id descending"',
    "no_relevant": 'NDCG of a query without a relevant document, float64; or "skip" or "error", for every measure',
    "short": '"as is" or "zero"',
}
DOCUMENTS = {
    "y": "labels, int64, (n,)",
    "score": "scores, float64, (n,)",
    "qid": "query of each row, int64 or float64, (n,), or texts, or null: one query; rows may be scattered",
    "doc_id": "document ids, int64, (n,), or null: the row numbers",
    "k": "truncation level, an integer of at least 1, or null: all documents",
}
VALUES = {
    "values": "float64, (n_queries,), by first appearance; nan where the convention skips the query",
    "mean": "float64, the mean of the others, their sum exact before it is rounded",
}


def make_spec(**rules: Any) -> MetricSpec:
    """Make the record of the choices."""
    gain = rules["gain"] if isinstance(rules["gain"], str) else tuple(rules["gain"].tolist())
    return MetricSpec("vector", **{**rules, "gain": gain})


def by_convention(measure: Any, y: Any, score: Any, qid: Any, k: Any, doc_id: Any, **rules: Any) -> tuple[Any, float]:
    """Evaluate a measure, per query and on average."""
    grade = {"max_grade": rules.pop("max_grade")} if "max_grade" in rules else {}
    given = {"qid": qid, "k": k, "spec": make_spec(**rules), "doc_id": doc_id, **grade}
    return measure(y, score, per_query=True, **given), measure(y, score, **given)


def describe(name: str, measure: Any, text: str, paper: str, **more: str) -> Function:
    """Describe one measure by its convention."""

    def compute(**input: Any) -> Any:
        return by_convention(measure, **input)

    return Function(f"{name}_by_convention", text, paper, {**DOCUMENTS, **RULES, **more}, VALUES, compute)


DCG = describe("dcg", dcg, "DCG of each query, and the mean.", "McRank Eq. 1 and 2")
NDCG = describe("ndcg", ndcg, "NDCG of each query, and the mean.", "McRank Eq. 3")
ERR = describe("err", err, "ERR of each query, and the mean.", "COCR Eq. 8", max_grade="K, an integer")
DISCOUNTS = Function(
    "discounts",
    "The factor of each position; 0 beyond k.",
    "McRank Eq. 2",
    {"n_positions": "integer", "k": "integer, or null", "discount": RULES["discount"]},
    {"discounts": "float64, (n_positions,)"},
    tabulate_discounts,
)
LOGARITHMS = Function(
    "logarithms",
    "Logarithms of 2, 3, ..., highest, each the nearest float64.",
    "McRank Eq. 2",
    {"highest": "integer", "base": '"2" or "e"'},
    {"logarithms": "float64, (highest - 1,)"},
    lambda highest, base: np.array(round_logarithms(highest, base)),
)
QUERY_WEIGHTS = Function(
    "query_weights",
    "Mean weight of the rows of each query, by first appearance.",
    "McRank Eq. 3",
    {"sample_weight": "float64, (n,), or null", "qid": DOCUMENTS["qid"]},
    {"weight": "float64, (n_queries,); empty without weights"},
    lambda sample_weight, qid: weigh_queries(sample_weight, qid),
)
WEIGHTED_MEAN = Function(
    "weighted_mean",
    "Mean of the values that are not nan, weighted by query; both sums are exact.",
    "McRank Eq. 3",
    {"values": "float64, (n_queries,)", "weight": "float64, (n_queries,), or null"},
    {"mean": "float64"},
    weighted_mean_of_queries,
)


def weigh_queries(sample_weight: Any, qid: Any) -> Any:
    """Average the weights of each query's rows."""
    found = mean_weight_per_query(sample_weight, qid, len(qid))
    return np.empty(0) if found is None else found


# Five queries: plain, tied, without a relevant document, of one document, and long; rows scattered in `SCATTERED`.
LABELS = [2, 0, 1, 4, 1, 0, 1, 0, 2, 0, 0, 0, 3, 0, 1, 2, 0, 4, 1, 1, 3]
SCORES = [0.3, 0.9, 0.5, 0.1, 2, 2, 2, 1, 1, 0.2, 0.1, 0.0, 1.5, 8, 7, 6, 5, 4, 3, 2, 1.0]
QUERIES = [7] * 4 + [3] * 5 + [9] * 3 + [1] + [5] * 8
BASE = {"y": LABELS, "score": SCORES, "qid": QUERIES, "doc_id": None, "k": 3}
SCATTERED = np.argsort([(11 * i) % 21 for i in range(21)], kind="stable")


def rules_of(spec: MetricSpec) -> dict[str, Any]:
    """Write out the choices of a preset."""
    gain = spec.gain if isinstance(spec.gain, str) else np.array(spec.gain)
    return {**{name: getattr(spec, name) for name in RULES}, "gain": gain}


def cases() -> Iterator[Case]:
    """Yield a case per preset and measure, then those of rules that no preset has, and of what they are made of."""
    for name, spec in PRESETS.items():
        if name != "mslr":  # the other name of letor
            input, flags = {**BASE, **rules_of(spec)}, (f"preset-{name}",)
            said = f"The convention of {name}: {str(spec).partition(': ')[2].rpartition(', ERR')[0]}."
            yield from valid(NDCG, f"conventions/ndcg/{name}", input, said, flags=flags)
            yield from valid(DCG, f"conventions/dcg/{name}", input, said, flags=flags)
            if spec.max_grade is not None:
                grade = {"max_grade": spec.max_grade}
                yield from valid(ERR, f"conventions/err/{name}", {**input, **grade}, said, flags=flags)
    paper = {**BASE, **rules_of(PRESETS["paper"])}
    yield from other_rules(paper)
    yield from parts()
    short = {**paper, "score": SCORES[:-1]}
    yield from refused(NDCG, "conventions/ndcg/lengths-differ", short, "There must be one score per label.")
    yield from refused(
        NDCG, "conventions/ndcg/error", {**paper, "no_relevant": "error"}, "The convention refuses a query of zeros."
    )
    zeros = {**paper, "y": [0] * 21, "no_relevant": "skip"}
    yield from refused(
        NDCG, "conventions/ndcg/all-skipped", zeros, "All queries are skipped: none is left for the mean."
    )
    table = {**paper, "gain": [0.0, 1.0]}
    yield from refused(NDCG, "conventions/ndcg/table-too-short", table, "A label beyond the table has no gain.")


def other_rules(paper: dict[str, Any]) -> Iterator[Case]:
    """Yield the cases of single rules."""
    grade = {"max_grade": 4}
    for measure, of, more in ((NDCG, "ndcg", {}), (ERR, "err", grade)):
        for ties in ("best", "worst", "averaged"):
            said = f"Equal scores by the rule {ties}."
            yield from valid(measure, f"conventions/{of}/ties-{ties}", {**paper, **more, "ties": ties}, said)
        scattered = {**paper, **more, **{name: np.array(paper[name])[SCATTERED] for name in ("y", "score", "qid")}}
        yield from valid(measure, f"conventions/{of}/scattered", scattered, "Rows of a query need not stand together.")
        one = {**paper, **more, "qid": None, "k": None, "ties": "averaged"}
        yield from valid(measure, f"conventions/{of}/one-query", one, "All rows are one query; averaged ties, no k.")
    texts = {**paper, "qid": tuple("abcde"[q // 2] for q in QUERIES)}
    yield from valid(NDCG, "conventions/ndcg/query-texts", texts, "Queries may have texts for names.")
    halves = {**paper, "qid": [q / 2 for q in QUERIES]}
    yield from valid(NDCG, "conventions/ndcg/query-floats", halves, "Queries may have floats for names.")
    nameless = {**paper, "qid": [np.nan if q == 1 else q / 2 for q in QUERIES]}
    yield from refused(NDCG, "conventions/ndcg/query-nan", nameless, "A query has a name.")
    ids = {**paper, "ties": "document id descending", "doc_id": [(5 * i) % 21 for i in range(21)]}
    yield from valid(NDCG, "conventions/ndcg/document-ids", ids, "Of equal scores, the larger document id comes first.")
    short = {**paper, "short": "zero", "k": None}
    yield from valid(NDCG, "conventions/ndcg/short-without-k", short, "Without a k, no query is short.")
    tied = {**paper, "score": [0.0] * 21, "k": 2, "ties": "averaged", **grade}
    said = "Groups reach beyond k: their means need all of them."
    yield from valid(ERR, "conventions/err/all-tied-averaged", tied, said)


def parts() -> Iterator[Case]:
    """Yield the cases of discounts, logarithms and weighted means."""
    for name, discount in (("log2", "log2(1+i)"), ("ln", "ln(1+i)"), ("letor", "letor")):
        input = {"n_positions": 12, "k": 10, "discount": discount}
        yield from valid(DISCOUNTS, f"conventions/discounts/{name}", input, "Position 1 first; 0 beyond k.")
    long = {"n_positions": 70, "k": None, "discount": "log2(1+i)"}
    yield from valid(DISCOUNTS, "conventions/discounts/long", long, "More positions than refrank's first table.")
    for base in ("2", "e"):
        input = {"highest": 40, "base": base}
        said = "The nearest float64, where a C library may be one unit off."
        yield from valid(LOGARITHMS, f"conventions/logarithms/base-{base}", input, said)
        narrow = {"highest": 9, "base": base}

        def with_few_bits(highest: int, base: Any) -> Any:  # too few to decide: refrank doubles them
            return np.array(round_logarithms(highest, base, bits=40))

        said = "Computed from few bits first, which do not decide the rounding."
        yield from valid(LOGARITHMS, f"conventions/logarithms/few-bits-{base}", narrow, said, compute=with_few_bits)
    none = {"highest": 1, "base": "2"}
    yield from valid(LOGARITHMS, "conventions/logarithms/none", none, "An empty list.")
    weights = {"sample_weight": [1.0, 4.0, 2.0, 0.1, 0.2, 0.3], "qid": [2, 1, 2, 3, 3, 3]}
    yield from valid(QUERY_WEIGHTS, "conventions/query_weights/scattered", weights, "An exact sum over a count.")
    none = {"sample_weight": None, "qid": [2, 1, 2]}
    yield from valid(QUERY_WEIGHTS, "conventions/query_weights/none", none, "Rows without weights.")
    values = [0.5, np.nan, 1.0, 1e-17]
    weighted = {"values": values, "weight": [3.0, 9.0, 1.0, 0.1]}
    yield from valid(WEIGHTED_MEAN, "conventions/weighted_mean/one-skipped", weighted, "nan is left out.")
    plain = {"values": values, "weight": None}
    yield from valid(WEIGHTED_MEAN, "conventions/weighted_mean/without-weights", plain, "One weight for all.")
    zero = {"values": [0.5, np.nan], "weight": [0.0, 1.0]}
    yield from refused(WEIGHTED_MEAN, "conventions/weighted_mean/no-weight", zero, "No counted query has a weight.")


FAMILY = Family(
    "conventions",
    "DCG, NDCG and ERR of several queries under the conventions of fourteen tools, and what they are made of.",
    (DCG, NDCG, ERR, DISCOUNTS, LOGARITHMS, QUERY_WEIGHTS, WEIGHTED_MEAN),
    cases,
)
