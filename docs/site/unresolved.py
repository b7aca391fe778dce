"""Names in signatures and docstrings that lead to no page of the site, by reason."""

NAMES: list[tuple[str, str]] = []
