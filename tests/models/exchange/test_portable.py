"""Parts taken out of a ranker, parts refused, and how far an error of outputs reaches."""

import re
from dataclasses import replace
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.linear_model import LinearRegression

from refrank import COCRRanker, GBRTRanker, RandomForestRanker
from refrank.cocr.reduction import COCRModel, Constant
from refrank.models.exchange.heads import Cumulative, Identity, Ordinal, Softmax, Total
from refrank.models.exchange.packing import make_portable
from refrank.trees.engine import SPECIFICATION
from tests.models.exchange.cases import TREE_KINDS
from tests.models.kinds import SMALL, X, Y, rows_for, train


@pytest.mark.parametrize("name", TREE_KINDS)
def test_the_outputs_and_the_head_are_the_ranker(name):
    ranker, rows = train(name), rows_for(name)
    portable = make_portable(ranker)
    assert np.array_equal(portable.head(portable.outputs(rows)), ranker.predict(rows))
    assert len(portable.trees) == portable.outputs(rows).shape[1] == len(portable.rounding)
    assert portable.in_order == (name not in ("igbrt", "igbrt of classes"))


@pytest.mark.parametrize(
    ("ranker", "fault"),
    [
        (train("lambdarank"), "the model is lambdarank: it must be a ranker by sums of trees"),
        (train("m5p"), "the model is m5p: it must be a ranker by sums of trees"),
        (train("cocr"), "the model is cocr over LinearRegression: it must be"),
        (train("cocr over classification"), "the model is cocr over GBRTRanker: it must be a ranker by sums"),
        (train("gbrt like rt-rank"), "clip is 'each-round': it must be True or False, since a sum of trees is clipped"),
        (COCRRanker(LinearRegression()), "the model is cocr: it must be a ranker by sums of trees"),
        (object(), "the model is object: it must be"),
    ],
)
def test_what_is_not_a_sum_of_trees_is_refused(ranker, fault):
    with pytest.raises(ValueError, match="^" + re.escape(fault)):
        make_portable(ranker)


def test_cocr_over_bases_that_differ_is_refused():
    small, large = (RandomForestRanker(n_trees=n, random_state=0).fit(X, Y) for n in (2, 3))
    filled = [GBRTRanker(**SMALL["gbrt"], missing=missing).fit(X, Y) for missing in ("zero", "inf")]
    cocr = train("cocr over gbrt")
    for bases, fault in (((small, large), "forests of several sizes"), (filled, "substitutes of their own")):
        held = tuple(replace(cocr.model_.soft_classifiers[1], regressor=base) for base in bases)
        ranker = COCRRanker(GBRTRanker())
        ranker.model_, ranker.n_features_in_ = COCRModel(held), 5
        with pytest.raises(ValueError, match=fault):
            make_portable(ranker)


def test_constant_answers_are_carried_as_they_are():
    for base in (GBRTRanker(n_rounds=2), RandomForestRanker(n_trees=7, random_state=0)):
        ranker = COCRRanker(base, n_classes=6).fit(X, Y)
        constants = [h.value for h in ranker.model_.soft_classifiers if isinstance(h, Constant)]
        assert sorted(constants) == [0.0, 0.0, 1.0]
        portable = make_portable(ranker)
        sums = portable.sums.scores(X, SPECIFICATION)
        assert np.array_equal(sums / portable.divisor, portable.outputs(X))


def test_constant_answers_alone_are_a_model_too():
    ranker = COCRRanker(GBRTRanker())
    ranker.model_, ranker.n_features_in_ = COCRModel((Constant(1.0), Constant(0.0))), 5
    portable = make_portable(ranker)
    assert (portable.divisor, portable.in_order, portable.missing_value) == (1, True, None)
    assert [len(trees) for trees in portable.trees] == [1, 1]
    assert portable.sums.scores(X, SPECIFICATION).tolist() == portable.outputs(X).tolist() == [[1.0, 0.0]] * len(X)


HEADS = {
    "identity": (Identity(), 1),
    "total": (Total(3), 3),
    "softmax": (Softmax(np.array([0.0, 1.0, 4.0])), 3),
    "ordinal": (Ordinal((None, 1.0, None), np.array([0.0, 1.0, 4.0, 5.0])), 4),
    "mirrored": (Ordinal((0.0, None, None), np.array([0.0, 1.0, 4.0, 5.0])), 2),
    "one-sided": (Ordinal((0.0, 1.0), np.array([0.0, 1.0, 4.0])), 0),
    "cumulative": (Cumulative(False, 4), 3),
    "clipped": (Cumulative(True, 4), 3),
}


@pytest.mark.parametrize("name", HEADS)
@given(data=st.data())
def test_an_error_of_the_outputs_reaches_no_further_than_the_bound(name, data):
    head, n_outputs = HEADS[name]
    outputs = data.draw(hnp.arrays(np.float64, (3, n_outputs), elements=st.floats(-4, 4)))
    errors = data.draw(hnp.arrays(np.float64, n_outputs, elements=st.floats(0, 2)))
    signs = data.draw(hnp.arrays(np.float64, (3, n_outputs), elements=st.sampled_from([-1.0, 0.5, 1.0])))
    moved = np.abs(head(outputs + signs * errors) - head(outputs)).max()
    slack = head.bound_rounding(8.0) + 1e-14  # of these very sums
    assert moved <= (head.bound(errors) if n_outputs else 0.0) + slack


def test_problems_that_are_all_one_sided_have_no_error():
    assert HEADS["one-sided"][0].bound(np.zeros(0)) == 0.0


@pytest.mark.parametrize("name", ["identity", "total", "softmax", "ordinal", "mirrored", "cumulative"])
def test_no_smaller_bound_would_do(name):
    """Some error reaches at least 9/10 of the bound."""
    head, n_outputs = HEADS[name]
    ends = np.where(np.arange(n_outputs) < n_outputs - 1, -30.0, 0.0)  # of a softmax: half the weight on either end
    ends[:1] = 0.0
    outputs = ends[None] if name == "softmax" else np.zeros((1, n_outputs))
    error = np.full(n_outputs, 1e-3)
    ways = np.array(np.meshgrid(*[[-1.0, 1.0]] * n_outputs)).reshape(n_outputs, -1).T
    moved = max(abs(float(head(outputs + way * error)[0] - head(outputs)[0])) for way in ways)
    assert 0.9 * head.bound(error) <= moved <= 1.000001 * head.bound(error)


def score_exactly(name, row):
    """The score of a row of outputs with 60 digits."""
    head, _ = HEADS[name]
    with localcontext(prec=60):
        F = [Decimal(value) for value in row.tolist()]
        if name in ("identity", "total"):
            return sum(F)
        if name == "softmax":
            terms = [value.exp() for value in F]
            return sum(term * Decimal(T) for term, T in zip(terms, head.relevance.tolist(), strict=True)) / sum(terms)
        proba = F
        if name == "clipped":
            proba = [min(max(value, Decimal(0)), Decimal(1)) for value in F]
        if name in ("ordinal", "mirrored"):
            pairs = list(zip(F[::2], F[1::2], strict=True)) if name == "ordinal" else [(value, -value) for value in F]
            learned = iter(1 / (1 + (F_1 - F_0).exp()) for F_0, F_1 in pairs)
            proba = [next(learned) if constant is None else Decimal(constant) for constant in head.constants]
        relevance = head.relevance.tolist() if name in ("ordinal", "mirrored") else [*range(head.n_classes)]
        ends = [Decimal(0), *proba, Decimal(1)]
        return sum((b - a) * Decimal(T) for a, b, T in zip(ends, ends[1:], relevance, strict=False))


@pytest.mark.parametrize("name", [name for name in HEADS if name != "one-sided"])
@given(data=st.data())
def test_the_rounding_of_a_score_is_within_its_bound(name, data):
    """Half of the bound, which is that of two programs."""
    head, n_outputs = HEADS[name]
    outputs = data.draw(hnp.arrays(np.float64, (1, n_outputs), elements=st.floats(-40, 40, width=16)))
    off = abs(Decimal(float(head(outputs)[0])) - score_exactly(name, outputs[0]))
    assert off <= Decimal(head.bound_rounding(float(np.abs(outputs).max()))) / 2


def test_the_rounding_counts_units_of_2_to_the_minus_53():
    units = {name: head.bound_rounding(3.0) * 2**53 for name, (head, _) in HEADS.items()}
    assert units == {
        "identity": 0,
        "total": 2 * 9 * 3,  # two programs, 3 additions of at most 3 * 3
        "softmax": 2 * (4 * 4 + 4 * 3) * 4,  # 3 probabilities with an exp of 4 ulps; T is at most 4
        "ordinal": 2 * 4 * (4 * 4 + 4 * 4) * 5,  # 4 classes; T is at most 5
        "mirrored": 2 * 4 * (4 * 4 + 4 * 4) * 5,
        "one-sided": 2 * 3 * (4 * 4 + 4 * 3) * 4,
        "cumulative": 2 * 2 * 4 * 16 * 2 * 3,  # 4 differences and products of at most 16 * 2 * 3
        "clipped": 2 * 2 * 4 * 16 * 2,
    }
