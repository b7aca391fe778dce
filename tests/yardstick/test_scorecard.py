"""The scorecard: of refrank itself, of ports with a mistake, with reasons and without; its pages; its command."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from refrank.cli import main
from refrank.cocr.costs import oerr
from refrank.metrics import dcg
from tests.libraries import NEEDS_COMPILER, load_port
from tests.yardstick.trainings import edit_at, make, put, record, rewrite
from yardstick.divergence.comparing import Mode
from yardstick.scorecard.adapters import Adapter
from yardstick.scorecard.card import AGREE, DIFFER, HIGHEST, MEANINGS, METRICS, make_scorecard, read_deviations
from yardstick.scorecard.pages import COLOURS, write_badge, write_html, write_json, write_text
from yardstick.scorecard.trainings import TRAININGS
from yardstick.traces.stages import Place
from yardstick.vectors.files import load_vectors
from yardstick.vectors.own import OWN

ROOT = Path(__file__).parents[2]


def offer(functions=None, lemmas=None, run=lambda golden, folder: None, name="refrank") -> Adapter:
    """A port that trains nothing, by default."""
    return Adapter(name, run, functions or {}, lemmas or {})


def train(**change):
    """The trainings of refrank, some parameters changed."""
    return lambda golden, folder: record(folder, make(golden.manifest["algorithm"]).set_params(**change))


def states(card, kind="training"):
    """The states of the lines of a kind; the badge of any card has the colour of its exit code."""
    assert f'fill="{COLOURS[AGREE if card.passes else DIFFER]}"' in write_badge(card)
    return {line.name: line.state for line in card.lines if line.kind == kind and line.state != "not offered"}


def label(card):
    return ElementTree.fromstring(write_badge(card)).get("aria-label")


def test_refrank_agrees_with_itself():
    heard = []
    card = make_scorecard(offer({"hard_rank": OWN["hard_rank"]}, run=train()), names=["ls", "rf"], begin=heard.append)
    assert heard == ["ls", "rf"]
    assert states(card) == {"ls": "agrees", "rf": "agrees"}
    assert states(card, "function") == {"hard_rank": "agrees"}
    assert [(line.name, line.state) for line in card.lines if line.kind == "lemma"] == [("all", "not offered")]
    assert {line.why for line in card.lines} == {""}
    assert card.passes
    assert "refrank: agrees 3" in write_text(card)


def test_a_departure_needs_a_reason_and_pages_escape_it():
    faster, coarser = {("training", "", "step"): "faster"}, {("training", "", "bins"): "coarser"}
    for n_bins, deviations, reasons in (
        (8, {}, ""),
        (8, faster, "faster"),
        (8, {("training", "ls", "step"): "faster"}, "faster"),
        (8, {("training", "rf", "step"): "faster"}, ""),
        (8, {("training", "", "cut"): "faster"}, ""),
        (4, faster, ""),
        (4, faster | coarser, "coarser; faster"),
    ):
        port = offer({"hard_rank": OWN["hard_rank"]}, run=train(learning_rate=0.5, n_bins=n_bins), name="<b>")
        card = make_scorecard(port, deviations=deviations, names=["ls"])
        assert states(card) == {"ls": "departs" if reasons else "differs"}
        assert card.passes == bool(reasons)
        assert (f"(on purpose: {reasons})" in write_text(card)) == bool(reasons)
        document, page = json.loads(write_json(card)), write_html(card)
        assert document["counts"]["departs" if reasons else "differs"] == 1
        assert "step" in [finding["stage"] for finding in document["lines"][0]["comparison"]["findings"]]
        assert "<b>" not in page
        assert "&lt;b&gt; beside refrank" in page
        assert "1 of 2 agree" in label(card)


def test_a_training_that_ends_early_or_tells_nothing_has_no_excuse():
    def end(golden, folder):
        trace = train(learning_rate=0.5)(golden, folder)
        return replace(trace, manifest={**trace.manifest, "ended": "no memory"})

    def tell_nothing(golden, folder):
        return rewrite(folder, golden, lambda *of: None)

    for run, why in ((end, "the port ended early: no memory; "), (tell_nothing, "the port told nothing that can be")):
        card = make_scorecard(offer(run=run), deviations={("training", "", "step"): "faster"}, names=["ls"])
        assert states(card) == {"ls": "failed"}
        assert why in card.lines[0].why


def rank_few(answers):
    if len(answers) > 3:
        raise NotImplementedError
    return OWN["hard_rank"](answers)


@pytest.mark.parametrize(
    ("function", "state", "listed", "why"),
    [
        (lambda answers: OWN["hard_rank"](answers) + 1, "differs", "departs", " cases; first "),
        (lambda answers: 1 / 0, "failed", "departs", ": raised: ZeroDivisionError: division by zero"),
        (rank_few, "agrees", "agrees", " cases are not offered"),
    ],
)
def test_functions_are_judged_by_the_vectors(function, state, listed, why):
    for deviations, judged in (({}, state), ({("function", "hard_rank", ""): "counts from 1"}, listed)):
        card = make_scorecard(offer({"hard_rank": function}), deviations=deviations, names=[])
        assert states(card, "function") == {"hard_rank": judged}
        assert any(why in line.why for line in card.lines)
        assert card.passes == (state == "agrees")  # else nothing agrees


@pytest.mark.parametrize("mode", ["bitwise", "statistical"])
@pytest.mark.parametrize(
    ("step", "of_dcg", "level"),
    [
        (1.0, 1.0, 3),
        (1.0, 1 + 2**-52, 2),
        (1.0, 1 + 2**-24, 1),
        (1.0, 1 + 2**-9, None),
        (1.0, "an error", None),
        (1 - 2**-53, 1.0, 2),
        (1 + 2**-24, 1.0, 1),
        (1 + 2**-9, 1.0, 0),
        (1 + 2**-9, None, None),
        (None, 1.0, 0),
    ],
)
def test_a_level_is_held_by_everything_that_is_offered_in_any_mode(step, of_dcg, level, mode):
    """By a port whose first step, and whose DCG, are off by factors, or not offered."""
    scale = put("values", ..., lambda values: values * step)

    def run(golden, folder):
        return step and rewrite(folder, golden, edit_at("step", Place(round=1, output=0), scale))

    functions = {"dcg": lambda **of: OWN["dcg"](**of) * of_dcg} if of_dcg else {}
    card = make_scorecard(offer({"quantize": OWN["quantize"]} | functions, run=run), Mode(mode), names=["ls"])
    assert card.level == json.loads(write_json(card))["level"] == level
    assert label(card).startswith("refrank: " if level is None else f"refrank L{level}: ")
    line = f"level {'none' if level is None else f'L{level}, {MEANINGS[level]}'}"
    assert write_text(card).endswith(f"; {line})")
    assert line.replace("level ", "<p>Level: ") in write_html(card)
    assert {*METRICS} == {case.function for case in load_vectors().cases if case.id.startswith("metrics/")}


TEXTS = "it must have texts: a reason, and a stage, with or without a training, or a function, or a lemma"
OTHER_LISTS = {
    "x = ": "is not TOML",
    "x" + ".x" * 20000 + " = 1": "has a line with more than 64 dots",
    "x = 1": r"must hold tables \[\[deviation\]\], and nothing else",
    "deviation = 1": "must hold tables",
    "deviation = [1]": TEXTS,
    "[[deviation]]\nstage = 'cut'": TEXTS,
    "[[deviation]]\nstage = 'cut'\nreason = ' '": TEXTS,
    "[[deviation]]\nreason = 'x'": TEXTS,
    "[[deviation]]\nreason = 'x'\nstage = 'cut'\nfunction = 'f'": TEXTS,
    "[[deviation]]\nreason = 'x'\nstage = 'bend'": "stage of .* is 'bend': it must be one of 'data', 'bins'",
    "[[deviation]]\nreason = 'x'\nstage = 'cut'\nmore = 'x'": TEXTS,
}


@pytest.mark.parametrize("text", OTHER_LISTS)
def test_other_lists_of_deviations_are_refused(tmp_path, text):
    (tmp_path / "deviations.toml").write_text(text)
    with pytest.raises(ValueError, match=OTHER_LISTS[text]):
        read_deviations(str(tmp_path / "deviations.toml"))


def test_lemmas_are_judged_by_instances(tmp_path):
    lemmas = {"dcg": lambda y, score: -dcg(y, score), "err": lambda y, score: 1 / 0, "oerr": oerr}
    card = make_scorecard(offer(lemmas=lemmas), names=[])
    of_name, whys = states(card, "lemma"), {line.name: line.why for line in card.lines}
    assert of_name["mcrank.lemma1.step2"] == "differs"
    assert of_name["igbrt.perfect_ranker"] == "failed"
    assert of_name["cocr.oerr.variant-v-shaped, oerr"] == "agrees"
    assert " is false, at ranked=([" in whys["mcrank.lemma1.step2"]
    assert whys["igbrt.perfect_ranker"].startswith("ZeroDivisionError: division by zero, at ranked=(n=2, ")
    assert "differs   lemma mcrank.lemma1.step2: DCG of a ranking: " in write_text(card)
    assert "<tr><td>lemma</td><td>mcrank.lemma1.step2</td>" in write_html(card)
    wrong, path = {name for name in of_name if of_name[name] in ("differs", "failed")}, tmp_path / "deviations.toml"
    path.write_text("".join(f"[[deviation]]\nlemma = '{name}'\nreason = 'costs, not gains'\n" for name in wrong))
    card = make_scorecard(offer(lemmas=lemmas), deviations=read_deviations(str(path)), names=[])
    assert {name for name, state in states(card, "lemma").items() if state == "departs"} == wrong


def test_the_workflow_is_shown_and_its_command_runs(tmp_path, monkeypatch, capsys):
    workflow = (ROOT / "yardstick" / "clients" / "workflow.yml").read_text()
    assert f"\n```yaml\n{workflow}```\n" in (ROOT / "docs" / "port" / "another_language.md").read_text()
    monkeypatch.chdir(tmp_path)
    Path("port.py").write_text("from yardstick.vectors.own import OWN\nFUNCTIONS = {'dcg': OWN['dcg']}")
    monkeypatch.setattr("yardstick.scorecard.trainings.TRAININGS", {"ls": TRAININGS["ls"]})
    [command], [folder] = (re.findall(of, workflow) for of in (r"- run: refrank (conform run .*)", r"path: (\w+)"))
    assert main(command.split()) == 0
    said = capsys.readouterr()
    assert "level L0, metrics)" in said.out
    assert said.err == "ls ...\n"
    assert {path.name for path in Path(folder).iterdir()} == {"scorecard.json", "scorecard.html", "badge.svg"}
    assert 'aria-label="refrank L0: 1 of 1 agree"' in Path(folder, "badge.svg").read_text()
    faults = {"--only ndcg": "--only is 'ndcg': it must be one of 'ls'", "--ulps 1": "--ulps does not work"}
    for flags, fault in faults.items():
        assert main([*command.split(), *flags.split()]) == 2
        assert fault in capsys.readouterr().err


@NEEDS_COMPILER
def test_the_port_in_c_agrees(tmp_path, monkeypatch):
    card = make_scorecard(load_port(tmp_path / "port", monkeypatch), names=["gbrt", "lad"])
    assert (card.port, card.level, card.passes) == ("the port in C", HIGHEST, True)
    assert states(card, "lemma")["trees.ls_training_error"] == "agrees"
