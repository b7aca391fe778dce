"""`refrank conform run`: run every check on a port, and report its scorecard."""

import argparse
import sys
from pathlib import Path

from yardstick.commands.conform import DIFFERS, add_mode_flags, choose_mode


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank conform run`."""
    page = "Python file that offers train, FUNCTIONS or LEMMAS"
    adapter = f"{page}, or a command, such as 'node port.js', that answers questions; it is executed"
    command.add_argument("adapter", metavar="ADAPTER", help=adapter)
    command.add_argument(
        "--out", metavar="DIR", help="write scorecard.json, scorecard.html and badge.svg to this folder"
    )
    command.add_argument("--deviations", metavar="FILE", help="list of what is otherwise on purpose, deviations.toml")
    add_mode_flags(command)
    command.add_argument(
        "--only", nargs="+", metavar="T", help="trainings, such as softmax or 'gbrt, classes'; default all"
    )
    smallest = "write the smallest case of the first difference in each stage to the folder smallest, in --out or here"
    command.add_argument("--smallest", action="store_true", help=smallest)
    command.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")


def run(
    adapter: str,
    out: str | None,
    deviations: str | None,
    mode: str,
    ulps: int | None,
    only: list[str] | None,
    smallest: bool,
    as_json: bool,
) -> int:
    """Run all trainings, cases and lemmas on a port; print the scorecard, and write its pages."""
    from refrank.checks import check_choice
    from refrank.datasets.whole_file import replace_file
    from yardstick.scorecard.adapters import load_adapter
    from yardstick.scorecard.card import make_scorecard
    from yardstick.scorecard.deviations import read_deviations
    from yardstick.scorecard.pages import write_badge, write_html, write_json, write_text
    from yardstick.scorecard.smallest import write_smallest
    from yardstick.scorecard.trainings import TRAININGS

    asked = choose_mode(mode, ulps)
    names = [check_choice("--only", name, TRAININGS) for name in only or TRAININGS]
    listed = () if deviations is None else read_deviations(deviations)
    port = load_adapter(adapter)
    if out is not None:
        Path(out).mkdir(exist_ok=True)
    card = make_scorecard(port, asked, listed, names, lambda name: print(f"{name} ...", file=sys.stderr))
    print(write_json(card) if as_json else write_text(card))
    if out is not None:
        pages = {"scorecard.json": write_json, "scorecard.html": write_html, "badge.svg": write_badge}
        for name, write in pages.items():
            with replace_file(Path(out, name)) as file:
                file.write(write(card).encode())
    if smallest:
        for sentence in write_smallest(port, card, Path(out or ".", "smallest")):
            print(sentence, file=sys.stderr if as_json else sys.stdout)
    return 0 if card.passes else DIFFERS
