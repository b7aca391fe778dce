"""Refuted.v: each false row of the table, computed by Coq from its counterexample, and what Coq does not accept."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from proofs_check import list_rows
from proofs_check.engine import search
from proofs_check.engine.evidence import ClaimEvidence, list_comparisons
from proofs_check.engine.records import Effort
from proofs_check.formal.claims import read_claims
from proofs_check.formal.examples import SIDES, VERDICTS, write_example, write_examples, write_refuted
from proofs_check.formal.theorems import FOLDER, read_theorems
from proofs_check.tests.test_verdicts import PINNED

FALSE = {row: record["counterexample"] for row, record in PINNED.items() if record["counterexample"]}
CLAIMS = read_claims()
PROOF = "Proof. vm_compute; reflexivity. Qed."
REFUSED = "Proof. Fail (vm_compute; reflexivity). Abort."


@pytest.fixture(scope="module")
def coqc(tmp_path_factory):
    """A function that compiles a file beside all that Refuted.v needs."""
    if not shutil.which("coqc"):
        pytest.skip("coqc is not installed")
    folder = tmp_path_factory.mktemp("library")

    def run(path):
        command = ["coqc", "-q", "-R", str(folder), "Refrank", str(path)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    files = {path.stem: path for path in FOLDER.glob("*.v")}

    def compile_with_required(name):
        text = files[name].read_text(encoding="utf-8")
        for required in re.findall(r"From Refrank Require (?:Import |Export )?([\w ]+)\.", text):
            for other in required.split():
                if not (folder / f"{other}.vo").exists():
                    compile_with_required(other)
        shutil.copy(files[name], folder)
        assert run(folder / f"{name}.v").returncode == 0, name

    for name in {claim.name.partition(".")[0] for claim in CLAIMS.values()}:
        if not (folder / f"{name}.vo").exists():
            compile_with_required(name)
    return run


def test_every_false_row_has_an_example_and_no_other():
    by_hand = {row for theorem in read_theorems() for row in theorem.rows if theorem.refutes}
    assert FALSE.keys() == CLAIMS.keys() | by_hand
    assert not CLAIMS.keys() & by_hand
    written = "\n".join(write_examples(list(PINNED.values()), CLAIMS))
    assert len(re.findall(r"^Example ", written, re.M)) == len(CLAIMS)


@pytest.mark.parametrize(
    ("row", "before", "after", "message"),
    [
        ("cocr.theorem2.step4", "yhat=(1, 1)", "yhat~(1, 1)", "has 'yhat~(11)', which cannot be read"),
        ("cocr.theorem2.step4", "F_2(pi,y)", "F_1(pi,y)", "has two numbers 2 and 1"),
        ("cocr.theorem2.step4", "n=2", "n=3", "has other than 3 labels"),
        ("cocr.theorem2.step4", ", g=(2, 1)", "", "has no value of g"),
        ("cocr.theorem2.step4", "1/16 > 15/256", "1/16 > pi", "which cannot be read"),
        ("cocr.theorem2.step4", ", 1/16 > 15/256", "", "does not end with two numbers that differ"),
        ("trees.permuted_rows.variant-forest", "prediction of", "somehow", "has 'somehowrow0', which cannot be read"),
    ],
)
def test_a_counterexample_that_cannot_be_read_is_refused(row, before, after, message):
    assert before in FALSE[row]
    with pytest.raises(ValueError, match=re.escape(f"{row}: ")) as error:
        write_example(row, FALSE[row].replace(before, after), CLAIMS[row])
    assert message in str(error.value)


def test_coq_computes_every_false_row(coqc, tmp_path):
    run = coqc(write_refuted(tmp_path))
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def change_number(number):
    """Change a number in its last printed digit, a fraction in its numerator."""
    head, point, digits = number.partition(".")
    if point:
        return f"{head}.{int(digits) + 1:0{len(digits)}d}"
    numerator, slash, denominator = number.partition("/")
    return f"{int(numerator) + 1}{slash}{denominator}"


def test_coq_refuses_every_changed_side(coqc, tmp_path):
    """Each printed side of each row that has two, one by one, in one file."""
    changed = []
    for row, claim in CLAIMS.items():
        sides = SIDES.search(FALSE[row])
        for side in ("left", "right") if claim.type != "bool" else ():
            at = slice(*sides.span(side))
            counterexample = FALSE[row][: at.start] + change_number(sides[side]) + FALSE[row][at.stop :]
            changed.append(write_example(row, counterexample, claim))
    text = write_refuted(tmp_path).read_text(encoding="utf-8")
    path = tmp_path / "Changed.v"
    head = text[: text.index("\n(* ")]
    path.write_text("\n".join([head, *changed]).replace(PROOF, REFUSED), encoding="utf-8")
    run = coqc(path)
    assert (run.returncode, run.stderr) == (0, "")
    assert len(changed) > 90
    as_printed = write_example(row, FALSE[row], claim)  # one that does not fail
    path.write_text("\n".join([head, as_printed]).replace(PROOF, REFUSED), encoding="utf-8")
    assert "The command has not failed" in coqc(path).stderr


PLANTED = {  # the sides are those of the claim; the row holds, or does not speak of the instance
    "both sides are equal": (
        "igbrt.theorem1.variant-rearrangement",
        "n=2, in the order of pi: y=(1, 0), yhat=(0, 0), g=(1, 2): 0 != 0",
    ),
    "the left side is smaller": (
        "igbrt.theorem1.step8",
        "n=2, in the order of pi: y=(4, 4), yhat=(4, 4), g=(1, 2): squares: 0 > 5/4",
    ),
    "answers of scores: regret.pairwise.variant-scores is true": (
        "regret.pairwise.variant-factor-1",
        "v=(0, 0, 1), beats=((0, 1, 1), (0, 0, 1), (0, 0, 0)): c=(6, 3, 0), 6 > 6",
    ),
    "g is not perfect": (
        "mcrank.cushion.variant-clipped",
        "n=2, in the order of pi: y=(0, 1), yhat=(0, 0), g=(1, 2): c=(1, 0), 1 != 0",
    ),
    "pi does not sort by yhat": (
        "new.err_below_rr_dcg.variant-any-pair",
        "n=3, in the order of pi: y=(1, 1, 0), yhat=(0, 1, 0), g=(1, 3, 2): -5/512 > -1/96",
    ),
    "g and pi have different ties": (
        "igbrt.theorem1.variant-same-ties",
        "n=2, in the order of pi: y=(4, 4), yhat=(4, 4), g=(2, 1): squares: 961/512 > 5/4",
    ),
    "a cost that is not of Eq. 13": (
        "lin_li.reduction.variant-oerr",
        "y=3, c=(49, 36, 17, 0), off=(1, 0, 0), g=(0, 1, 1): 17 > 13",
    ),
}


@pytest.mark.parametrize("what", PLANTED)
def test_coq_refuses_what_refutes_nothing(coqc, tmp_path, what):
    row, planted = PLANTED[what]
    verdicts = tmp_path / "verdicts.json"
    verdicts.write_text(json.dumps([{"id": row, "counterexample": planted}]), encoding="utf-8")
    run = coqc(write_refuted(tmp_path, verdicts))
    assert run.returncode == 1
    assert 'Unable to unify "true" with "false"' in run.stderr


def list_other_counterexamples(row, monkeypatch):
    """List a few counterexamples that the check of a row finds, for grades up to 4, beside the one that it shows."""
    shown = []

    def conclude(self, is_vacuous=None):
        for group in self.bad:
            picked = np.random.default_rng(1).choice(group.m, min(group.m, 2), replace=False)
            for instance in (group.take(np.array([number])) for number in picked):
                broken = next(c for c in list_comparisons(self.claim(instance)) if c.find_violations()[0])
                shown.append(f"{instance.describe(0)}: {broken.show(0)}")
        return as_before(self, is_vacuous)

    as_before = ClaimEvidence.conclude
    with monkeypatch.context() as patch:
        patch.setattr(ClaimEvidence, "conclude", conclude)
        patch.setattr(search, "LOWER", ())
        row.check(Effort(n_max=3, climbs=0, high_sizes=()))
    return shown[:: max(1, len(shown) // 4)]


def test_a_claim_has_the_sides_of_its_check(coqc, tmp_path, monkeypatch):
    """Other counterexamples of each row are computed, too: a claim is not made for the one that is printed."""
    written = []
    for row in list_rows():
        for counterexample in list_other_counterexamples(row, monkeypatch) if row.id in CLAIMS else ():
            if row.id == "ndcg.at_cutoff.variant-minus-log" and "yhat=(0, 0)" not in counterexample:
                continue  # its claim is for equal scores
            example = write_example(row.id, counterexample, CLAIMS[row.id])
            written.append(f"(* {counterexample} *)\n{example.replace(' :', f'_{len(written)} :', 1)}")
    text = write_refuted(tmp_path).read_text(encoding="utf-8")
    path = tmp_path / "Others.v"
    path.write_text("\n".join([text[: text.index("\n(* ")], *written]), encoding="utf-8")
    run = coqc(path)
    at = int(run.stderr.partition("line ")[2].partition(",")[0] or 3)
    assert run.returncode == 0, path.read_text(encoding="utf-8").splitlines()[at - 3 : at]
    assert len(written) > 150


def test_coq_refuses_a_changed_record(coqc, tmp_path):
    records = json.loads(VERDICTS.read_text(encoding="utf-8"))
    (record,) = (record for record in records if record["id"] == "losses.lambdarank.variant-err-reverse")
    record["counterexample"] = record["counterexample"].replace("28967013/", "28967017/")
    verdicts = tmp_path / "verdicts.json"
    verdicts.write_text(json.dumps(records), encoding="utf-8")
    path = write_refuted(tmp_path, verdicts)
    run = coqc(path)
    at = int(run.stderr.split("line ")[1].split(",")[0])
    line = path.read_text(encoding="utf-8").splitlines()[at - 2]
    assert run.returncode == 1
    assert line.startswith("Example refuted_losses_lambdarank_variant_err_reverse :")
