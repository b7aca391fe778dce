"""`refrank show`: the content of a model file, described for people."""

import argparse


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank show`."""
    command.add_argument("model", metavar="MODEL", help="model file")


def run(model: str) -> int:
    """Print the description of a model file."""
    from refrank.models import describe_model

    print(describe_model(model))
    return 0
