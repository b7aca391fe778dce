"""The table: its rows, what they say of themselves, and what the command prints and writes."""

import json
import re
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import proofs_check
from proofs_check import group_statements, list_rows
from proofs_check.__main__ import main
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.implementation import NAMES, load
from proofs_check.engine.records import CI, CITED, IMPLIED, OURS, PRINTED, PROSE, SMT, Finding, Line, Row, table
from proofs_check.engine.search import examine

SETTLED = (
    *("mcrank.lemma1", "mcrank.eq6", "mcrank.eq8", "mcrank.cushion", "mcrank.sum_of_scores"),
    *("cossock_zhang.thm2", "igbrt.theorem1", "igbrt.perfect_ranker"),
    *("cocr.theorem1", "cocr.theorem2", "cocr.oerr", "lin_li.reduction"),
    *("new.err_below_rr_dcg", "new.err_oerr", "new.dcg_threshold", "new.min_pairing", "new.end_to_end"),
    *("trees.ls_training_error", "trees.predictions_in_range", "trees.best_first_is_depth_first"),
    *("trees.histogram_is_exact_split", "trees.monotone_transforms", "trees.duplicated_rows"),
    *("trees.permuted_rows", "trees.permuted_features"),
)
ROOT = Path(proofs_check.__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
MY_ROWS = dedent(
    GUIDE[GUIDE.index('    """New: twice the errors') : GUIDE.index("`python -m proofs_check --module my_rows`")]
)
KEYS = (
    *("id", "paper", "statement", "step", "source", "where", "proof", "kind", "formal"),
    *("verdict", "counterexample", "max_ratio", "ratio_at", "mean_ratio", "exhaustive_n", "instances", "may_shrink"),
)


def most_errors(r):
    return Comparison(r.errors, np.full(r.m, 3))


def test_every_statement_has_its_rows():
    grouped = group_statements()
    assert set(SETTLED) <= set(grouped)
    ids = [row.id for row in list_rows()]
    assert len(ids) == len(set(ids))
    for name, rows in grouped.items():
        assert rows[0].id == name, "the bare statement comes first"
        printed = [int(row.id.rpartition("step")[2]) for row in rows if ".step" in row.id]
        assert printed == list(range(1, len(printed) + 1))
        assert all(row.id.split(".")[2].startswith(("step", "variant-")) for row in rows[1:])


def test_a_table_names_its_rows():
    lines = Line("", "s", "", most_errors), Line("step1", "t", "line 1", most_errors, CITED, "Sec. 2", "here")
    variants = Line("variant-a", "u", "", most_errors), Line("variant-b", "v", "", most_errors, IMPLIED)
    rows = table("a.lemma", "A", *lines, *variants, where="Sec. 1", proof="there")
    assert [(row.id, row.paper, row.statement, row.step, row.source, row.where, row.proof) for row in rows] == [
        ("a.lemma", "A", "s", "", PRINTED, "Sec. 1", "there"),
        ("a.lemma.step1", "A", "t", "line 1", CITED, "Sec. 2", "here"),
        ("a.lemma.variant-a", "A", "u", "", OURS, "", "there"),
        ("a.lemma.variant-b", "A", "v", "", IMPLIED, "Sec. 1", "there"),
    ]


@pytest.mark.parametrize(
    ("source", "verdict"), [(PRINTED, "refuted"), (CITED, "refuted"), (IMPLIED, "fails"), (OURS, "fails")]
)
def test_only_what_is_printed_is_refuted(source, verdict):
    row = Row("a.lemma", "A", "errors <= 3", "", lambda effort: examine(most_errors, effort), source)
    assert row.find(CI).verdict == verdict


def test_every_row_says_where_it_is_from_and_where_its_proof_is():
    headings = {str(file.relative_to(ROOT)): headings_of(file) for file in (ROOT / "docs").rglob("*.md")}
    for row in list_rows():
        assert (row.source == OURS) == (row.where == ""), row.id
        assert re.match(r"((McRank|COCR) )?(Sec|App)[.] .|\w[\w .]* \d{4}, Abstract: .|$", row.where), row.id
        file, _, heading = row.proof.partition(", ")
        if file.startswith("docs/"):
            assert heading in headings[file], row.proof
        else:
            assert row.proof.startswith("docstring of proofs_check."), row.proof
        assert row.kind in (PROSE, SMT) or row.kind.startswith("smt n <= "), row.id


def headings_of(file):
    return [line.lstrip("# ") for line in file.read_text("utf-8").splitlines() if line.startswith("#")]


def test_a_statement_in_a_new_folder_is_found(tmp_path, monkeypatch, capsys):
    """A module with `ROWS` is all that a new statement needs, whatever its prefix."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "__init__.py").touch()
    (tmp_path / "elsewhere" / "lemma.py").write_text(MY_ROWS.replace("my.lemma", "elsewhere.lemma"), encoding="utf-8")
    monkeypatch.setattr(proofs_check, "__path__", [*proofs_check.__path__, str(tmp_path)])
    try:
        assert list(group_statements())[-1] == "elsewhere.lemma"
        assert main(["--statement", "elsewhere.lemma"]) == 0
    finally:
        for name in ("proofs_check.elsewhere.lemma", "proofs_check.elsewhere"):
            sys.modules.pop(name, None)
    assert "elsewhere.lemma" in capsys.readouterr().out


def test_json_has_the_keys_and_the_findings(tmp_path, capsys):
    file = tmp_path / "table.json"
    assert main(["--statement", "igbrt.perfect_ranker", "--json", str(file)]) == 0
    records = json.loads(file.read_text(encoding="utf-8"))
    assert all(set(record) - {"grades"} == set(KEYS) for record in records)
    assert [record["id"] for record in records] == [row.id for row in group_statements()["igbrt.perfect_ranker"]]
    assert records[0]["verdict"] == "holds"
    assert [records[0][key] for key in ("exhaustive_n", "max_ratio", "counterexample")] == [5, 1.0, None]
    printed = capsys.readouterr().out
    assert "igbrt.perfect_ranker.variant-cut-off" in printed
    assert "n <= 5  left/right 1.0000" in printed


def test_an_unknown_statement_names_the_known_ones(capsys):
    assert main(["--statement", "igbrt.theorem2"]) == 2
    assert "--statement is 'igbrt.theorem2': it must be one of mcrank.cushion" in capsys.readouterr().err


def test_what_an_implementation_lacks_is_none():
    assert load("refrank.metrics").dcg is not None
    assert load("refrank.metrics").class_proba is None
    assert {name for name in NAMES if getattr(load(None), name)} >= {"dcg", "err"}


def test_a_finding_is_written_as_it_is():
    row = next(iter(list_rows()))
    below = Finding("holds", None, 1 / 3, "there", 1 / 4, 2, 4, may_shrink=2 / 3)
    record = row.as_record(Finding("refuted", "n=2: 1 > 0", 1.5, "", 0.5, 2, 10, {1: below}))
    assert [record[key] for key in ("verdict", "counterexample", "max_ratio")] == ["refuted", "n=2: 1 > 0", 1.5]
    assert record["grades"]["1"]["max_ratio"] == 0.333333333
    assert record["grades"]["1"]["may_shrink"] == 0.666666667


def test_a_module_elsewhere_is_settled(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_rows.py").write_text(MY_ROWS, encoding="utf-8")
    (tmp_path / "no_rows.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["--module", "my_rows"]) == 0
    printed = capsys.readouterr().out
    assert "my.lemma" in printed
    assert "docstring of my_rows" in printed
    assert "mcrank" not in printed
    for module, message in (("no_rows", "it must have ROWS"), ("not_there", "No module named 'not_there'")):
        assert main(["--module", module]) == 2
        assert message in capsys.readouterr().err
