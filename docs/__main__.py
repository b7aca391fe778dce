"""Build the site into docs/_build/html, every warning being an error: `python -m docs [options of sphinx-build]`."""

import sys
from importlib.util import find_spec
from pathlib import Path

DOCS = Path(__file__).parent
OUT = DOCS / "_build" / "html"
PROGRAMS = ("sphinx", "myst_parser", "myst_nb", "furo", "numpydoc", "sphinx_copybutton", "sphinx_design")


def main(options: list[str]) -> int:
    """Return the exit code of sphinx-build, or 2 if a program of the extra `docs` is missing."""
    if missing := [name for name in PROGRAMS if find_spec(name) is None]:
        print(f"{', '.join(missing)} not installed: run pip install -e '.[docs]' in {DOCS.parent}", file=sys.stderr)
        return 2
    from sphinx.cmd.build import build_main

    code = build_main(["-j", "2", "-W", "--keep-going", "-n", "-b", "html", *options, str(DOCS), str(OUT)])
    if code == 0:
        print(f"The first page: {OUT / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
