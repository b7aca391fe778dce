"""The mutation score of the trainings: `python -m tests.yardstick.score_trainings [-n N] [--seed S]`.

A mutant of score.py trains as a port: it writes the traces of all trainings, up to the first that differs from
refrank's. It is found if one differs, and named if the first difference, as refrank judges it, is of a stage that
`STAGES` gives for the changed code, or if an error ends it or refuses its trace: that names the place. Not drawn is
what no training calls, and the metrics, which the vectors hold.
"""

import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from tests.mutants.mutations import Mutant
from tests.yardstick.branches import FILES, ROOT
from tests.yardstick.score import Verdict, draw_mutants, limit_time, plant, report_score, run_alone
from yardstick.divergence.comparing import compare_traces
from yardstick.scorecard.trainings import TRAININGS, train_golden
from yardstick.traces.reader import Trace, open_trace

GROWTH = "bins grid histogram cut partition leaf_sums leaf_values tree"
SUMS = "start residual grid histogram cut partition leaf_sums leaf_values tree"
OF_CODE = {  # beginning of a file, or of a file and a function -> the stages that it computes
    "refrank/trees/splitting.py::bin_starts": "bins",
    "refrank/trees/splitting.py::quantize": "bins",
    "refrank/trees/splitting.py::root_sums": "histogram bins",
    "refrank/trees/splitting.py::histogram": "histogram tree",
    "refrank/trees/splitting.py::partition": "partition",
    "refrank/trees/splitting.py::leaf_sums": "leaf_sums",
    "refrank/trees/splitting.py::add_to_leaves": "scores",
    "refrank/trees/splitting.py::add_trees": "leaves scores answers prediction residual",
    "refrank/trees/splitting.py::grow_deep": "tree",
    "refrank/trees/splitting.py": "cut partition tree",
    "refrank/trees/numbers/draws": "draws tree",
    "refrank/trees/numbers/exponential": "proba prediction",
    "refrank/trees/numbers/exact_gain": "cut tree",
    "refrank/trees/numbers": SUMS,
    "refrank/trees/bins": "bins",
    "refrank/trees/growth": f"{GROWTH} draws residual prediction",
    "refrank/mcrank/expected_relevance": "residual prediction",
    "refrank/mcrank/order_statistics": "start leaf_values residual",
    "refrank/mcrank": "start proba residual leaf_sums leaf_values step scores prediction",
    "refrank/igbrt/missing_values": "bins",
    "refrank/igbrt": "start draws residual leaf_values step scores tree prediction",
    "refrank/cocr": "start residual answers prediction",
}
STAGES = {code: f"{stages} error" for code, stages in OF_CODE.items()}


def train_all(folder: Path) -> dict[str, Trace]:
    """Write refrank's own traces to a folder; return them by the names of the trainings."""
    return {name: train_golden(of, folder / str(number)) for number, (name, of) in enumerate(TRAININGS.items())}


def list_called(folder: Path) -> set[tuple[str, str]]:
    """List the functions that the trainings call: file, and name without the functions around it."""
    called = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT)):
            file = str(Path(code.co_filename).relative_to(ROOT))
            called.add((file, code.co_qualname.replace("<locals>.", "")))

    sys.setprofile(note)
    try:
        train_all(folder)
    finally:
        sys.setprofile(None)
    return called


def find_first(mutant: Mutant, golden: dict[str, Trace], folder: Path) -> tuple[str, str]:
    """Train as a mutant until a trace differs in a compared field; return the training, and the error that ended it."""
    plant(mutant)
    try:
        from yardstick.scorecard import trainings
        from yardstick.traces.reader import INDEX
    except Exception as fault:
        return "-", repr(fault)
    for number, (name, trace) in enumerate(golden.items()):
        limit_time()
        theirs, ended = folder / str(number), train_as_far_as_possible(trainings, name, folder / str(number))
        own, other = ((path / INDEX).read_bytes() for path in (trace.folder, theirs))
        if ended or own[-16:-8] != other[-16:-8]:  # the chain of the last record covers all of them
            return f"{number}/{name}", ended
    return "", ""


def train_as_far_as_possible(trainings: Any, name: str, folder: Path) -> str:
    """Write the trace of a training, with the records before an error; return the error."""
    training = trainings.TRAININGS[name]
    ranker, rows, ended = training.make_ranker(), training.rows, ""
    with trainings.TraceWriter(folder, "json", {"algorithm": training.algorithm}) as writer:
        try:
            trainings.record_training(ranker, rows.X, rows.y, rows.qid, writer.keep, writer.write, rows.weight)
        except Exception as fault:
            ended = f"{type(fault).__name__}: {fault}"
    return ended


def judge(mutant: Mutant, golden: dict[str, Trace]) -> Verdict:
    """Train as a mutant in a process of its own, and judge the first trace that differs."""
    with tempfile.TemporaryDirectory() as folder:
        place, ended = run_alone(lambda: find_first(mutant, golden, Path(folder)))
        number, _, name = place.partition("/")
        if not number.isdigit():
            return Verdict(mutant, place, ended, STAGES)
        stage = "error"
        try:
            first = None if ended else compare_traces(golden[name], open_trace(Path(folder, number))).first
            stage, said = (stage, ended) if first is None else (first.judgement.stage, str(first))
        except ValueError as fault:  # the trace is refused
            said = str(fault)
    return Verdict(mutant, f"{stage}/{name}", said, STAGES)


def draw_called(n: int, seed: int, called: set[tuple[str, str]]) -> Iterator[Mutant]:
    """Draw mutants of functions that the trainings call, and of constants."""
    files = [file for file in FILES if not file.startswith("refrank/metrics") and file in dict(called)]
    kept = (of for of in draw_mutants(4 * n, seed, files) if of.name == "-" or (of.file, of.name) in called)
    yield from islice(kept, n)


def main() -> None:
    """Run the command."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as again:
        golden, called = train_all(Path(folder)), list_called(Path(again))
        report_score(lambda n, seed: draw_called(n, seed, called), partial(judge, golden=golden))


if __name__ == "__main__":
    main()
