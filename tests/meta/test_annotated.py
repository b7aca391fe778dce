"""docs/papers/*.toml has the steps of the papers, and the annotated papers are made from them and from the map."""

import pytest

from docs.site import annotated
from docs.site.corrections import list_corrections
from docs.site.live import RANKERS
from docs.site.places import CONTENTS, Implementation, name_anchor
from tests.meta.contents import CLAIMS, LINES, NOT_CODE
from yardstick.traces.stages import STAGES

FORMULAS = tuple(algorithm for algorithm in (*LINES, "COCR Alg. 1"))  # and what is numbered


def needs_formula(place):
    return place.startswith(FORMULAS) or any(f" {kind} " in place for kind in ("Eq.", "Lemma", "Theorem", "Definition"))


def list_faults(steps, contents):
    """List the places of a paper without words or a formula, and the entries that are no place or show no stage."""
    faults = [f"{place} is no place of its paper" for place in steps if place not in contents]
    for place in contents:
        step = steps.get(place, {})
        if not step.get("words") and place not in CLAIMS:
            faults.append(f"{place} has no words")
        if needs_formula(place) and "tex" not in step:
            faults.append(f"{place} has no formula")
        ranker, stage = step.get("live", ("softmax", "data"))
        if ranker not in RANKERS or stage not in STAGES or step.keys() - {"part", "words", "tex", "live"}:
            faults.append(f"{place} shows {ranker}, {stage} and has {', '.join(step)}")
    return faults


@pytest.mark.parametrize("paper", CONTENTS)
def test_each_step_is_a_place_and_each_place_has_its_words_and_its_formula(paper):
    steps = dict(annotated.read_steps(paper))
    assert list_faults(steps, CONTENTS[paper]) == []
    assert list(steps) == [place for place in CONTENTS[paper] if place in steps], "in the paper's order"
    equation = next(place for place in steps if " Eq. " in place)
    del steps[equation]
    steps["McRank Alg. 1, line 10"] = {"words": "The end."}
    expected = [
        "McRank Alg. 1, line 10 is no place of its paper",
        f"{equation} has no words",
        f"{equation} has no formula",
    ]
    assert list_faults(steps, CONTENTS[paper]) == expected


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    annotated.write(folder)
    return {paper: (folder / f"annotated_{paper}.md").read_text(encoding="utf-8") for paper in CONTENTS}


def take_section(page, place):
    return page.partition(f"({name_anchor(place)})=\n")[2].partition("\n(")[0]


@pytest.mark.parametrize("paper", CONTENTS)
def test_each_place_is_an_anchor_in_the_order_of_the_paper(pages, paper):
    anchors = [line[1:-2] for line in pages[paper].splitlines() if line.startswith("(") and line.endswith(")=")]
    assert anchors == [name_anchor(place) for place in CONTENTS[paper]]
    assert "nan" not in pages[paper].lower().split()


def test_line_6_is_told_shown_computed_corrected_and_tested(pages):
    section = take_section(pages["mcrank"], "McRank Alg. 1, line 6")
    for part in (
        r"\beta_{j,k,m} = \frac{K-1}{K}",
        "| c f | b e | a d g h |",
        "| -1 | 2 | 0.5 |",
        "# McRank Alg. 1, line 6\ncurvature = compute_curvature(proba, leaves.engine)  # p (1 - p), (n_samples,)\n",
        ":class: warning\n\nMissing parentheses. *Printed*: the sum over a leaf",
        "errata.md#mcrank-alg-1-line-6-and-alg-2-line-4-missing-parentheses",
        "<code>test_scores_equal_the_transcription_of_algorithm_1</code>",
    ):
        assert part in section, part
    assert "McRank Alg. 1, line 7" not in section, "the next reference ends the lines"


def test_the_page_of_steps_shows_every_line_of_the_algorithms_that_it_runs():
    shown = annotated.read_shown_places()
    lines = {f"McRank Alg. 1, line {n}" for n in range(8)} | {f"iGBRT Alg. 1, line {n}" for n in (1, 2, 3, 5)}
    assert lines | {"McRank Alg. 2, line 5", "McRank Sec. 4", "iGBRT Alg. 3, line 9", "COCR Eq. 6"} <= shown
    assert "McRank Alg. 1, line 8" not in shown


def test_a_link_leads_to_the_page_of_steps_where_it_shows_the_place(monkeypatch, tmp_path):
    (tmp_path / "frames.js").write_text('const place = "McRank Alg. 1, line 6";\n')
    monkeypatch.setattr(annotated, "FRAMES", tmp_path)
    assert annotated.read_shown_places() == {"McRank Alg. 1, line 6"}
    nothing = Implementation([], [])
    for place, shown in ("McRank Alg. 1, line 6", True), ("McRank Alg. 1, line 7", False):
        text = "\n".join(annotated.describe_place(place, {"words": "."}, nothing, [], annotated.read_shown_places()))
        assert ('<a href="../step.html#place=McRank%20Alg.%201%2C%20line%206">' in text) == shown


@pytest.mark.parametrize("paper", CONTENTS)
def test_each_place_has_its_code_or_the_reason_why_it_has_none(pages, paper):
    for place in CONTENTS[paper]:
        section = take_section(pages[paper], place)
        assert ("*No code of its own*" in section) == (place in NOT_CODE), place
        assert place in NOT_CODE or ("#L" in section and "**Tests:** <a" in section), place


def test_corrections_are_found_by_the_places_that_they_name():
    entries = list_corrections()
    named = {(entry.page, entry.words[:40]) for entry in entries if entry.names("McRank Alg. 1, line 4")}
    assert {page for page, _ in named} == {"departures", "errata"}
    assert any(entry.names("COCR Eq. 12") for entry in entries)
    assert not any(entry.names("McRank Eq. 12") for entry in entries)
