"""`refrank show`: what is in a model file, for people."""

import argparse


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank show`."""
    command.add_argument("model", metavar="MODEL", help="model file")


def run(model: str) -> int:
    """Describe a model file.

    Raises
    ------
    ValueError
        If the file is not a model.
    OSError
        If it cannot be read.
    """
    from refrank.model_file import describe_model

    print(describe_model(model))
    return 0
