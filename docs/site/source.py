"""Pages of source files: each file that the site links to, highlighted, an anchor `L12` on its line 12."""

import html
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r'href="[./]*source/([^"#?]+)\.html')
DEFINES = r"(?:async )?def |cp?def (?:\w+ )?|class |Theorem |Example "
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{file} - refrank</title>
<link rel="stylesheet" href="{root}_static/pygments.css">
<link rel="stylesheet" href="{root}_static/source.css">
</head>
<body>
<script>document.body.dataset.theme = localStorage.getItem("theme") || "auto";</script>
<header><a href="{root}index.html">refrank</a> <h1>{file}</h1></header>
<main class="highlight" tabindex="0" aria-label="The lines of {file}"><pre>{lines}</pre></main>
</body>
</html>
"""


def find_page(file: Path | str) -> str:
    """Return the address of a file's page below the site's root; the file is relative to the repository.

    >>> find_page("refrank/arrays.py")
    'source/refrank/arrays.py.html'
    """
    return f"source/{Path(file).as_posix()}.html"


def find_line(text: str, names: str) -> int | None:
    """Return the line, from 1, that defines a function, a class, a constant, a part of a class, or a theorem.

    >>> find_line("A = 1\\nclass B:\\n    def c(self): ...\\ndef c(): ...\\n", "B.c")
    3
    """
    lines, at = text.splitlines(), 0
    for depth, name in enumerate(names.split(".")):
        pattern = re.compile(rf" {{{4 * depth}}}(?:{DEFINES})?{re.escape(name)}\b")
        at = next((i for i, line in enumerate(lines[at:], at + 1) if pattern.match(line)), 0)
        if not at:
            return None
    return at


def write_pages(site: Path) -> None:
    """Write the page of every file that a page of the built site links to."""
    texts = (page.read_text(encoding="utf-8") for page in site.rglob("*.html") if "source" not in page.parts)
    for file in sorted({html.unescape(file) for text in texts for file in LINK.findall(text)}):
        page = site / find_page(file)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(render(file, (ROOT / file).read_text(encoding="utf-8")), encoding="utf-8")


def render(file: str, text: str) -> str:
    """Return the page of a file."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import TextLexer, get_lexer_by_name, get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        if file.endswith(".v"):  # Verilog's, too
            lexer = get_lexer_by_name("coq", stripnl=False)
        else:
            lexer = get_lexer_for_filename(file, stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    lines = highlight(text, lexer, HtmlFormatter(nowrap=True)).splitlines()
    numbered = (f'<span id="L{i}"><a href="#L{i}">{i}</a>{line}\n</span>' for i, line in enumerate(lines, 1))
    return PAGE.format(file=html.escape(file), root="../" * find_page(file).count("/"), lines="".join(numbered))
