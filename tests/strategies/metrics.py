"""Inputs of the metrics: conventions, cut-offs and labelled rankings with many ties, all drawn so that they shrink."""

import math

from hypothesis import strategies as st

from refrank.metrics import MetricSpec

SPECS = st.builds(
    MetricSpec,
    name=st.just("drawn"),
    gain=st.sampled_from(["2^y-1", "y", (0.0, 1.0, 3.0, 7.0, 15.0), (0.0, 0.0, 0.5, 0.75, 0.75)]),
    discount=st.sampled_from(["log2(1+i)", "ln(1+i)", "letor"]),
    ties=st.sampled_from(["stable", "worst", "best", "averaged", "document id descending"]),
    no_relevant=st.sampled_from([0.0, 0.5, 1.0, "skip"]),
    short=st.sampled_from(["as is", "zero"]),
)
CUTOFFS = st.none() | st.integers(1, 12)
QIDS = st.sampled_from(["b", "a", "c", "dd"])


@st.composite
def rankings(draw):
    """Labels 0..4, scores with many ties (and infinities), query ids in any order, document ids; a list each."""
    n_samples = draw(st.integers(1, 40))
    column = lambda values: draw(st.lists(values, min_size=n_samples, max_size=n_samples))  # noqa: E731
    y = column(st.integers(0, draw(st.sampled_from([0, 1, 4]))))
    score = column(st.sampled_from([-math.inf, -1.5, -0.0, 0.0, 0.25, 3.0, math.inf]))
    qid = column(QIDS)
    doc_id = draw(st.permutations([f"D{i:02d}" for i in range(n_samples)]))
    return y, score, qid, doc_id
