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
from tests.yardstick.libraries import NEEDS_COMPILER, PORT, build_port, change
from tests.yardstick.trainings import changed, make, record, rewrite
from yardstick.divergence.comparison import Mode
from yardstick.scorecard.adapters import Adapter, load_adapter
from yardstick.scorecard.card import AGREE, DIFFER, STATES, CardLine, Scorecard, judge_lemmas, make_scorecard
from yardstick.scorecard.deviations import Deviation, read_deviations
from yardstick.scorecard.levels import HIGHEST, MEANINGS
from yardstick.scorecard.pages import COLOURS, write_badge, write_html, write_json, write_text
from yardstick.scorecard.trainings import TRAININGS
from yardstick.traces.stages import Place
from yardstick.vectors.own import OWN

ROOT = Path(__file__).parents[2]


def refrank_itself(name="refrank", **change) -> Adapter:
    """A port that is refrank, some parameters changed."""

    def run(golden, folder):
        return record(folder, make(golden.manifest["algorithm"]).set_params(**change))

    return Adapter(name, run, {"hard_rank": OWN["hard_rank"]})


def offer(functions=None, lemmas=None, run=lambda golden, folder: None) -> Adapter:
    """A port that trains nothing, by default."""
    return Adapter("x", run, functions or {}, lemmas or {})


def states(card, kind="training"):
    return {line.name: line.state for line in card.lines if line.kind == kind and line.state != "not offered"}


def test_refrank_agrees_with_itself():
    heard = []
    card = make_scorecard(refrank_itself(), names=["ls", "rf"], begin=heard.append)
    assert heard == ["ls", "rf"]
    assert states(card) == {"ls": "agrees", "rf": "agrees"}
    assert states(card, "function") == {"hard_rank": "agrees"}
    assert [(line.name, line.state) for line in card.lines if line.kind == "lemma"] == [("all", "not offered")]
    assert {line.why for line in card.lines} == {""}
    assert card.passes
    assert "refrank: agrees 3" in write_text(card)


def test_a_departure_needs_a_reason():
    faster, coarser = Deviation("faster", stage="step"), Deviation("coarser", stage="bins")
    for n_bins, deviations, state in (
        (8, [], "differs"),
        (8, [faster], "departs"),
        (8, [replace(faster, training="ls")], "departs"),
        (8, [replace(faster, training="rf")], "differs"),
        (8, [replace(faster, stage="cut")], "differs"),
        (4, [faster], "differs"),
        (4, [faster, coarser], "departs"),
    ):
        card = make_scorecard(refrank_itself(learning_rate=0.5, n_bins=n_bins), deviations=deviations, names=["ls"])
        assert states(card) == {"ls": state}
        assert card.passes == (state == "departs")
        reason = "coarser; faster" if n_bins == 4 else "faster"
        assert (f"(on purpose: {reason})" in write_text(card)) == (state == "departs")


def test_a_training_that_ends_early_or_tells_nothing_has_no_excuse():
    def end(golden, folder):
        trace = refrank_itself(learning_rate=0.5).run(golden, folder)
        return replace(trace, manifest={**trace.manifest, "ended": "no memory"})

    def tell_nothing(golden, folder):
        return rewrite(folder, golden, lambda *of: None)

    for run, why in ((end, "the port ended early: no memory; "), (tell_nothing, "the port told nothing that can be")):
        card = make_scorecard(offer(run=run), deviations=[Deviation("faster", stage="step")], names=["ls"])
        assert states(card) == {"ls": "failed"}
        assert why in card.lines[0].why
    assert not make_scorecard(offer(), names=["ls"]).passes


def fail(answers):
    raise ChildProcessError("it ended the process")


def rank_few(answers):
    if len(answers) > 3:
        raise NotImplementedError
    return OWN["hard_rank"](answers)


@pytest.mark.parametrize(
    ("function", "state", "listed", "why"),
    [
        (lambda answers: OWN["hard_rank"](answers) + 1, "differs", "departs", " cases; first "),
        (fail, "failed", "departs", ": raised: ChildProcessError: it ended the process"),
        (rank_few, "agrees", "agrees", " cases are not offered"),
    ],
)
def test_functions_are_judged_by_the_vectors(function, state, listed, why):
    for deviations, judged in (([], state), ([Deviation("counts from 1", function="hard_rank")], listed)):
        card = make_scorecard(offer({"hard_rank": function}), deviations=deviations, names=[])
        assert states(card, "function") == {"hard_rank": judged}
        assert any(why in line.why for line in card.lines)
        assert card.passes == (state == "agrees")  # else nothing agrees


def test_pages_hold_the_lines_and_escape_them():
    card = make_scorecard(refrank_itself('<b>"port"</b>', learning_rate=0.5), names=["ls"])
    document = json.loads(write_json(card))
    assert document["counts"]["differs"] == 1
    assert document["lines"][0]["comparison"]["findings"][0]["stage"] == "step"
    page = write_html(card)
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "all values are 10 times" in page
    assert "1 of 2 agree" in ElementTree.fromstring(write_badge(card)).get("aria-label")


@pytest.mark.parametrize(
    ("step", "of_dcg", "level"),
    [
        (1.0, 1.0, 3),
        (1.0, None, 3),
        (1.0, 1 + 2**-52, 2),
        (1.0, 1 + 2**-24, 1),
        (1.0, 1 + 2**-9, None),
        (1.0, "an error", None),
        (1 - 2**-53, 1.0, 2),
        (1 + 2**-24, 1.0, 1),
        (1 + 2**-9, 1.0, 0),
        (1 + 2**-9, None, None),
        (None, 1.0, 0),
        (None, None, None),
    ],
)
def test_a_level_is_held_by_everything_that_is_offered(step, of_dcg, level):
    """By a port whose first step, and whose DCG, are off by factors, or not offered."""

    def scale(arrays):
        arrays["values"] *= step

    def run(golden, folder):
        return step and changed(folder, make("ls"), "step", Place(round=1, output=0), scale)

    functions = {"dcg": lambda **of: OWN["dcg"](**of) * of_dcg} if of_dcg else {}
    card = make_scorecard(offer({"quantize": OWN["quantize"]} | functions, run=run), names=["ls"])
    assert card.level == level
    title = "refrank" if level is None else f"refrank L{level}"
    assert ElementTree.fromstring(write_badge(card)).get("aria-label").startswith(f"{title}: ")
    assert json.loads(write_json(card))["level"] == level
    line = f"level {'none' if level is None else f'L{level}, {MEANINGS[level]}'}"
    assert write_text(card).endswith(f"; {line})")
    assert line.replace("level ", "<p>Level: ") in write_html(card)


@pytest.mark.parametrize("mode", ["bitwise", "statistical"])
def test_the_level_does_not_depend_on_the_mode_of_the_scorecard(mode):
    functions = {"quantize": lambda x, cuts: OWN["quantize"](x, cuts) + 1}
    assert make_scorecard(refrank_itself(), Mode(mode), names=["ls"]).level == HIGHEST
    card = make_scorecard(replace(refrank_itself(), functions=functions), Mode(mode), names=["ls"])
    assert card.level == HIGHEST - 1  # "every bit" is of every function


def test_the_badge_has_the_colour_of_the_exit_code():
    """A port that passes is green, also with departures; any other is red, also if it offers nothing."""
    agrees, departs, differs, fails = (CardLine("training", state, state) for state in STATES[:4])
    for lines in ((agrees,), (agrees, departs)):
        assert f'fill="{COLOURS[AGREE]}"' in write_badge(Scorecard("port", Mode(), lines))
    for lines in ((), (departs,), (agrees, differs), (agrees, departs, fails)):
        assert f'fill="{COLOURS[DIFFER]}"' in write_badge(Scorecard("port", Mode(), lines))
    assert COLOURS[AGREE] != COLOURS[DIFFER]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x = ", "is not TOML"),
        ("x" + ".x" * 20000 + " = 1", "has a line with more than 64 dots"),
        ("x = 1", r"must hold tables \[\[deviation\]\], and nothing else"),
        ("deviation = 1", "must hold tables"),
        ("deviation = [1]", "must have texts named reason"),
        ("[[deviation]]\nstage = 'cut'", "deviation 1 has no reason"),
        ("[[deviation]]\nstage = 'cut'\nreason = ' '", "deviation 1 has no reason"),
        ("[[deviation]]\nreason = 'x'", "either a stage, of trainings, or a function, of vectors, or a lemma"),
        ("[[deviation]]\nreason = 'x'\nstage = 'cut'\nfunction = 'f'", "either a stage"),
        ("[[deviation]]\nreason = 'x'\nstage = 'bend'", "stage of .* is bend: it must be one of data, bins"),
        ("[[deviation]]\nreason = 1\nstage = 'cut'", "must have texts named reason"),
        ("[[deviation]]\nreason = 'x'\nstage = 'cut'\nmore = 'x'", "must have texts named reason"),
    ],
)
def test_other_lists_of_deviations_are_refused(tmp_path, text, fault):
    path = tmp_path / "deviations.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=fault):
        read_deviations(str(path))


def test_lemmas_are_judged_by_instances(tmp_path):
    lemmas = {"dcg": lambda y, score: -dcg(y, score), "err": lambda y, score: 1 / 0, "oerr": oerr}
    card = make_scorecard(offer(lemmas=lemmas), names=[])
    of_name, whys = states(card, "lemma"), {line.name: line.why for line in card.lines}
    assert of_name["mcrank.lemma1.step2"] == "differs"
    assert of_name["igbrt.perfect_ranker"] == "failed"
    assert of_name["cocr.oerr.variant-v-shaped, oerr"] == "agrees"
    assert " is false, at ranked=([" in whys["mcrank.lemma1.step2"]
    assert whys["igbrt.perfect_ranker"].startswith("ZeroDivisionError: division by zero, at ranked=(n=2, ")
    assert not card.passes
    assert "differs   lemma mcrank.lemma1.step2: DCG of a ranking: " in write_text(card)
    assert "<h2>Lemmas, on instances that are drawn</h2>" in write_html(card)
    wrong = {name for name, state in of_name.items() if state in ("differs", "failed")}
    path = tmp_path / "deviations.toml"
    path.write_text("".join(f"[[deviation]]\nlemma = '{name}'\nreason = 'costs, not gains'\n" for name in wrong))
    card = make_scorecard(offer(lemmas=lemmas), deviations=read_deviations(str(path)), names=[])
    assert {name for name, state in states(card, "lemma").items() if state == "departs"} == wrong
    assert card.passes


@NEEDS_COMPILER
def test_a_lemma_catches_a_mistake_of_the_port_in_c(tmp_path, monkeypatch):
    mistake = change("forest.c", "scores[i] /= (double)n_trees;", ";")
    monkeypatch.setenv("REFRANK_PORT", str(build_port(tmp_path / "port", mistake)))
    port = load_adapter(str(PORT / "adapter.py"))
    forest = replace(port, lemmas={"random_forest": port.lemmas["random_forest"]})
    lines = {line.name: line for line in judge_lemmas(forest) if line.state != "not offered"}
    assert {line.state for line in lines.values()} == {"differs"}
    assert "the highest prediction and the highest label" in lines["trees.predictions_in_range.variant-forest"].why


def test_the_workflow_is_shown_and_its_command_runs(tmp_path, monkeypatch, capsys):
    workflow = (ROOT / "yardstick" / "clients" / "workflow.yml").read_text()
    assert f"\n```yaml\n{workflow}```\n" in (ROOT / "docs" / "port" / "another_language.md").read_text()
    monkeypatch.chdir(tmp_path)
    Path("port.py").write_text("from yardstick.vectors.own import OWN\nFUNCTIONS = {'dcg': OWN['dcg']}")
    monkeypatch.setattr("yardstick.scorecard.trainings.TRAININGS", {"ls": TRAININGS["ls"]})
    [command] = re.findall(r"- run: refrank (conform run .*)", workflow)
    assert main(command.split()) == 0
    assert "level L0, metrics)" in capsys.readouterr().out
    [folder] = re.findall(r"path: (\w+)", workflow)
    assert 'aria-label="refrank L0: 1 of 1 agree"' in Path(folder, "badge.svg").read_text()


@NEEDS_COMPILER
def test_the_command_asks_the_port_in_c(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REFRANK_PORT", str(build_port(tmp_path / "port")))
    command, out = ["conform", "run", str(PORT / "adapter.py")], tmp_path / "card"
    assert main([*command, "--only", "gbrt", "lad", "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "agrees    training gbrt" in said.out
    assert "agrees    lemma trees.ls_training_error\n" in said.out
    assert "the port in C: " in said.out
    assert "gbrt ...\nlad ...\n" in said.err
    assert json.loads((out / "scorecard.json").read_text())["passes"] is True
    assert {path.name for path in out.iterdir()} == {"scorecard.json", "scorecard.html", "badge.svg"}
    assert main([*command, "--only", "ndcg"]) == 2
    assert "--only is 'ndcg': it must be one of 'softmax'" in capsys.readouterr().err
    assert main([*command, "--mode", "bitwise", "--ulps", "1"]) == 2
