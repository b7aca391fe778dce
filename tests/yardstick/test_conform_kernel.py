"""`refrank conform kernel`: its table, its JSON, its exit codes, and libraries that crash, hang or lie."""

import json
import re

import pytest

from refrank.trees.foreign.splitter import load_splitter
from refrank.trees.splitter import FUNCTIONS
from tests.cli.command_line import run
from tests.libraries import NEEDS_COMPILER, VERSION, build_port, build_source, change, define
from tests.yardstick.test_planted_in_port import MISTAKES
from yardstick.kernel import verdict
from yardstick.kernel.cases import list_cases
from yardstick.kernel.verdict import judge, run_at_once

pytestmark = NEEDS_COMPILER


def conform(capsys, library, *flags):
    return run(capsys, "conform", "kernel", library, *flags)


def test_a_port_that_agrees_ends_with_zero(port, capsys, monkeypatch):
    monkeypatch.setenv("REFRANK_SPLITTER", "none.so")  # of the user: it does not count
    code, lines, errors = conform(capsys, port)
    assert (code, errors) == (0, [])
    assert [line.split()[0] for line in lines] == ["function", *FUNCTIONS]
    assert {line.split()[2] for line in lines[1:]} == {"agrees"}


def test_a_difference_is_printed_with_its_place_and_size(tmp_path, capsys):
    path, n = build_port(tmp_path, change("exp.c", "5.497923018708371e-14", "5.4979e-14")), len(list_cases()["exp"])
    code, lines, errors = conform(capsys, path, "--mode", "tie", "--only", "bin_starts", "exp")
    assert (code, errors) == (3, [])
    number = r"result\[[\d, ]+\] is \S+ \(\S+\), expected \S+ \(\S+\): 1 ulp away"
    table = rf"function .*\nbin_starts +\d+  agrees\nexp +{n}  \d+ of {n} differ\n"
    shown = rf"{table}\nexp, first in the case '.*':\n  {number}"
    assert re.fullmatch(shown, "\n".join(lines)), lines


def test_another_cut_that_gains_as_much_is_lawful_and_the_mode_decides(tmp_path, capsys):
    path = build_port(tmp_path, next(mistake for mistake in MISTAKES if mistake.words == "ties to the right"))
    for mode, expected in (("bitwise", 3), ("tie", 0)):
        code, lines, errors = conform(capsys, path, "--mode", mode, "--only", "best_split")
        assert (code, errors) == (expected, [])
        assert lines[1].endswith(" lawful")
        assert lines[-1].startswith("  hint: a tie went to the last cut")


def test_json_says_the_same_and_what_is_not_offered_is_no_fault(tmp_path, capsys):
    bodies = {"exp": "return 0;", "round_to_grid": "return -2;", "largest_magnitude": "*(double *)value = 1; return 0;"}
    path = build_source(tmp_path, VERSION, *(define(*function) for function in bodies.items()))
    code, (_, line), errors = conform(capsys, path, "--only", "softmax")
    assert (code, line.split(maxsplit=2)[2], errors) == (0, "not offered", [])
    code, [line], errors = conform(capsys, path, "--json", "--only", *bodies, "softmax")
    assert (code, errors) == (3, [])
    document = json.loads(line)
    largest, grid, exp, softmax = document.pop("functions")
    assert document == {"library": str(path)}
    n, none = len(list_cases()["softmax"]), {"agrees": 0, "lawful": 0, "differs": 0}
    assert softmax == {"function": "softmax", "offered": False, "cases": n, "first": None, **none}
    assert exp["agrees"] + exp["differs"] == exp["cases"] == len(list_cases()["exp"])
    assert 0 < exp["agrees"] < 30  # of no numbers
    refusals = "libsource.so: the result of refrank_round_to_grid is -2: it must be 0", "the argument value was changed"
    for refused, refusal in zip((grid, largest), refusals, strict=True):
        assert (refused["first"]["verdict"], refused["differs"]) == ("differs", refused["cases"])
        assert refused["first"]["wrong"].startswith(refusal)


CASE = list_cases(["round_to_grid"])["round_to_grid"][0].name
WRITES = r'extern long write(int, void *, long); for (int i = 3; i < 64; i++) (void)!write(i, "x\x1b\n", 3); return 0;'
CALL = f": refrank_round_to_grid in the case '{CASE}'"
ENDED = [  # what is in the library, and the error
    (define("round_to_grid", "abort();"), f"{CALL} ended the process (SIGABRT)"),
    (define("round_to_grid", "for (;;) {}"), f"{CALL} did not return within 2 seconds"),
    (define("round_to_grid", WRITES), r" wrote to a file that it did not open: x\x1b\n"),
    ("__attribute__((constructor)) static void begin(void) { _Exit(7); }", ": loading it ended the process"),
]


@pytest.mark.parametrize(("source", "error"), ENDED)
def test_a_crash_or_a_hang_is_one_line(tmp_path, capsys, source, error):
    path = build_source(tmp_path, VERSION, source, define("exp", "return 0;"))
    code, lines, [said] = conform(capsys, path, "--time-limit", "2")
    assert (code, lines) == (2, [])
    assert said.startswith(f"refrank: error: libsource.so{error}")


REFUSED = {
    "{folder}/none.so": (1, "No such file or directory"),
    "{folder}": (2, "it is a directory"),
    "{file}": (2, "test_conform_kernel.py is not a shared library that loads here: "),
    "{port} --only exp log": (2, "only is 'log': it must be one of 'bin_starts', "),
    "{port} --time-limit 0": (2, "--time-limit is 0.0: it must be a number above 0"),
    "{empty}": (2, "libsource.so offers no function of refrank/kernel/refrank_splitter.h but its version"),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused(tmp_path, port, capsys, words):
    empty = build_source(tmp_path, VERSION) if "empty" in words else ""
    given = words.format(folder=tmp_path, file=__file__, port=port, empty=empty).split()
    code, lines, [error] = conform(capsys, *given)
    assert (code, lines) == (REFUSED[words][0], [])
    assert REFUSED[words][1] in error


def test_calls_at_once_are_among_the_cases(tmp_path):
    """A port that keeps something between its calls, and is slow enough that they meet."""
    right = "for (int64_t i = 0; i < n; i++) result[i] = port_exp(x[i])"
    keeps = "static double *volatile kept; kept = result; extern int usleep(unsigned); usleep(9000); "
    path = build_port(tmp_path, change("exp.c", right, f"{keeps}{right} + (kept != result)"))
    cases = list_cases(["exp"])["exp"]
    judged = judge(load_splitter(path), "exp", cases)
    assert (judged["cases"], judged["agrees"], judged["differs"]) == (len(cases), len(cases) - 1, 1)
    assert judged["first"]["case"].startswith("4 threads that call at once: ")
    assert "static or global" in judged["first"]["hint"]


def test_the_kernel_agrees_and_calls_at_once_are_of_many_rows_too(compiled, monkeypatch):
    asked = []
    monkeypatch.setattr(verdict, "run_at_once", lambda *given: asked.append(given[1]) or run_at_once(*given))
    for function, cases in list_cases().items():
        assert judge(compiled, function, cases[:: 1 if function != "grow_deep" else 3])["first"] is None
    has_many = [[trial.case.name.startswith("200001 rows") for trial in trials] for trials in asked]
    assert len(has_many) == len(FUNCTIONS)
    assert [True, True] in [of[-2:] for of in has_many if not all(of)]
