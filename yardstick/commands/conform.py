"""`refrank conform`: find where a port departs from refrank. Each comparison is a subcommand.

What compares is imported when it is used: `diff` of equal traces loads neither scikit-learn nor SciPy.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from refrank.checks import check_choice, check_number
from yardstick.divergence.comparing import MODES, Mode
from yardstick.vectors.files import write_file

DIFFERS = 3  # the exit code when a port departs from refrank
CLIENTS = {path.suffix[1:]: path for path in sorted((Path(__file__).parents[1] / "clients").glob("port.*"))}
EQUAL, LAWFUL = "bitwise: the same bits (default)", "tie: besides, other lawful choices"
OF_MODES = (
    f"{EQUAL}; ulp: floats up to --ulps apart; {LAWFUL}; float64, float32: besides, what an honest arithmetic in this "
    "format may differ by; statistical: rankings that differ by chance"
)
SHARED: dict[str, dict[str, Any]] = {  # flags of several subcommands
    "--mode": {"choices": MODES, "default": "bitwise", "help": OF_MODES},
    "--ulps": {"type": int, "metavar": "N", "help": "units in the last place, in modes ulp (1) and tie (0)"},
    "--json": {"action": "store_true", "dest": "as_json", "help": "print one JSON object"},
    "--junit": {"metavar": "FILE", "help": "write a report in the XML of JUnit, too"},
}


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the subcommands, each with its flags."""
    parts = command.add_subparsers(required=True, metavar="what")

    def add(run: Callable[..., int], name: str, summary: str, *shared: str) -> Callable[..., object]:
        part = parts.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        part.set_defaults(part=run)
        for flag in shared:
            part.add_argument(flag, **SHARED[flag])
        return part.add_argument

    summary = "ask a port for trainings, functions and lemmas, and write its scorecard"
    flag = add(score_port, "run", summary, "--mode", "--ulps", "--json")
    page = "Python file that offers train, FUNCTIONS or LEMMAS"
    adapter = f"{page}, or a command, such as 'node port.js', that answers questions; it is executed"
    flag("adapter", metavar="ADAPTER", help=adapter)
    flag("--out", metavar="DIR", help="write scorecard.json, scorecard.html and badge.svg to this folder")
    flag("--deviations", metavar="FILE", help="list of what is otherwise on purpose, deviations.toml")
    flag("--only", nargs="+", metavar="T", help="trainings, such as softmax or 'gbrt, classes'; default all")
    smallest = "write the smallest case of the first difference in each stage to the folder smallest, in --out or here"
    flag("--smallest", action="store_true", help=smallest)

    flag = add(judge_port, "diff", "compare two traces, and name the first number that differs", *SHARED)
    flag("golden", metavar="GOLDEN", help="folder of refrank's trace, written by refrank trace")
    flag("theirs", metavar="THEIRS", help="folder of the port's trace")

    flag = add(judge_port, "judge", "judge the trace of a port by itself, from its own records", *SHARED)
    flag("theirs", metavar="THEIRS", help="folder of the port's trace, with its rows and parameters")

    flag = add(judge_kernel, "kernel", "compare a library of the splitter's functions with the specification", "--json")
    flag("library", metavar="LIB", help="shared library that implements refrank/kernel/refrank_splitter.h")
    flag("--only", nargs="+", metavar="F", help="functions, such as best_split; default all")
    flag("--mode", choices=["bitwise", "tie"], default="bitwise", help=f"{EQUAL}; {LAWFUL}")
    flag("--time-limit", type=float, default=60.0, metavar="S", help="seconds per case; default 60")

    flag = add(print_client, "client", "print the beginning of a port in C, Go, JavaScript or Rust")
    flag("language", choices=CLIENTS, help="c, go, js or rs; redirect what is printed to a file")


def run(part: Callable[..., int], **flags: Any) -> int:
    """Run the subcommand; return 0 if what is compared passes under the mode, and 3 otherwise."""
    return part(**flags)


def choose_mode(mode: str, ulps: int | None) -> Mode:
    """Return the mode that the flags select."""
    if ulps is not None and mode not in ("ulp", "tie"):
        raise ValueError(f"--ulps does not work with --mode {mode}")
    return Mode(mode, int(mode == "ulp") if ulps is None else ulps)


def score_port(
    adapter: str, out: str | None, deviations: str | None, only: list[str], smallest: bool, as_json: bool, **mode: Any
) -> int:
    """Run all trainings, cases and lemmas on a port; print the scorecard, and write its pages."""
    from yardstick.scorecard.adapters import load_adapter
    from yardstick.scorecard.card import make_scorecard, read_deviations
    from yardstick.scorecard.pages import write_badge, write_html, write_json, write_text
    from yardstick.scorecard.smallest import write_smallest
    from yardstick.scorecard.trainings import TRAININGS

    asked = choose_mode(**mode)
    names = [check_choice("--only", name, TRAININGS) for name in only or TRAININGS]
    listed = {} if deviations is None else read_deviations(deviations)
    port = load_adapter(adapter)
    if out is not None:
        Path(out).mkdir(exist_ok=True)
    card = make_scorecard(port, asked, listed, names, lambda name: print(f"{name} ...", file=sys.stderr))
    print(write_json(card) if as_json else write_text(card))
    pages = {"scorecard.json": write_json, "scorecard.html": write_html, "badge.svg": write_badge}
    for name, write in pages.items() if out is not None else ():
        write_file(Path(str(out), name), write(card))
    if smallest:
        for sentence in write_smallest(port, card, Path(out or ".", "smallest")):
            print(sentence, file=sys.stderr if as_json else sys.stdout)
    return 0 if card.passes else DIFFERS


def judge_port(theirs: str, as_json: bool, junit: str | None, golden: str | None = None, **mode: Any) -> int:
    """Print the comparison of a port's trace with a golden one, or the verdicts on it by itself."""
    from yardstick.divergence.comparing import compare_traces, judge_trace
    from yardstick.divergence.reporting import write_json, write_junit, write_text
    from yardstick.traces.reader import open_trace

    traces = [open_trace(folder) for folder in (golden, theirs) if folder is not None]
    judge: Callable[..., Any] = judge_trace if golden is None else compare_traces
    comparison = judge(*traces, choose_mode(**mode))
    print(write_json(comparison) if as_json else write_text(comparison))
    if junit is not None:
        write_file(Path(junit), write_junit(comparison))
    if golden is not None and comparison.quality is None and comparison.mode.name == "statistical":
        print("refrank: neither trace tells NDCG of the same queries", file=sys.stderr)
    return 0 if comparison.passes else DIFFERS


def judge_kernel(library: str, only: list[str] | None, mode: str, time_limit: float, as_json: bool) -> int:
    """Print whether each function of a library agrees."""
    from refrank.trees.splitter import FUNCTIONS
    from yardstick.kernel.child import judge_library
    from yardstick.kernel.verdict import as_lines, suffices

    check_number("time_limit", time_limit, above=0)
    functions = [check_choice("only", name, FUNCTIONS) for name in only or FUNCTIONS]
    verdicts = judge_library(library, functions, time_limit)
    if as_json:
        print(json.dumps({"library": library, "functions": verdicts}, allow_nan=False))
    else:
        print("\n".join(as_lines(verdicts)))
    return 0 if all(suffices(verdict, mode) for verdict in verdicts) else DIFFERS


def print_client(language: str) -> int:
    """Print the client."""
    print(CLIENTS[language].read_text(encoding="utf-8"), end="")
    return 0
