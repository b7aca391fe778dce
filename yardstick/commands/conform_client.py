"""`refrank conform client`: print the beginning of a port in another language, which already answers questions."""

import argparse
from pathlib import Path

CLIENTS = {path.suffix[1:]: path for path in sorted((Path(__file__).parents[1] / "clients").glob("port.*"))}


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the argument of `refrank conform client`."""
    command.add_argument("language", choices=CLIENTS, help="c, go, js or rs; redirect what is printed to a file")


def run(language: str) -> int:
    """Print the client."""
    print(CLIENTS[language].read_text(encoding="utf-8"), end="")
    return 0
