"""One preset a tool: which choices stand behind the DCG, NDCG and ERR that the tool prints.

A preset whose `checked_against` is None was written from a description of the tool and never compared with
its output; the others were, on thousands of random queries, by `benchmarks/metric_vectors.py`.
"""

from collections.abc import Mapping
from types import MappingProxyType

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
        note="The scripts of the Yahoo! challenge and of RT-Rank; NDCG at k=10, ERR over all documents "
        "(k=None).",
    ),
    MetricSpec(
        "letor",
        gain=(0.0, 1.0, 3.0, 7.0, 15.0),
        discount="letor",
        max_grade=None,
        short="zero",
        note="The scripts of LETOR 4.0 and MSLR; found under `mslr` too. They leave NDCG@k undefined for a "
        "query with fewer than k documents and average it as 0.",
    ),
    MetricSpec("trec", ties="document id descending", no_relevant="skip", note="gdeval, at a cut-off k."),
    MetricSpec("trec_eval", gain="y", max_grade=None, ties="document id descending"),
    MetricSpec("ranklib", note="ERR at k=10."),
    MetricSpec("lightgbm", max_grade=None, no_relevant=1.0),
    MetricSpec("xgboost", max_grade=None, no_relevant=1.0),
    MetricSpec("sklearn", gain="y", max_grade=None, ties="averaged"),
    MetricSpec("ranx", gain="y", max_grade=None),
    MetricSpec("jforests", max_grade=None, ties="worst", no_relevant=1.0),
    MetricSpec("allrank", max_grade=None, no_relevant=1.0),
    MetricSpec("tfranking", max_grade=None),
    MetricSpec("catboost", gain="y", max_grade=None, ties="worst", no_relevant=1.0),
)
PRESETS: Mapping[str, MetricSpec] = MappingProxyType(
    {spec.name: spec for spec in _SPECS} | {"mslr": _SPECS[2]}
)


def resolve_spec(spec: str | MetricSpec) -> MetricSpec:
    """Return the preset of that name, or the record itself.

    Raises
    ------
    ValueError
        If `spec` is neither a `MetricSpec` nor the name of a preset.

    Examples
    --------
    >>> resolve_spec("lightgbm").no_relevant
    1.0
    """
    if isinstance(spec, MetricSpec):
        return spec
    if spec not in PRESETS:
        raise ValueError(f"spec={spec!r}: must be a MetricSpec or one of {', '.join(PRESETS)}")
    return PRESETS[spec]
