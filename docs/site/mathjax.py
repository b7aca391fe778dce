"""MathJax's one file, copied from the package of the extra `docs`: the site asks no server for it."""

import shutil
from importlib.metadata import files
from pathlib import Path

NAME = "tex-svg.js"


def write(folder: Path) -> None:
    """Copy the file into a folder of static files."""
    folder.mkdir(parents=True, exist_ok=True)
    source = next(file for file in files("sphinx-mathjax-offline") or [] if file.name == NAME)
    shutil.copyfile(source.locate(), folder / NAME)
