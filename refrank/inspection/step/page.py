"""The page as one file: its template, filled with the modules beside it, the toy query and a document.

ES modules do not load from a file in a browser, so their text is put together: the port, the faults and the view, each
room in the order of its index.js, without imports and exports. This needs unique names, and no other program.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from refrank.datasets.whole_file import replace_file

SOURCE = Path(__file__).parent
MOST = 1_000_000  # bytes of a page: it opens at once, and goes into a mail
NOT_SHARED = re.compile(r"(?m)^import\b[^;]*;\n|^export (?:default )?")
PLACE = re.compile(r"/\*(STYLE|PORT|SCRIPT|DOCUMENT)\*/")


def write_page(document: Mapping[str, Any] | None, out: str | os.PathLike[str], source: Path = SOURCE) -> None:
    """Write the page that shows a document, or one on which the toy query can be edited.

    Parameters
    ----------
    document : mapping or None
        The manifest and the records of a training; None: the page computes them.
    out : str or path
        The file to write, of HTML; it loads nothing else.
    source : Path
        The folder of the template and the modules.

    Raises
    ------
    ValueError
        If the file would have `MOST` bytes or more.
    """
    page = fill_page(document, source).encode()
    if len(page) >= MOST:
        rule = f"a page must be below {MOST:,}; train fewer rounds, or smaller trees"
        raise ValueError(f"{os.fsdecode(out)} would have {len(page):,} bytes: {rule}")
    with replace_file(out) as file:
        file.write(page)


def fill_page(document: Mapping[str, Any] | None, source: Path) -> str:
    """Fill the places of the template."""
    port, view = join_modules(source / "port"), join_modules(source / "view")
    faults = "".join(map(read_module, sorted(source.glob("*.js"))))
    parts = {
        "STYLE": read_source(source / "view" / "style.css"),
        "PORT": port,
        "SCRIPT": f"const TOY = {read_source(source / 'toy.json').strip()};\n{port}{faults}{view}",
        "DOCUMENT": write_json(document),
    }
    return PLACE.sub(lambda place: parts[place[1]], read_source(source / "page.html"))


def join_modules(folder: Path) -> str:
    """Put the modules of a room together, in the order that its index.js lists."""
    order = re.findall(r'"([\w.]+)"', read_source(folder / "index.js"))
    return "".join(read_module(folder / name) for name in order)


def read_module(path: Path) -> str:
    """Read a module without its imports and exports.

    >>> NOT_SHARED.sub("", 'import { exp } from "./numbers.js";\\nexport const twice = (x) => x + x;')
    'const twice = (x) => x + x;'
    """
    return NOT_SHARED.sub("", read_source(path))


def read_source(path: Path) -> str:
    """Read a file of the page."""
    return path.read_text(encoding="utf-8")


def write_json(document: Mapping[str, Any] | None) -> str:
    """Write JSON that may stand in HTML.

    >>> write_json({"features": ["</script>"]})
    '{"features":["\\\\u003c/script>"]}'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
