"""The files of a bench, for a reader, a paper, a spreadsheet and a browser: same result, same bytes."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from refrank.datasets.whole_file import replace_file
from refrank.reproduce.bench.comparisons import compare_measures
from refrank.reproduce.bench.csv_files import write_means, write_pairs, write_queries
from refrank.reproduce.bench.latex import write_latex
from refrank.reproduce.bench.page import write_page
from refrank.reproduce.bench.result import BenchResult
from refrank.reproduce.bench.tables import write_markdown

NO_SECTIONS: Mapping[str, str] = MappingProxyType({})


def write_report(result: BenchResult, folder: Path, sections: Mapping[str, str] = NO_SECTIONS) -> str:
    """Write the tables of a bench into a folder, each whole or not at all, and return the Markdown text.

    Parameters
    ----------
    result : BenchResult
    folder : Path
        It exists. The files: `table.md`, `table.tex` and `index.html`; `table.csv`, a line per measure and system;
        `pairs.csv`, a line per measure and pair; `per_query.csv`, a line per query with all values to the bit.
    sections : mapping of str to str
        Further texts by name, such as the plan and the versions; Markdown and page show them as they are.

    Raises
    ------
    ValueError
        If a measure skips every query, or does not skip the same queries for all systems.
    OSError
        If a file cannot be written.
    """
    comparisons = compare_measures(result)
    texts = {
        "table.md": write_markdown(result, comparisons, sections),
        "table.csv": write_means(result, comparisons),
        "pairs.csv": write_pairs(comparisons),
        "per_query.csv": write_queries(result),
        "table.tex": write_latex(result, comparisons),
        "index.html": write_page(result, comparisons, sections),
    }
    for name, text in texts.items():
        with replace_file(folder / name) as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    return texts["table.md"]
