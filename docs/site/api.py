"""Pages of the public names: one per module, and one per name of its `__all__`, which autosummary writes."""

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from docs.site.source import ROOT, find_page

MODULES = {
    "refrank": "Rankers",
    "refrank.metrics": "Measures",
    "refrank.datasets": "Data",
    "refrank.inspection": "Looking inside",
    "refrank.models": "Model files",
    "refrank.bounds": "Bounds",
    "refrank.cocr.m5p": "M5P",
    "refrank.cluster": "Clusters",
}

MARKS = re.compile(r"\||(?<=\w)_(?=[^\w`]|$)")  # of a substitution, of a link


def write(folder: Path) -> None:
    """Write the page of each module, which lists its public names, and the page that lists the modules."""
    folder.mkdir(parents=True, exist_ok=True)
    for module in MODULES:
        (folder / f"{module}.rst").write_text(describe(module), encoding="utf-8")
    lines = ["The public names", "================", "", ".. toctree::", "   :maxdepth: 1", ""]
    text = "\n".join([*lines, *(f"   {title}: {module} <{module}>" for module, title in MODULES.items()), ""])
    (folder / "index.rst").write_text(text, encoding="utf-8")


def describe(module: str) -> str:
    """Return the page of a module in reStructuredText."""
    names = sorted(import_module(module).__all__, key=str.lower)
    title = f"{MODULES[module]}: {module}"
    lines = [title, "=" * len(title), "", summarize(module), "", f".. currentmodule:: {module}", ""]
    return "\n".join([*lines, ".. autosummary::", "   :toctree: .", "", *(f"   {name}" for name in names), ""])


def summarize(module: str) -> str:
    """Return the first sentence of a module's docstring."""
    return (inspect.getdoc(import_module(module)) or "").partition("\n\n")[0]


def find_source(domain: str, info: dict[str, str]) -> str | None:
    """Return the address of an object's lines on the site, from a page of `generated/api/`."""
    value: Any = sys.modules.get(info["module"])
    for name in info["fullname"].split("."):
        value = getattr(value, name, None)
    value = inspect.unwrap(getattr(value, "fget", value))
    try:
        file, (_, line) = Path(inspect.getsourcefile(value) or ""), inspect.getsourcelines(value)
    except TypeError:  # a constant
        return None
    return f"../../{find_page(file.relative_to(ROOT))}#L{line}" if file.is_relative_to(ROOT) else None


def skip_foreign(app: object, kind: str, name: str, value: Any, skip: bool, options: object) -> bool | None:
    """Leave out the members that a class inherits from another library, whose documentation has them."""
    home = getattr(inspect.unwrap(getattr(value, "fget", value)), "__module__", None)
    return True if isinstance(home, str) and not home.startswith("refrank") else None


def escape_marks(app: object, kind: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Keep the bars of |x| and the underscore at the end of a name, which reStructuredText would take for marks."""
    in_example = False
    for i, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            parts = line.split("`")
            lines[i] = "`".join(MARKS.sub(r"\\\g<0>", part) if j % 2 == 0 else part for j, part in enumerate(parts))
