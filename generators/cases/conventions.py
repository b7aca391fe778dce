"""Cases of DCG, NDCG and ERR on several queries, under the convention of each tool.

Every choice is an input, so a port needs no table of presets. The flag of a case names the preset with its choices.

    input          what
    gain           "2^y-1", "y", or a table of the gains of y = 0, 1, ..., float64
    discount       "log2(1+i)", "ln(1+i)", or "letor": 1 at positions 1 and 2, then 1/log2(i)
    ties           "stable", "worst", "best", "averaged", or "document id descending"
    no_relevant    NDCG of a query without a relevant document, a number; or "skip": no value, for each measure
    short          "as is", or "zero": the value of a query of fewer than k documents
    doc_id         ids for the tie rule, int64, (n,); null: the row numbers
"""

from typing import Any

import numpy as np

from generators.cases.making import Cases, Family, Function
from refrank.metrics import PRESETS, MetricSpec, dcg, err, mean_weight_per_query, ndcg, weighted_mean_of_queries
from refrank.metrics.logarithms import round_logarithms
from yardstick.vectors.own import OWN

FAMILY = Family(
    "conventions",
    "DCG, NDCG and ERR of several queries under the conventions of fourteen tools, and what they are made of.",
)

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


def evaluate(measure: Any, y: Any, score: Any, qid: Any, k: Any, doc_id: Any, **rules: Any) -> tuple[Any, float]:
    """Evaluate a measure, per query and on average."""
    grade = {"max_grade": rules.pop("max_grade")} if "max_grade" in rules else {}
    given = {"qid": qid, "k": k, "spec": make_spec(**rules), "doc_id": doc_id, **grade}
    return measure(y, score, per_query=True, **given), measure(y, score, **given)


def describe(name: str, measure: Any, text: str, paper: str, **more: str) -> Function:
    """Describe a measure under its convention."""

    def compute(**input: Any) -> Any:
        return evaluate(measure, **input)

    return FAMILY.function(f"{name}_by_convention", text, paper, {**DOCUMENTS, **RULES, **more}, VALUES, compute)


DCG = describe("dcg", dcg, "DCG of each query, and the mean.", "McRank Eq. 1 and 2")
NDCG = describe("ndcg", ndcg, "NDCG of each query, and the mean.", "McRank Eq. 3")
ERR = describe("err", err, "ERR of each query, and the mean.", "COCR Eq. 8", max_grade="K, an integer")
DISCOUNTS = FAMILY.function(
    "discounts",
    "The factor of each position; 0 beyond k.",
    "McRank Eq. 2",
    {"n_positions": "integer", "k": "integer, or null", "discount": RULES["discount"]},
    {"discounts": "float64, (n_positions,)"},
    OWN["discounts"],
)
LOGARITHMS = FAMILY.function(
    "logarithms",
    "Logarithms of 2, 3, ..., highest, each the nearest float64.",
    "McRank Eq. 2",
    {"highest": "integer", "base": '"2" or "e"'},
    {"logarithms": "float64, (highest - 1,)"},
    OWN["logarithms"],
)
QUERY_WEIGHTS = FAMILY.function(
    "query_weights",
    "Mean weight of the rows of each query, by first appearance.",
    "McRank Eq. 3",
    {"sample_weight": "float64, (n,), or null", "qid": DOCUMENTS["qid"]},
    {"weight": "float64, (n_queries,); empty without weights"},
    lambda sample_weight, qid: weigh_queries(sample_weight, qid),
)
WEIGHTED_MEAN = FAMILY.function(
    "weighted_mean",
    "Mean of the values that are not nan, weighted by query; both sums are exact.",
    "McRank Eq. 3",
    {"values": "float64, (n_queries,)", "weight": "float64, (n_queries,), or null"},
    {"mean": "float64"},
    weighted_mean_of_queries,
)


def weigh_queries(sample_weight: Any, qid: Any) -> Any:
    """Average the weights of each query's rows."""
    means = mean_weight_per_query(sample_weight, qid, len(qid))
    return np.empty(0) if means is None else means


# Five queries: plain, tied, without a relevant document, of one document, and long; rows scattered in `SCATTERED`.
LABELS = [2, 0, 1, 4, 1, 0, 1, 0, 2, 0, 0, 0, 3, 0, 1, 2, 0, 4, 1, 1, 3]
SCORES = [0.3, 0.9, 0.5, 0.1, 2, 2, 2, 1, 1, 0.2, 0.1, 0.0, 1.5, 8, 7, 6, 5, 4, 3, 2, 1.0]
QUERIES = [7] * 4 + [3] * 5 + [9] * 3 + [1] + [5] * 8
BASE = {"y": LABELS, "score": SCORES, "qid": QUERIES, "doc_id": None, "k": 3}
SCATTERED = np.argsort([(11 * i) % 21 for i in range(21)], kind="stable")


def read_rules(spec: MetricSpec) -> dict[str, Any]:
    """Return the choices of a preset as inputs."""
    gain = spec.gain if isinstance(spec.gain, str) else np.array(spec.gain)
    return {**{name: getattr(spec, name) for name in RULES}, "gain": gain}


@FAMILY.part
def list_cases() -> Cases:
    """Yield a case per preset and measure, then cases of rules without a preset, and of their parts."""
    for name, spec in PRESETS.items():
        if name not in ("mslr", "ir_measures"):  # the rules of letor, and of trec_eval and trec, on such files
            input, flags = {**BASE, **read_rules(spec)}, (f"preset-{name}",)
            said = f"The convention of {name}: {str(spec).partition(': ')[2].rpartition(', ERR')[0]}."
            yield from NDCG.valid(name, input, said, flags=flags)
            yield from DCG.valid(name, input, said, flags=flags)
            if spec.max_grade is not None:
                grade = {"max_grade": spec.max_grade}
                yield from ERR.valid(name, {**input, **grade}, said, flags=flags)
    paper = {**BASE, **read_rules(PRESETS["paper"])}
    yield from list_rule_cases(paper)
    yield from list_part_cases()
    yield from NDCG.refused("lengths-differ", {**paper, "score": SCORES[:-1]}, "There must be one score per label.")
    yield from NDCG.refused("error", {**paper, "no_relevant": "error"}, "The convention refuses a query of zeros.")
    low = {**paper, "y": [int(label > 0) for label in paper["y"]], "no_relevant": "skip", "max_grade": 4}
    yield from ERR.valid("skipped-of-low-grades", low, "A query whose best label is 1 has a relevant document.")
    zeros = {**paper, "y": [0] * 21, "no_relevant": "skip"}
    yield from NDCG.refused("all-skipped", zeros, "All queries are skipped: none is left for the mean.")
    yield from NDCG.refused("table-too-short", {**paper, "gain": [0.0, 1.0]}, "A label beyond the table has no gain.")


def list_rule_cases(paper: dict[str, Any]) -> Cases:
    """Yield the cases of single rules."""
    grade = {"max_grade": 4}
    for measure, more in ((NDCG, {}), (ERR, grade)):
        for ties in ("best", "worst", "averaged"):
            said = f"Equal scores by the rule {ties}."
            yield from measure.valid(f"ties-{ties}", {**paper, **more, "ties": ties}, said)
        scattered = {**paper, **more, **{name: np.array(paper[name])[SCATTERED] for name in ("y", "score", "qid")}}
        yield from measure.valid("scattered", scattered, "Rows of a query need not stand together.")
        whole = {**paper, **more, "qid": None, "k": None, "ties": "averaged"}
        yield from measure.valid("one-query", whole, "All rows are one query; averaged ties, no k.")
    texts = {**paper, "qid": tuple("abcde"[q // 2] for q in QUERIES)}
    yield from NDCG.valid("query-texts", texts, "Queries may have texts for names.")
    halves = {**paper, "qid": [q / 2 for q in QUERIES]}
    yield from NDCG.valid("query-floats", halves, "Queries may have floats for names.")
    nameless = {**paper, "qid": [np.nan if q == 1 else q / 2 for q in QUERIES]}
    yield from NDCG.refused("query-nan", nameless, "A query has a name.")
    ids = {**paper, "ties": "document id descending", "doc_id": [(5 * i) % 21 for i in range(21)]}
    yield from NDCG.valid("document-ids", ids, "Of equal scores, the larger document id comes first.")
    yield from NDCG.valid("short-without-k", {**paper, "short": "zero", "k": None}, "Without a k, no query is short.")
    tied = {**paper, "score": [0.0] * 21, "k": 2, "ties": "averaged", **grade}
    yield from ERR.valid("all-tied-averaged", tied, "Groups reach beyond k: their means need all of them.")


def list_part_cases() -> Cases:
    """Yield the cases of discounts, logarithms and weighted means."""
    for name, discount in (("log2", "log2(1+i)"), ("ln", "ln(1+i)"), ("letor", "letor")):
        input = {"n_positions": 12, "k": 10, "discount": discount}
        yield from DISCOUNTS.valid(name, input, "Position 1 first; 0 beyond k.")
    long = {"n_positions": 70, "k": None, "discount": "log2(1+i)"}
    yield from DISCOUNTS.valid("long", long, "More positions than refrank's first table.")
    yield from DISCOUNTS.valid("whole-table", {**long, "n_positions": 64}, "As many positions as that table.")
    for base in ("2", "e"):
        input = {"highest": 40, "base": base}
        said = "The nearest float64, where a C library may be one unit off."
        yield from LOGARITHMS.valid(f"base-{base}", input, said)
        narrow = {"highest": 9, "base": base}

        def with_few_bits(highest: int, base: Any) -> Any:  # too few digits to decide: refrank doubles them
            return np.array(round_logarithms(highest, base, bits=40))

        said = "Computed from few bits first, which do not decide the rounding."
        yield from LOGARITHMS.valid(f"few-bits-{base}", narrow, said, compute=with_few_bits)
    yield from LOGARITHMS.valid("none", {"highest": 1, "base": "2"}, "An empty list.")
    weights = {"sample_weight": [1.0, 4.0, 2.0, 0.1, 0.2, 0.3], "qid": [2, 1, 2, 3, 3, 3]}
    yield from QUERY_WEIGHTS.valid("scattered", weights, "An exact sum over a count.")
    yield from QUERY_WEIGHTS.valid("none", {"sample_weight": None, "qid": [2, 1, 2]}, "Rows without weights.")
    values = [0.5, np.nan, 1.0, 1e-17]
    weighted = {"values": values, "weight": [3.0, 9.0, 1.0, 0.1]}
    yield from WEIGHTED_MEAN.valid("one-skipped", weighted, "nan is left out.")
    yield from WEIGHTED_MEAN.valid("without-weights", {"values": values, "weight": None}, "One weight for all.")
    unit = {"values": values, "weight": [0.25, 0.5, 0.75, 0.0]}
    yield from WEIGHTED_MEAN.valid("weights-of-one", unit, "The weights of the counted queries add up to 1; one is 0.")
    for name, weight, said in (
        ("no-weight", [0.0, 1.0, 0.0, 0.0], "No counted query has a weight."),
        ("negative-weight", [3.0, 1.0, -1.0, 1.0], "A weight is not negative."),
        ("infinite-weight", [3.0, 1.0, np.inf, 1.0], "A weight is finite."),
    ):
        yield from WEIGHTED_MEAN.refused(name, {"values": values, "weight": weight}, said)
