"""Write what the commands print: `python -m tests.cli.outputs` writes outputs.txt anew.

Each command runs in one folder, in this order, on a small file with labels, and on what earlier commands have left. A
word or number that changes is a change of that file, in plain sight; the tests of each command say which are right.
"""

import contextlib
import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from refrank.cli import main
from tests.cli.command_line import DATA, write_letor

FILE = Path(__file__).with_name("outputs.txt")
TRAIN = "train rows.txt --verbose 0 --n-threads 1"
COMMANDS = (
    f"{TRAIN} --algorithm softmax --n-rounds 3 --n-leaves 4 --model softmax",
    f"{TRAIN} --algorithm ordinal --n-rounds 2 --model ordinal",
    f"{TRAIN} --algorithm igbrt --n-rounds 2 --n-trees 3 --max-depth 2 --binning exact --model igbrt",
    "train rows.txt --verbose 0 --algorithm cocr --base m5p --cost squared --model cocr",
    f"{TRAIN} --resume softmax --n-rounds 4 --model softmax",
    f"{TRAIN} --resume softmax --n-rounds 4 --model softmax",
    f"{TRAIN} --algorithm softmax --n-rounds 0 --model none",
    "show softmax",
    "show ordinal",
    "show igbrt",
    "show cocr",
    "show rows.txt",
    "predict rows.txt --model softmax > softmax.txt",
    "predict rows.txt --model igbrt > igbrt.txt",
    "predict three.txt --model cocr",
    "export softmax --to lightgbm --out softmax.text",
    "export igbrt --to xgboost --out igbrt.json",
    "export cocr --to lightgbm --out none",
    "import softmax.text --from lightgbm --model back",
    "import igbrt.json --from xgboost --model forest",
    "import rows.txt --from lightgbm --model none",
    "import softmax.text --from xgboost --model none",
    "show back",
    "evaluate rows.txt --model back --json",
    "compare rows.txt --model softmax back",
    f"{TRAIN} --resume back --model none",
    "evaluate rows.txt --model softmax",
    "evaluate three.txt --scores three-scores.txt --compare",
    "evaluate three.txt --scores three-scores.txt --compare --json",
    "evaluate three.txt --scores three-scores.txt --spec yahoo --max-grade 3",
    "evaluate three.txt --scores three-scores.txt --spec ranklib --json",
    "compare rows.txt --model softmax ordinal",
    "compare rows.txt --model softmax --scores igbrt.txt --k 3 --spec yahoo",
    "compare rows.txt --scores softmax.txt igbrt.txt --json",
    "bounds rows.txt --scores softmax.txt",
    "bounds rows.txt --scores igbrt.txt --max-grade 5",
    "bounds rows.txt --scores igbrt.txt --max-grade 2",
    "bounds rows.txt --scores igbrt.txt --json",
)


def write_inputs(folder: Path) -> None:
    """Write the files that the commands read."""
    write_letor(folder / "rows.txt", DATA.X, DATA.y, DATA.qid)
    # one query with three grades, one whose documents are tied, one without a relevant document
    labels, qid, scores = [2, 0, 1, 1, 0, 0, 0], [1, 1, 1, 2, 2, 3, 3], [0.5, 1, 0.25, 3, 3, 1, 2]
    lines = (f"{y} qid:{q} 1:{x}\n" for y, q, x in zip(labels, qid, scores, strict=True))
    (folder / "three.txt").write_text("".join(lines), encoding="utf-8")
    (folder / "three-scores.txt").write_text("".join(f"{x}\n" for x in scores), encoding="utf-8")


def round_figure(figure: re.Match[str]) -> str:
    """Write a long figure in eight digits: libraries differ in the last ones."""
    return f"{float(figure[0]):.8g}"


def run_commands() -> Iterator[str]:
    """Run all commands; yield each with its exit code, and the lines that it prints."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_inputs(Path())
        for command in COMMANDS:
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
                try:
                    code = main(command.partition(" > ")[0].split())
                except SystemExit as end:
                    code = end.code
            yield f"$ refrank {command}  # {code}"
            if " > " in command:
                Path(command.partition(" > ")[2]).write_text(out.getvalue(), encoding="utf-8")
            else:
                yield from re.sub(r"\d+\.\d{8,}(e-?\d+)?", round_figure, out.getvalue()).splitlines()


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in run_commands()), encoding="utf-8")
