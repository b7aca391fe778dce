"""`refrank config`: the splitter in use, its number of threads, and versions."""

import argparse

from refrank.trees.engine import show_config


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no flags."""


def run() -> int:
    """Print the configuration."""
    show_config()
    return 0
