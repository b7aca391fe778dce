"""Wrong ports, a line of planted_ports.txt each: some statement fails for each, and none raises an error of ours."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, settings

from proofs_check.engine.implementation import NAMES, Implementation, load
from proofs_check.ports import PORT_CHECKS, run
from proofs_check.ports.run import run_port_check

OWN = load(None)
LINES = Path(__file__).with_name("planted_ports.txt").read_text(encoding="utf-8").splitlines()
PLANTED = [tuple(line.split(" | ", 2)) for line in LINES if line and not line.startswith("#")]


pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of an instance that is not shrunk


@pytest.fixture(autouse=True)
def _unshrunk(monkeypatch):
    """A wrong port is found by any instance; test_ports.py asks for the smallest."""
    monkeypatch.setattr(run, "DRAWN_ALIKE", settings(run.DRAWN_ALIKE, phases=(Phase.generate,)))


def test_each_wrong_port_is_told_once_and_each_function_has_one():
    assert len({(name, what) for name, what, _ in PLANTED}) == len(PLANTED)
    assert {name for name, _, _ in PLANTED} == set(NAMES)


@pytest.mark.parametrize(("name", "what", "code"), PLANTED, ids=[f"{name}, {what}" for name, what, _ in PLANTED])
def test_a_wrong_port_is_found(name, what, code):
    port = Implementation("a wrong port", **{name: eval(code, {"np": np, "own": OWN})})
    for check in PORT_CHECKS:
        if check.needs == (name,):
            outcome = run_port_check(check, port, 40)
            if outcome.verdict != "holds":
                break
    assert outcome.verdict == "fails", outcome


def test_a_port_in_float32_holds_with_its_tolerance_alone():
    def single(argument):
        is_real = isinstance(argument, np.ndarray) and argument.dtype.kind == "f"
        return argument.astype(np.float32) if is_real else argument

    def rounded(function):
        return lambda *arguments: np.asarray(function(*map(single, arguments)), dtype=np.float32)

    port = replace(OWN, source="float32", **{name: rounded(getattr(OWN, name)) for name in NAMES})
    trees = {"tree", "tree_at", "ls_boosting", "softmax_boosting", "igbrt", "cocr"}
    asked = trees | {"dcg", "dcg_tied", "ndcg_at", "err", "hard_rank", "soft_rank", "lambdas"}
    checks = [check for check in PORT_CHECKS if check.needs[0] in asked]
    for check in checks:
        assert run_port_check(check, port, 20, dtype="float32").verdict == "holds", check.name
    assert "fails" in {run_port_check(check, port, 20).verdict for check in checks}


def test_another_seed_draws_other_instances():
    asked: list[list[float]] = []

    def dcg(y, score):
        asked[-1].append(len(y))
        return OWN.dcg(y, score)

    [check] = [check for check in PORT_CHECKS if check.name == "mcrank.dcg"]
    for seed in (None, None, 1, 1, 2):
        asked.append([])
        assert run_port_check(check, Implementation("a port", dcg=dcg), 30, seed).verdict == "holds"
    assert asked[0] == asked[1]
    assert asked[2] == asked[3]
    assert asked[0] != asked[2] != asked[4]
