"""Theorems that Coq checks: rows, names and statements hold together, and `check` refuses what is not proved."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from proofs_check import formal, list_rows
from proofs_check.__main__ import main
from proofs_check.engine.records import HOLDS, IDENTITY, VACUOUS, count_kinds
from proofs_check.formal.claims import name_examples
from proofs_check.formal.theorems import FOLDER, name_theorems, read_statements, read_theorems
from proofs_check.formal.trust import find_faults
from proofs_check.formal.vectors import write_vectors
from proofs_check.tests.test_verdicts import PINNED
from tests.regenerate import renew_with

ROOT = FOLDER.parents[1]
THEOREMS = read_theorems()
CHECK = FOLDER / "check"
needs_coq = pytest.mark.skipif(not shutil.which("coqc"), reason="coqc is not installed: see proofs_check/formal/check")


def test_a_theorem_names_rows_that_are_true_and_an_example_rows_that_are_false():
    for theorem in THEOREMS:
        for row in theorem.rows:
            assert row in PINNED, f"{theorem.file} {theorem.name}: the table has no row {row}"
            verdict = PINNED[row]["verdict"]
            holds = verdict in (HOLDS, IDENTITY, VACUOUS)
            assert holds != theorem.refutes, f"{theorem.file} {theorem.name}: {row} {verdict}"


def test_the_table_names_theorems_and_examples():
    names = {**name_theorems(), **name_examples()}
    assert {row.id: row.formal for row in list_rows() if row.formal} == names
    assert all(PINNED[row]["counterexample"] for row in name_examples())
    assert {row: record["formal"] for row, record in PINNED.items() if record["formal"]} == names


def test_each_theorem_has_its_printed_statement():
    named = {theorem.name for theorem in THEOREMS} | {name.split()[1] for name in name_examples().values()}
    assert read_statements().keys() == named, renew_with("proofs_check/formal/statements.txt")


def test_each_theorem_names_its_rows_and_nothing_is_left_unproved():
    assert list(find_faults(FOLDER)) == []


def test_the_chapter_names_each_true_row_without_a_theorem():
    chapter = (ROOT / "docs/prove/formal.md").read_text(encoding="utf-8")
    named = set()
    for listed in re.findall(r"\[([a-z_]+\.[^]]+)\]", chapter[chapter.index("## What is not proved here") :]):
        first, *others = re.split(r",\s+", listed)
        statement = ".".join(first.split(".")[:2])
        named |= {first, *(statement + other for other in others)}
    assert named == {row for row, record in PINNED.items() if not record["formal"]}


def test_the_chapter_quotes_a_theorem():
    chapter = (ROOT / "docs/prove/formal.md").read_text(encoding="utf-8")
    quoted = re.search(r"```coq\n(.*?)```", chapter, re.S)[1]
    assert quoted in (FOLDER / "Bounds.v").read_text(encoding="utf-8")


def test_the_folder_lists_its_files():
    files = {path.name for path in FOLDER.glob("*.v") if not path.name.startswith("Claims")}
    assert files <= set(re.findall(r"\w+\.v", formal.__doc__))


def test_the_table_prints_the_theorems_and_counts(capsys):
    assert main(["--statement", "new.err_below_rr_dcg"]) == 0
    printed = capsys.readouterr().out
    assert "(prose; formal: Bounds.v err_below_rr_dcg)" in " ".join(printed.split())
    counts = count_kinds(record for id, record in PINNED.items() if id.startswith("new.err_below_rr_dcg"))
    assert printed.splitlines()[-1] == ", ".join(f"{kind} {n}" for kind, n in counts.items())
    assert counts["formal"] > 0


# ---- check, on folders of one file ----

GOOD = """(* What more documents cost. *)
Definition more (n : nat) := S n.

(* mcrank.lemma1, cocr.theorem1: more documents are at least as many *)
Theorem below_more : forall n : nat, n <= more n.
Proof. unfold more; auto. Qed.
"""
STATEMENTS = """== Good.v
more = fun n : nat => S n
     : nat -> nat
below_more
     : forall n : nat, n <= (more n)
"""


@pytest.fixture
def check(tmp_path):
    """A function that writes files into a folder, runs check on it, and returns its exit code and what it printed."""

    def run(files, *options, **environment):
        for name, text in ({"statements.txt": STATEMENTS} | files).items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        command = [shutil.which("bash"), CHECK, *options, tmp_path]
        environment = os.environ | {"PYTHON": sys.executable} | environment
        ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return ran.returncode, ran.stdout

    return run


@needs_coq
def test_a_proof_is_checked_and_its_statement_printed(check):
    code, printed = check({"Good.v": GOOD})
    assert code == 0, printed
    assert STATEMENTS in printed
    assert "Closed under the global context\n== 1 files, 1 theorems, 0 computed examples; " in printed


WHAT, PROOF = "(* What", "unfold more; auto"
REFUSED = {  # what is changed -> the text, what stands in its place, and what check prints
    "an inequality, weaker": ("n <= more n", "n <= S (more n)", "-     : forall n : nat, n <= (more n)\n+     : "),
    "an inequality, false": ("n <= more n", "more n <= n", "a proof does not compile"),
    "a definition": ("more (n : nat) := S n", "more (n : nat) := S (S n)", "-more = fun n : nat => S n"),
    "a theorem": (f"{PROOF}. Qed", "Admitted", "Good.v has Admitted: what is not proved is accepted"),
    "a step": (PROOF, "intro n; admit", "Good.v has admit: what is not proved is accepted"),
    "an axiom": (WHAT, "Axiom no : False.\n(* What", "Good.v has Axiom: what is not proved is accepted"),
    "a parameter": (WHAT, "Local Parameter no : False.\n(* What", "Good.v has Parameter: what is not proved"),
    "a variable outside of sections": (WHAT, "Variable no : False.\n(* What", "a proof does not compile"),
    "an axiom of a library": (
        PROOF,
        f"destruct (Classical_Prop.classic True); {PROOF}",
        "axiom: Classical_Prop.classic",
    ),
    "a guard": (WHAT, "#[bypass_check(guard)] Fixpoint no (n : nat) : False := no n.\n(* What", "has bypass_check"),
    "a symbol": (WHAT, 'Local Notation "a <= b" := True.\n(* What', 'has Notation ": a printed statement could mean'),
    "a comment without rows": ("(* mcrank.lemma1, ", "(* mcrank lemma1, ", "Good.v below_more: above a theorem stands"),
}


@needs_coq
@pytest.mark.parametrize("what", REFUSED)
def test_a_change_is_refused(what, check):
    before, after, message = REFUSED[what]
    assert before in GOOD
    library = "From Coq Require Classical_Prop.\n" if "Classical" in after else ""
    code, printed = check({"Good.v": library + GOOD.replace(before, after)})
    assert code == 1, printed
    assert message in printed


@needs_coq
def test_statements_that_differ_name_the_command_that_mends_them(check, tmp_path):
    code, printed = check({"Good.v": GOOD, "statements.txt": ""})
    assert code == 1
    assert f"the statements differ; if that is meant: proofs_check/formal/check --renew {tmp_path}\n" in printed
    assert check({"Good.v": GOOD, "statements.txt": ""}, "--renew")[0] == 0
    assert (tmp_path / "statements.txt").read_text(encoding="utf-8") == STATEMENTS


@needs_coq
def test_a_name_stands_for_one_theorem(check):
    code, printed = check({"Good.v": GOOD, "Other.v": GOOD})
    assert code == 1
    assert "Other.v below_more: Good.v has a theorem of this name, too" in printed


@needs_coq
def test_only_logarithms_may_rest_on_the_axioms_of_the_reals(check):
    allowed = (
        "From Coq Require Classical_Prop ProofIrrelevance.\n(* mcrank.eq6: a text *)\n"
        "Theorem either : True \\/ ~ True.\nProof. exact (Classical_Prop.classic True). Qed.\n"
    )
    code, printed = check({"LogGood.v": allowed}, "--renew")
    assert code == 0, printed
    assert "== what those of Log*.v rest on\nAxioms:\nClassical_Prop.classic : " in printed
    refused = allowed.replace("exact", "destruct (ProofIrrelevance.proof_irrelevance True I I). exact")
    code, printed = check({"LogGood.v": refused})
    assert code == 1
    assert "a theorem rests on an axiom: ProofIrrelevance.proof_irrelevance" in printed


@needs_coq
def test_a_statement_shows_how_it_is_read(check):
    theorem = "Theorem sums : forall a b c : nat, a + b * c = a + b * c.\nProof. reflexivity. Qed.\n"
    code, printed = check({"Sums.v": f"(* without a row: a sum *)\n{theorem}"}, "--renew")
    assert code == 0, printed
    assert "(a + (b * c)) = (a + (b * c))" in printed


@needs_coq
def test_a_library_is_kept_in_an_empty_folder(check, tmp_path):
    kept = tmp_path / "kept"
    assert check({"Good.v": GOOD}, "--keep", kept)[0] == 0
    assert (kept / "Good.vo").exists()
    code, printed = check({"Good.v": GOOD}, "--keep", kept)
    assert (code, "kept is not empty" in printed) == (2, True)


@needs_coq
def test_a_changed_vector_is_refused(check, tmp_path):
    """The first Example of Vectors.v that computes an ERR, and the same with another answer."""
    text = write_vectors(tmp_path).read_text(encoding="utf-8")
    head, *examples = text.split("\nExample ")
    example = next(example for example in examples if "[err_of" in example and "= true." in example)
    files = {name: (FOLDER / name).read_text("utf-8") for name in ("Metrics.v", "Rationals.v", "Ranked.v")}
    vector = f"{head}\nExample {example}"
    code, printed = check(files | {"Vectors.v": vector}, "--renew")
    assert code == 0, printed
    answer = vector.rpartition("\n    [")[2].partition("]")[0]
    changed = vector.replace(f"\n    [{answer}]", f"\n    [{(float.fromhex(answer) * (1 + 2**-30)).hex()}]")
    assert changed != vector
    code, printed = check(files | {"Vectors.v": changed})
    assert code == 1
    assert "a proof does not compile" in printed


def test_without_coq_a_line_says_what_to_install(check, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dirname").symlink_to(shutil.which("dirname"))
    code, printed = check({"Good.v": GOOD}, PATH=str(tmp_path / "bin"))
    assert code == 3
    assert printed.count("\n") == 1
    assert "coqc is not installed; on Debian 12: apt-get install --no-install-recommends make coq libcoq-" in printed


@needs_coq
def test_another_version_is_mentioned(check, tmp_path):
    (tmp_path / "bin").mkdir()
    other = tmp_path / "bin" / "coqc"
    other.write_text(f'#!/bin/sh\n[ "$1" = --print-version ] && echo 8.20.0 4.14 || exec {shutil.which("coqc")} "$@"\n')
    other.chmod(0o755)
    code, printed = check({"Good.v": GOOD}, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert code == 0
    assert "the proofs are written for Coq 8.16, and this is Coq 8.20.0" in printed
