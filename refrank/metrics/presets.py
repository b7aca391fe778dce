"""One preset per tool: the choices behind the DCG, NDCG and ERR that the tool prints.

`benchmarks/metric_vectors.py` compared each preset with the output of its tool on thousands of random queries, except
the presets whose `checked_against` is None: those follow a description of the tool.
"""

from collections.abc import Mapping
from types import MappingProxyType

from refrank.checks import check_choice
from refrank.metrics.spec import MetricSpec

_SPECS = (
    MetricSpec(
        "paper",
        note="McRank Eq. 1-3 and COCR Eq. 8. McRank prints log(1+i) without a base; base 2 is chosen here, "
        "and the base cancels in NDCG.",
    ),
    MetricSpec(
        "yahoo",
        discount="ln(1+i)",
        no_relevant=0.5,
        note="The scripts of the Yahoo! challenge and of RT-Rank; NDCG at k=10, ERR over all documents (k=None).",
    ),
    MetricSpec(
        "letor",
        gain=(0.0, 1.0, 3.0, 7.0, 15.0),
        discount="letor",
        max_grade=None,
        short="zero",
        note="The scripts of LETOR 4.0 and MSLR; also named `mslr`. They leave NDCG@k undefined for a "
        "query with fewer than k documents, and average it as 0.",
    ),
    MetricSpec(
        "trec",
        ties="document id descending",
        no_relevant="skip",
        checked_against="gdeval.pl 1.2a of ir-measures 0.4.3",
        note="gdeval takes a cut-off k and prints five decimals per query.",
    ),
    MetricSpec(
        "trec_eval",
        gain="y",
        max_grade=None,
        ties="document id descending",
        checked_against="pytrec-eval-terrier 0.5.11",
        note="ndcg and ndcg_cut. It holds scores as float32, so scores that differ by less are tied.",
    ),
    MetricSpec("ranklib", note="ERR at k=10."),
    MetricSpec("lightgbm", max_grade=None, no_relevant=1.0, checked_against="lightgbm 4.7.0"),
    MetricSpec(
        "xgboost",
        max_grade=None,
        no_relevant=1.0,
        checked_against="xgboost 3.2.0",
        note="On the CPU. `ndcg-` is replace(spec, no_relevant=0.0), ndcg_exp_gain=False is replace(spec, "
        "gain='y'). It holds scores as float32, so scores that differ by less are tied.",
    ),
    MetricSpec(
        "sklearn",
        gain="y",
        max_grade=None,
        ties="averaged",
        checked_against="scikit-learn 1.9.1",
        note="ndcg_score, which takes one query per call, refuses a query of one document, and "
        "does not average with ignore_ties=True.",
    ),
    MetricSpec(
        "ranx",
        gain="y",
        max_grade=None,
        checked_against="ranx 0.3.21",
        note="`ndcg_burges` is replace(spec, gain='2^y-1'). A list of arrays is ranked as it comes; "
        "this was compared. A Run is sorted by an unstable sort: in queries of more than about 15 documents, "
        "no rule here describes the order of its tied documents.",
    ),
    MetricSpec("jforests", max_grade=None, ties="worst", no_relevant=1.0),
    MetricSpec(
        "allrank",
        max_grade=None,
        no_relevant=1.0,
        note="`filler_value`, 1 by default; an older version used 0. Ties have no specified order; here it is stable.",
    ),
    MetricSpec("tfranking", max_grade=None, note="It shuffles ties at random; here their order is stable."),
    MetricSpec(
        "catboost",
        gain="y",
        max_grade=None,
        ties="worst",
        no_relevant=1.0,
        checked_against="catboost 1.2.10",
        note="NDCG with type=Base, the default; type=Exp is replace(spec, gain='2^y-1').",
    ),
)
PRESETS: Mapping[str, MetricSpec] = MappingProxyType({spec.name: spec for spec in _SPECS} | {"mslr": _SPECS[2]})


def resolve_spec(spec: str | MetricSpec) -> MetricSpec:
    """Return the preset of that name, or the record itself."""
    return spec if isinstance(spec, MetricSpec) else PRESETS[check_choice("spec", spec, PRESETS)]
