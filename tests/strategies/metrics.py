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
    unranked=st.sampled_from(["error", "as is", "skip"]),
    relevant=st.integers(1, 2),
    map_divisor=st.sampled_from(["relevant", "at most k"]),
    precision_divisor=st.sampled_from(["k", "at most documents"]),
    map_no_relevant=st.sampled_from([None, 0.25]),
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


@st.composite
def runs(draw):
    """Rankings that leave some documents out, whose score is NaN."""
    y, score, qid, doc_id = draw(rankings())
    ranked = draw(st.lists(st.integers(0, 2), min_size=len(y), max_size=len(y)))
    return y, [max(s, -9.0) if kept else math.nan for s, kept in zip(score, ranked, strict=True)], qid, doc_id
