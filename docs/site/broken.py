"""Links of the built site that lead nowhere."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

ANCHOR = re.compile(r'\s(?:id|name)="([^"]+)"')
TARGET = re.compile(r'<(?:a|link|script|img|object|source)\b[^>]*?\s(?:href|src|data)="([^"]*)"')
COMPUTED = "step.html"  # whose script makes the places that its anchors name


def list_broken(site: Path) -> Iterator[str]:
    """Yield the links of a built site whose file or anchor does not exist: "page: address"."""
    texts = {page: page.read_text(encoding="utf-8") for page in sorted(site.rglob("*.html"))}
    anchors = {page: set(ANCHOR.findall(text)) for page, text in texts.items() if page.name != COMPUTED}
    for page, text in texts.items():
        for address in sorted(set(TARGET.findall(text))):
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = Path(os.path.normpath(page.parent / unquote(parts.path))) if parts.path else page
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and anchor not in anchors.get(target, {anchor})):
                yield f"{page.relative_to(site).as_posix()}: {address}"
