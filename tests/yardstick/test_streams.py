"""The streams: what is committed, and that a mistake in a few of a million cases is found, with its case."""

import math

import numpy as np
import pytest

from generators.streams import COMPUTE, TABLE, compute_digest, make_stream
from tests.regenerate import renew_with
from yardstick.vectors.own import OWN
from yardstick.vectors.streams import N_BLOCKS, load_streams, offer_streams, run_streams

STREAMS = load_streams()
LOG2 = OWN["discounts"](10**6)


def run(name, functions):
    return next(outcome for outcome in run_streams(functions) if outcome.case == f"streams/{name}")


def spoil(name, is_wrong):
    """Return refrank's function, one ulp off where the arguments say so."""

    def compute(**input):
        right = OWN[name](**input)
        return np.where(is_wrong(**input), np.nextafter(right, np.inf), right)

    return {name: compute}


def test_the_table_is_committed():
    made = {name: make_stream(name, stream.digests) for name, stream in STREAMS.items()}
    assert list(made) == list(TABLE)
    assert [vars(stream) for stream in made.values()] == [vars(stream) for stream in STREAMS.values()]
    assert all(stream.n_cases % N_BLOCKS == 0 == len(stream.digests) - N_BLOCKS for stream in made.values())


@pytest.mark.parametrize("number", range(len(TABLE)))
def test_the_digests_are_those_of_the_specification(number, request):
    name = [*TABLE][number]
    of_first = 0 if TABLE[name].call == "first" else number % N_BLOCKS
    for block in range(N_BLOCKS) if request.config.getoption("--deep") else [of_first]:
        said = renew_with("yardstick/vectors/data/streams.json")
        assert compute_digest(name, block) == STREAMS[name].digests[block], said


def test_own_functions_are_those_of_the_vectors():
    verdicts = {outcome.function: outcome.verdict for outcome in run_streams(COMPUTE)}
    assert verdicts == {name: "passed" if name in OWN else "not offered" for name in verdicts}


FAR = (1374, 2749)
PLANTED = [
    ("exp", spoil("exp", lambda x: (x > -40) & (x < -30)), "case 61, x = -31.19"),
    ("discounts", spoil("discounts", lambda n_positions, **_: np.isin(np.arange(n_positions), FAR)), "case 1374: "),
    ("logarithms-2", spoil("logarithms", lambda highest, base: np.arange(2, highest + 1) == 999_983), "case 999981: "),
    ("halves", {"round_to_grid": lambda value, exponent: np.floor(value + 0.5).astype(int)}, "case 3, value = "),
    ("below", {"below": lambda bits, n: (bits % n).astype(int)}, "case 0, bits = "),
    ("best_split", {"best_split": lambda **input: OWN["best_split"](**{**input, "min_samples_leaf": 1})}, "sums = [["),
    ("dcg", {"dcg": lambda y, score, k: math.fsum((2.0 ** y[np.argsort(-score)] - 1) * LOG2[: len(y)])}, "ulp"),
]


@pytest.mark.parametrize(("name", "functions", "said"), PLANTED, ids=[row[0] for row in PLANTED])
def test_a_mistake_is_found_with_its_case(name, functions, said):
    outcome = run(name, offer_streams(functions))
    assert outcome.verdict == "failed"
    assert said in outcome.message
    alone = {"discounts": "sixteenths 0 of", "logarithms-2": "sixteenths 15 of"}
    assert outcome.message.startswith(alone.get(name, "sixteenths "))
    if name != "logarithms-2":  # which is wrong beyond the cases that such a port is asked
        assert said in run(name, functions).message


def test_a_stream_may_be_told_without_the_function():
    def stream(name, first, n):
        if name != "exp":
            raise NotImplementedError
        return "0" * 16 if first + n > 700_000 else STREAMS[name].compute_digest(OWN[name], first, n)

    first, *others = run_streams({"stream": stream})
    assert {outcome.verdict for outcome in others} == {"not offered"}
    said = "sixteenths 11, 12, 13, 14, 15 of its 1000000 cases differ; case 700000, x = "
    assert (first.verdict, first.message[: len(said)]) == ("failed", said)


def test_an_error_is_one_line():
    assert str(run("exp", {"exp": lambda x: exit(3)})) == "streams/exp: raised: SystemExit: 3"
