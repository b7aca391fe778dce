"""The site's source: `python -m docs` builds it into docs/_build/html."""
