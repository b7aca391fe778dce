"""Well-known programs as ports: their pages tell whole trainings, and docs/port/peers.md has them all."""

import pytest

from generators.peers import DOCUMENT, FOLDER, OFFERED, PAPER, PROGRAMS, judge_program
from yardstick.divergence.comparing import compare_traces
from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.page import read_page
from yardstick.traces.reader import index_records

TOLD = {"start", "partition", "scores", "prediction", "order"}


def find_row(start):
    """Find a row of the document by the start of its first cell; return its other cells."""
    [row] = (line for line in DOCUMENT.read_text().splitlines() if line.startswith(f"| {start}"))
    return row.strip("| ").split(" | ")[1:]


@pytest.mark.parametrize("page", PROGRAMS)
def test_a_program_tells_whole_trainings_and_its_formulas_and_offers_no_others(golden_of, tmp_path, page):
    pytest.importorskip(PROGRAMS[page])
    port, defined = load_adapter(str(FOLDER / f"{page}.py")), read_page(str(FOLDER / f"{page}.py"))
    for name in (OFFERED[0], OFFERED[-1]):
        theirs = port.run(golden_of(name), tmp_path / name)
        comparison = compare_traces(golden_of(name), theirs)
        assert comparison.besides == ()
        assert {stage for stage, of in comparison.counts.items() if of.keys() != {"not offered"}} >= TOLD
        assert not any("beyond" in of for of in comparison.counts.values())
        for (stage, _), record in index_records(theirs).items():
            assert stage != "partition" or sorted(record.values("rows").tolist()) == list(range(150))
        if name == "ls":
            assert set(comparison.counts["order"]) <= {
                "agrees",
                "not offered",
            }  # float32 tells these rows apart in the same order
    assert [port.run(golden_of(name), tmp_path / name) for name in ("softmax", "rf", "lad")] == [None] * 3
    assert find_row(f"{defined['NAME']} | {defined['FORMULAS']['start']}") == [defined["FORMULAS"][of] for of in PAPER]
    assert len(find_row(f"[{defined['NAME']}](../../examples/peers/{page}.py)")) == len(OFFERED) + 1


@pytest.mark.parametrize("page", ["gradient_boosting", "hist_gradient_boosting"])
def test_a_program_holds_its_levels(tmp_path, page):
    """GradientBoosting cuts otherwise than refrank where cuts gain equally: this is lawful."""
    judged = list(judge_program(page, tmp_path))
    [_, *cells] = find_row(f"[{read_page(str(FOLDER / f'{page}.py'))['NAME']}](")
    assert [f"L{level}" if level else "none" for _, level, _ in judged] == cells
    assert [not why for _, _, why in judged] == [level > 0 for _, level, _ in judged]
