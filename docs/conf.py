"""Sphinx's settings for the site, which `python -m docs` builds."""

import os
from pathlib import Path

from sphinx.application import Sphinx

import refrank
from docs.site import annotated, api, documents, mathjax, verdicts

DOCS = Path(__file__).parent

project = "refrank"
author = "the refrank contributors"
copyright = "the refrank contributors; BSD-3-Clause"
version = release = refrank.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.linkcode",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "docs.site.extension",
]
exclude_patterns = ["_build", "site", "exercises", "images"]
root_doc = "index"
nitpicky = True
suppress_warnings = ["myst.header"]  # a chapter's first heading may follow a deeper one

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
default_role = "code"  # of single backticks in docstrings
smartquotes = False  # texts quote values of parameters
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 60
nb_output_stderr = "remove"  # of progress bars
# The kernels of the stories draw with docs.site, which no installation has.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(DOCS.parent), os.environ.get("PYTHONPATH")]))

autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
autosummary_generate = True
numpydoc_show_class_members = False
templates_path = ["site/templates"]
linkcode_resolve = api.find_source

html_theme = "furo"
html_title = "refrank"
html_static_path = ["site/static", "generated/static"]
html_css_files = ["site.css", "print.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it fetches pages, which a browser refuses on file://
html_theme_options = {
    "top_of_page_buttons": [],
    "light_css_variables": {"color-brand-primary": "#0b5a8a", "color-brand-content": "#0b5a8a"},
    "dark_css_variables": {"color-brand-primary": "#7cc0e8", "color-brand-content": "#7cc0e8"},
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
mathjax_path = mathjax.NAME


def setup(app: Sphinx) -> None:
    """Connect what autodoc asks."""
    app.connect("autodoc-skip-member", api.skip_foreign)
    app.connect("autodoc-process-docstring", api.escape_marks, priority=900)  # after numpydoc


GENERATED = DOCS / "generated"
api.write(GENERATED / "api")
documents.write(GENERATED / "repository")
mathjax.write(GENERATED / "static")
annotated.write(GENERATED)
verdicts.write(GENERATED)
