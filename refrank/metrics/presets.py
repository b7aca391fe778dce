"""One preset per tool: the choices behind the figures that the tool prints.

`benchmarks/accuracy/metric_vectors.py` compared each preset with the output of its tool on thousands of random
queries, except the presets whose `checked_against` is None: those follow a description of the tool.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from refrank.checks import check_choice
from refrank.metrics.spec import MetricSpec

_CHOICES = (
    MetricSpec("paper"),
    MetricSpec("yahoo", discount="ln(1+i)", no_relevant=0.5),
    MetricSpec("letor", gain=(0.0, 1.0, 3.0, 7.0, 15.0), discount="letor", max_grade=None, short="zero"),
    MetricSpec("trec", ties="document id descending", no_relevant="skip", unranked="skip"),
    MetricSpec("trec_eval", gain="y", max_grade=None, ties="document id descending", unranked="skip"),
    MetricSpec("ir_measures", gain="y", ties="document id descending", unranked="as is"),
    MetricSpec("ranklib", precision_divisor="at most documents"),
    MetricSpec("lightgbm", max_grade=None, no_relevant=1.0, map_divisor="at most k"),
    MetricSpec(
        "xgboost", max_grade=None, no_relevant=1.0, map_divisor="at most k", precision_divisor="at most documents"
    ),
    MetricSpec("sklearn", gain="y", max_grade=None, ties="averaged"),
    MetricSpec("ranx", gain="y", max_grade=None, unranked="as is"),
    MetricSpec("jforests", max_grade=None, ties="worst", no_relevant=1.0),
    MetricSpec("allrank", max_grade=None, no_relevant=1.0),
    MetricSpec("tfranking", max_grade=None),
    MetricSpec(
        "catboost",
        gain="y",
        max_grade=None,
        ties="worst",
        no_relevant=1.0,
        map_divisor="at most k",
        precision_divisor="at most documents",
        map_no_relevant=0.0,
    ),
)
_CHECKED_AGAINST = {
    "trec": "gdeval.pl 1.2a of ir-measures 0.4.3",
    "trec_eval": "pytrec-eval-terrier 0.5.11",
    "ir_measures": "ir-measures 0.4.3",
    "lightgbm": "lightgbm 4.7.0",
    "xgboost": "xgboost 3.2.0",
    "sklearn": "scikit-learn 1.9.1",
    "ranx": "ranx 0.3.21",
    "catboost": "catboost 1.2.10",
}
_NOTES = {
    "paper": "McRank Eq. 1-3 and COCR Eq. 8. McRank prints log(1+i) without a base; base 2 is chosen here, and the "
    "base cancels in NDCG.",
    "yahoo": "The scripts of the Yahoo! challenge and of RT-Rank; NDCG at k=10, ERR over all documents (k=None).",
    "letor": "The scripts of LETOR 4.0 and MSLR; also named `mslr`. They leave NDCG@k undefined for a query with fewer "
    "than k documents, and average it as 0.",
    "trec": "gdeval takes a cut-off k and prints five decimals per query.",
    "trec_eval": "ndcg and ndcg_cut, map and map_cut, recip_rank, P, recall. A query without a ranking is left out, "
    "unless it runs with -c, which is replace(spec, unranked='as is'). pytrec_eval holds scores as float32, so scores "
    "that differ by less are tied.",
    "ir_measures": "It asks pytrec_eval for nDCG, AP, RR, P and R, and gdeval for ERR, and counts a query without a "
    "ranking as 0.",
    "ranklib": "ERR at k=10. Its MAP has no cut-off (k=None).",
    "lightgbm": "ndcg and map; it has no MRR, precision or recall.",
    "xgboost": "On the CPU. map and pre take labels 0 and 1 alone. `ndcg-` is replace(spec, no_relevant=0.0), "
    "ndcg_exp_gain=False is replace(spec, gain='y'). It holds scores as float32, so scores that differ by less are "
    "tied.",
    "sklearn": "ndcg_score, which takes one query per call, refuses a query of one document, and does not average with "
    "ignore_ties=True. average_precision_score gives all documents of a tied group the precision at the end of the "
    "group, which no rule here describes.",
    "ranx": "`ndcg_burges` is replace(spec, gain='2^y-1'). A list of arrays is ranked as it comes; this was compared. "
    "A Run is sorted by an unstable sort: in queries of more than about 15 documents, no rule here describes the order "
    "of its tied documents.",
    "allrank": "`filler_value`, 1 by default; an older version used 0. Ties have no specified order; here it is "
    "stable.",
    "tfranking": "It shuffles ties at random; here their order is stable.",
    "catboost": "NDCG with type=Base, the default; type=Exp is replace(spec, gain='2^y-1').",
}
_PRESETS = {
    spec.name: replace(spec, checked_against=_CHECKED_AGAINST.get(spec.name), note=_NOTES.get(spec.name, ""))
    for spec in _CHOICES
}
PRESETS: Mapping[str, MetricSpec] = MappingProxyType(_PRESETS | {"mslr": _PRESETS["letor"]})


def resolve_spec(spec: str | MetricSpec) -> MetricSpec:
    """Return the preset of that name, or the record itself."""
    return spec if isinstance(spec, MetricSpec) else PRESETS[check_choice("spec", spec, PRESETS)]
