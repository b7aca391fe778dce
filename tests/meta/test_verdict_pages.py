"""The pages of what is proved, tested and refuted have every finding of proofs_check, with its case if it is false."""

import json
import re

import pytest

from docs.site import verdicts
from docs.site.source import render

ROWS = json.loads(verdicts.PINNED.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    verdicts.write(folder)
    return {file.stem: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def test_each_row_stands_once_with_its_verdict_and_its_counterexample(pages):
    anchors = [anchor for page in pages.values() for anchor in re.findall(r"(?m)^\((.*)\)=$", page)]
    assert sorted(anchors) == sorted({verdicts.make_anchor(row["id"]) for row in ROWS})
    assert len(anchors) == len(ROWS)
    for row in ROWS:
        page = pages[f"verdicts_{row['id'].split('.')[0]}"]
        section = page.partition(f"({verdicts.make_anchor(row['id'])})=\n")[2].partition("\n(")[0]
        assert section.startswith(f"### {row['verdict'].capitalize()}: {row['id']}\n"), row["id"]
        assert verdicts.quote(row["statement"]) in section
        assert (row["counterexample"] or "Proof: ") in section


def test_a_row_shows_the_statements_of_its_theorems_and_leads_to_them(pages):
    (row,) = (row for row in ROWS if row["id"] == "new.err_below_rr_dcg")
    section = pages["verdicts_new"].partition("(verdict-new-err_below_rr_dcg)=\n")[2].partition("\n(")[0]
    assert "```coq\nerr_below_rr_dcg\n     : forall (R : realFieldType)" in section
    line = int(re.search(r'source/proofs_check/formal/Bounds\.v\.html#L(\d+)"', section)[1])
    source = (verdicts.FOLDER / "Bounds.v").read_text(encoding="utf-8").splitlines()
    assert source[line - 1].startswith("Theorem err_below_rr_dcg ")
    assert "For every n, by the kernel of Coq" not in "".join(verdicts.list_evidence(row | {"formal": ""}))


def test_the_source_of_a_theorem_is_read_as_coq():
    pytest.importorskip("pygments", reason="Pygments is not installed: pip install 'refrank[docs]'")
    assert '<span class="kn">Theorem</span>' in render("Bounds.v", "Theorem a : 0 = 0.")  # not as Verilog


def test_the_first_page_counts_the_rows_by_what_supports_them(pages):
    numbers = re.findall(r"(?m)^\| (\d+) \| (?:true|false)", pages["verdicts"])
    assert sum(map(int, numbers)) == len(ROWS)


def test_the_first_page_counts_the_rows_and_lists_what_is_false(pages):
    numbers = re.findall(r"(?m)^\| \[.*\]\(verdicts_\w+\.md\) \| (.*) \|$", pages["verdicts"])
    assert sum(int(number) for line in numbers for number in line.split(" | ")) == len(ROWS)
    for row in ROWS:
        assert (f"- [{row['id']}](" in pages["verdicts"]) == (
            row["verdict"] in ("refuted", "fails") or (row["verdict"] == "holds, vacuous" and row["source"] != "ours")
        ), row["id"]


def test_a_row_leads_to_its_place_and_to_its_proof():
    (step,) = (row for row in ROWS if row["id"] == "igbrt.theorem1.step2")
    evidence = list(verdicts.list_evidence(step))
    assert "([annotated](annotated_igbrt.md#igbrt-eq-7))" in evidence[0]
    assert "For all reals, by an SMT solver n <= 3" in evidence
    assert "(../reference/errata.md#" in " ".join(evidence)
