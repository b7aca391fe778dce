"""`refrank vectors`: write the vectors, which test a port function by function."""

import argparse


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank vectors`."""
    command.add_argument("folder", metavar="DIR", help="folder to write; files of the same names are replaced")


def run(folder: str) -> int:
    """Write the folder, and print the names of its files."""
    from yardstick.vectors.files import copy_vectors

    for path in copy_vectors(folder):
        print(f"{path}: {path.stat().st_size:,} bytes")
    return 0
