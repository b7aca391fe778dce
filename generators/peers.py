"""Write docs/port/peers.md, of well-known programs as ports (examples/peers): `python -m generators.peers`.

The page changes with the versions of the programs; all of them must be installed (the extras `test` and `bench`).
"""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.reporting import write_entry
from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.card import LEVELS, rate_training
from yardstick.scorecard.page import read_page
from yardstick.scorecard.trainings import TRAININGS, train_golden
from yardstick.traces.stages import STAGES

ROOT = Path(__file__).parents[1]
DOCUMENT, FOLDER = ROOT / "docs" / "port" / "peers.md", ROOT / "examples" / "peers"
PROGRAMS = {  # page -> the module that it needs
    "gradient_boosting": "sklearn",
    "hist_gradient_boosting": "sklearn",
    "with_lightgbm": "lightgbm",
    "with_xgboost": "xgboost",
    "with_catboost": "catboost",
    "with_ydf": "ydf",
}
OFFERED = ("ls", "ls, app-i", "softmax, simultaneous")
PAPER = {
    "start": "mean of y; 0",
    "residual": "y - F; y_k - p_k",
    "gain": "s^2 / n; s^2 / n",
    "leaf": "s / n; (K-1)/K s / h",
    "floats": "sums of integers on a grid, else float64",
}


def write_document(folder: Path) -> str:
    """Write the document: its three tables anew, and the text between them as it is."""
    levels = [["program", "release", *OFFERED]]
    differences = [["program", "training", "first number that does not follow in float32"]]
    formulas = [["program", *PAPER], ["the papers", *PAPER.values()]]
    for page in PROGRAMS:
        module = read_page(str(FOLDER / f"{page}.py"))
        (folder / page).mkdir()
        judged = list(judge_program(page, folder / page))
        of_trainings = (f"L{level}" if level else "none" for _, level, _ in judged)
        link = f"[{module['NAME']}](../../examples/peers/{page}.py)"
        levels.append([link, module["VERSION"], *of_trainings])
        differences += [[module["NAME"], training, why] for training, _, why in judged if why]
        formulas.append([module["NAME"], *(module["FORMULAS"][stage] for stage in PAPER)])
    tables = iter((levels, differences, formulas))
    return re.sub(r"^\|.*(?:\n\|.*)+", lambda _: write_table(next(tables)), DOCUMENT.read_text(), flags=re.MULTILINE)


def write_table(rows: list[list[str]]) -> str:
    """Write a table of Markdown."""
    head, *lines = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, f"|{'---|' * len(rows[0])}", *lines])


def judge_program(page: str, folder: Path) -> Iterator[tuple[str, int, str]]:
    """Have a program train; yield trainings, their levels, and the first difference in float32."""
    port = load_adapter(str(FOLDER / f"{page}.py"))
    for i, name in enumerate(OFFERED):
        golden = train_golden(TRAININGS[name], folder / f"golden{i}")
        theirs = port.run(golden, folder / f"port{i}")
        if theirs is None:
            raise ValueError(f"{page} does not offer {name}: it must, to stand in {DOCUMENT.name}")
        comparison, why = compare_traces(golden, theirs, LEVELS[1]), ""
        if not comparison.passes and comparison.first is not None:
            first = comparison.first
            entries = (write_entry(first, values) for values in (first.actual, first.expected))
            given, wanted = (text.partition(" (")[0] for text in entries)
            why = f"{STAGES[first.stage].title}, {first.where}: {given} in place of {wanted}"
        yield name, rate_training(golden, theirs, comparison), why


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as new:
        DOCUMENT.write_text(write_document(Path(new)))
    print(DOCUMENT)
