"""`yardstick.numbers.arithmetic`: stages in float32 and float64, in several forms, stay within their bounds."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.huber_boosting import find_break_point, make_huber_loss, step_groups
from refrank.mcrank.lad_boosting import LAD
from refrank.mcrank.order_statistics import median
from refrank.mcrank.softmax_boosting import softmax
from refrank.metrics import err, ndcg
from refrank.trees import splitting
from refrank.trees.bins.cuts import quantiles
from refrank.trees.numbers.grid import exact_mean, to_grid
from yardstick.numbers.arithmetic import EXACT, FLOAT32, FLOAT64, LIBRARY_ULPS, Near

N = 20_000
ORDERS = {
    "in order": lambda terms: np.add.accumulate(terms)[-1],
    "reversed": lambda terms: np.add.accumulate(terms[::-1])[-1],
    "by size": lambda terms: np.add.accumulate(terms[np.argsort(np.abs(terms))])[-1],
    "in pairs": np.sum,
    "rounded once": lambda terms: terms.dtype.type(math.fsum(terms.tolist())),
    "in float64": lambda terms: terms.dtype.type(np.add.accumulate(terms.astype(np.float64))[-1]),
}


def read(a, values, inherited=0.0):
    """Make numbers of refrank, and those of a port in format `a`: moved by an inherited error, then rounded."""
    moved = values + inherited
    return Near(values, np.abs(inherited) + a.read(moved).error), moved.astype(a.kind)


def make_cuts(a, rng):
    values = np.unique((rng.normal(size=3000) * 50 - 20).astype(np.float32))
    ours = quantiles(values, 300, splitting)
    low, high = (values[np.searchsorted(values, ours) + side].astype(a.kind) for side in (-1, 0))
    return ours, [low / a.kind(2) + high / a.kind(2)], a.bound_cuts(np.append(values[0], high)[:-1], high)


def make_proba(a, rng, n_classes):
    F = rng.normal(size=(N // 4, 4)) * rng.choice([0.1, 3.0, 60.0], (N // 4, 1))
    if n_classes > 4:
        F = -np.tile(rng.random((20, 1)), n_classes) * (np.arange(n_classes) > 0)
    near, theirs = read(a, F, a.u * rng.choice([-100, 0, 0, 100], F.shape) * rng.integers(0, 2, (len(F), 1)))
    wrong = 1 + 2 * LIBRARY_ULPS * a.u * rng.choice([-1, 1], F.shape).astype(a.kind)
    terms = np.exp(theirs - theirs.max(axis=1, keepdims=True)) * wrong
    return softmax(F), [terms / np.add.accumulate(terms, axis=1)[:, -1:]], a.bound_proba(near)


def make_sums(a, rng):
    values, leaves = rng.normal(size=N) * 10.0 ** rng.integers(-8, 3, N), rng.integers(0, 300, N)
    near, theirs = read(a, values)
    gridded, rows = to_grid(values), [np.flatnonzero(leaves == leaf) for leaf in range(300)]
    ours = np.array([gridded.integers[of].sum() for of in rows]) * 2.0**-gridded.exponent
    bound = a.add_groups(near._replace(error=near.error + a.bound_grid(values)), leaves, 300).error
    return ours, [np.array([add(theirs[of]) for of in rows]) for add in ORDERS.values()], bound


def make_gains(a, rng):
    counts = rng.integers(1, 500, (2, N)).astype(np.float64)
    apart = rng.normal(size=(2, N)) * rng.choice([1.0, 1e-6], N, p=[0.9, 0.1])  # means may be nearly equal
    sums = counts * (rng.normal(size=N) * 10.0 ** rng.integers(-3, 3, N) + apart)
    inherited = 9 * a.u * np.abs(sums).sum(axis=0)
    (left, L), (right, R) = (read(a, s, inherited) for s in sums)
    n, m = counts.astype(a.kind)
    d = L / n - R / m
    theirs = [d * d * (n * m / (n + m)), L * L / n + R * R / m - (L + R) * (L + R) / (n + m)]
    ours = splitting.compute_gains(*np.stack([sums, counts], axis=-1))
    return ours, theirs, a.bound_gain(left, right, *map(Near, counts))


def make_leaf_values(a, rng):
    inherited = 9 * a.u * rng.random(N)
    (top, t), (low, b) = (read(a, x, inherited) for x in (rng.normal(size=N), rng.random(N) + 1e-3))
    K = a.kind(5)
    theirs = [(K - 1) / K * t / b, t / b * (K - 1) / K, t / (b * K / (K - 1))]
    return 4 / 5 * top.value / low.value, theirs, a.divide(top, low, 4 / 5).error


def make_locations(a, rng):
    ours, theirs, bounds = [], [[], [], []], []
    for n in rng.integers(1, 60, 400).tolist():
        values, weight = rng.normal(size=n) * 10, rng.integers(1, 5, n) / 3 if n % 2 else None
        near, x = read(a, values, 100 * a.u * rng.choice([-1, 1], n))
        bounds.append(a.bound_location(near, weight))
        delta = find_break_point(0.8, values, weight)
        ours.append([exact_mean(values, weight), median(values, weight), step_groups(delta, [(values, weight)])[0]])
        w = np.ones(n, a.kind) if weight is None else weight.astype(a.kind)
        middle = a.kind(median(x.astype(np.float64), None if weight is None else w.astype(np.float64)))
        held = np.clip(x - middle, -a.kind(delta), a.kind(delta))
        for ports, add in zip(theirs, list(ORDERS.values())[:3], strict=True):
            ports.append([add(w * x) / add(w), middle, middle + add(w * held) / add(w)])
    return np.array(ours), [np.array(ports) for ports in theirs], np.array(bounds)[:, None]


def make_predictions(a, rng):
    (p, p_theirs), (T, T_theirs) = (read(a, x) for x in (rng.dirichlet(np.ones(5), N), np.array([0, 1, 3, 7, 15.1])))
    terms = p_theirs * T_theirs
    theirs = [np.add.accumulate(terms, axis=1)[:, -1], terms[:, ::-1].sum(axis=1)]
    return expected_relevance(p.value, T.value), theirs, a.add_up(a.multiply(p, T)).error


def make_metrics(a, rng):
    ours, theirs, bounds = [], [[], []], []
    for n in rng.integers(1, 60, 400).tolist():
        y, positions = rng.integers(0, 5, n), np.arange(1, n + 1).astype(a.kind)
        ours.append([ndcg(y, -positions, k=None), err(y, -positions)])
        bounds.append(a.bound_metric(np.array(ours[-1]), n))
        log, gains = np.log(positions + 1), [np.exp2(of.astype(a.kind)) - 1 for of in (y, -np.sort(-y))]
        stop = gains[0] / a.kind(16)
        stops_here = np.multiply.accumulate(np.append(a.kind(1), 1 - stop))[:-1] * stop / positions
        for ports, discount, add in zip(theirs, (np.log(a.kind(2)) / log, 1 / log), ORDERS.values(), strict=False):
            dcg, ideal = (add(of * discount) for of in gains)
            ports.append([dcg / ideal if ideal else ideal, add(stops_here)])
    return np.array(ours), [np.array(ports) for ports in theirs], np.array(bounds)


def make_responses(a, rng):
    """The responses of LAD and of Huber, and what jumps nowhere, to residuals of either sign."""
    inherited = 100 * a.u * rng.random(N) * rng.choice([-1, 1], N)
    near, theirs = read(
        a, np.where(rng.random(N) < 0.1, rng.choice([-0.5, 0.5], N) * inherited, rng.normal(size=N)), inherited
    )
    fitted = [partial(loss.fitted, weight=None) for loss in (LAD, make_huber_loss(0.8))]
    fitted.append(lambda residual: (residual - residual.mean()) / 2)
    ours, ports = (np.concatenate([of(x.astype(np.float64)) for of in fitted]) for x in (near.value, theirs))
    return ours, [ports.astype(a.kind)], np.concatenate([a.bound_response(of, near) for of in fitted])


STAGES = {  # refrank's numbers, those of ports, and the bound; and how loose the bound may be, in float32
    "cuts": (make_cuts, 8),
    "proba": (partial(make_proba, n_classes=4), 2),
    "many classes": (partial(make_proba, n_classes=4001), 12),
    "sums": (make_sums, 20),
    "gains": (make_gains, 3),
    "responses": (make_responses, 2),
    "leaf values": (make_leaf_values, 1.1),
    "locations": (make_locations, 3),
    "predictions": (make_predictions, 2),
    "metrics": (make_metrics, 20),
}
formats = pytest.mark.parametrize("a", [FLOAT32, FLOAT64], ids=["float32", "float64"])


@formats
@pytest.mark.parametrize(("make", "factor"), STAGES.values(), ids=STAGES)
def test_honest_ports_are_within_the_bound_and_wrong_ones_beyond(a, make, factor):
    ours, theirs, bound = make(a, np.random.default_rng(0))
    distances = np.array([np.abs(port.astype(np.float64) - ours) for port in theirs])
    assert (distances <= bound).all()
    assert a is FLOAT64 or (factor * distances > bound).any()
    wrong = 1e-3 if a is FLOAT32 else 1e-6
    assert np.mean((wrong * np.abs(ours) > bound)[ours != 0]) > 0.6
    assert not np.any(make(EXACT, np.random.default_rng(0))[2])  # the same bits have no bound


numbers = st.floats(-1e6, 1e6) | st.sampled_from([0.1, 1e6, -1e6, 1e-40, 5e-324, 2.0**24 + 1])


@formats
@given(st.lists(numbers, min_size=4, max_size=40), st.data())
def test_sums_in_any_order_and_by_subtraction_are_near_the_fractions(a, values, data):
    terms = np.array(values)
    theirs, alike = terms.astype(a.kind), np.zeros(len(terms), np.int64)
    exact, places = [*map(Fraction, values)], sorted(data.draw(st.integers(1, len(values) - 1)) for _ in range(3))
    for add in ORDERS.values():
        distance = abs(Fraction(float(add(theirs))) - sum(exact))
        assert distance <= a.add_groups(a.read(terms), alike, 1).error[0]
        assert distance <= a.add_up(a.read(terms)).error
        # a node is the root less two siblings; its right side is the node less its left
        left, *siblings = (add(part) if len(part) else a.kind(0) for part in np.split(theirs, places)[:3])
        right = add(theirs) - siblings[0] - siblings[1] - left
        bound = a.add_groups(a.read(terms), alike, 1, n_uses=4).error[0]
        assert abs(Fraction(float(right)) - sum(exact[places[2] :])) <= bound


@pytest.mark.parametrize("operation", ["add", "subtract", "multiply", "divide"])
def test_an_operation_is_as_far_off_as_its_operands_take_it(operation):
    compute = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}[operation]
    a, b = Near(-3.0, 2.0), Near(5.0, 4.0)
    corners = np.array([compute(a.value + i * a.error, b.value + j * b.error) for i in (-1, 1) for j in (-1, 1)])
    near = getattr(FLOAT64, operation)(a, b)
    farthest = np.abs(corners - near.value).max()
    assert farthest <= near.error < (1 + 1e-5) * farthest


def test_the_grid_of_the_weights_is_in_the_bound_of_a_mean():
    values, weight = np.append(0.9, np.full(63, -0.9)), np.append(1.0, np.full(63, 0.49 * 2.0**-47))
    exact = sum(map(Fraction, weight * values)) / sum(map(Fraction, weight))
    distance = abs(Fraction(exact_mean(values, weight)) - exact)
    assert FLOAT64.bound_location(Near(values)) < distance < FLOAT64.bound_location(Near(values), weight)


def test_what_is_lost_or_open_has_its_bound():
    small, may_be_0 = FLOAT32.read(np.float32(2e-38)), Near(0.0, 1e-9)
    assert FLOAT32.read(1e-40).error == 1e-40
    assert FLOAT32.multiply(small, small).error >= 4e-76  # lost to zero
    assert FLOAT32.divide(small, small, 0.25).error >= 0.25
    assert FLOAT32.divide(Near(1.0), Near(0.0)).error == 0.0  # by rule
    beyond = FLOAT32.read(1e39), FLOAT32.add(Near(3e38), Near(3e38)), FLOAT32.divide(Near(1e30), Near(1e-30))
    any_number = FLOAT32.divide(Near(1.0), may_be_0), FLOAT32.divide(Near(1.0), Near(1e-9, 1e-9))
    too_many = FLOAT32.add_up(Near(np.ones(2**24)))  # as many as floats tell apart
    for near in *beyond, *any_number, too_many, FLOAT32.divide(Near(1.0, math.inf), Near(1.0)):
        assert near.error == math.inf
    assert FLOAT32.bound_cuts(np.zeros(1), np.ones(1)) == FLOAT32.bound_cuts(np.ones(1), np.zeros(1)) > 3 * FLOAT32.u
    assert FLOAT64.bound_proba(Near(np.zeros((1, 2)), math.inf)).tolist() == [[1 + FLOAT64.u] * 2]
    sums = [FLOAT64.add_groups(Near(np.ones(9)), np.zeros(9, np.int64), 1, n_uses).error for n_uses in (1, 4)]
    assert sums[1] / sums[0] == pytest.approx(16)  # four times the roundings, each of four times the rows
