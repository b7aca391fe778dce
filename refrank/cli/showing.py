"""`refrank show`: the content of a model file, described for people."""

import argparse
import re
from typing import Any

from refrank.checks import print_text


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank show`."""
    command.add_argument("model", metavar="MODEL", help="model file")
    help_tree = "print tree m of output k: the rounds count from 1, the outputs from 0; m alone is m,0"
    command.add_argument("--tree", metavar="M,K", help=help_tree)


def run(model: str, tree: str | None) -> int:
    """Print the description of a model file, or one of its trees."""
    from refrank.models import describe_model, load_model

    print(describe_model(model) if tree is None else print_tree(load_model(model), tree))
    return 0


def print_tree(ranker: Any, place: str) -> str:
    """Write the tree whose round and output the words name."""
    words = re.fullmatch(r"(\d{1,9})(?:,(\d{1,9}))?", place)
    if words is None:
        raise ValueError(f"--tree is {print_text(place, 40)!r}: it must be m,k, such as 3,0")
    if not hasattr(ranker, "tree"):
        raise ValueError(f"--tree is {place}: {type(ranker).__name__} has no rounds of trees")
    return str(ranker.tree(int(words[1]), int(words[2] or 0)))
