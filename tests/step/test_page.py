"""The page is one file: modules without imports, the toy query, and a document that parses back."""

import json
import re

import pytest

from refrank.inspection.step.page import SOURCE, write_page

TEMPLATE = """<!doctype html>
<style>/*STYLE*/</style>
<script type="application/json" id="document">/*DOCUMENT*/</script>
<script type="text/plain" id="port">/*PORT*/</script>
<script>/*SCRIPT*/</script>
"""
FILES = {
    "page.html": TEMPLATE,
    "port/index.js": 'export const ORDER = ["b.js", "a.js"];\n',
    "port/a.js": 'import { twice } from "./b.js";\n\nexport function fourfold(x) { return twice(twice(x)); }\n',
    "port/b.js": "export const twice = (x) => x + x;\n",
    "faults.js": 'export const FAULTS = [{ line: "/*PORT*/" }];\n',
    "view/index.js": 'export const ORDER = ["view.js"];\n',
    "view/view.js": 'import TOY from "../toy.json" with { type: "json" };\nimport {\n  twice,\n} from "../port/b.js";\n'
    "twice(TOY);\n",
    "view/style.css": "p { margin: 0 }\n",
}  # fmt: skip


@pytest.fixture
def source(tmp_path):
    for name, text in (FILES | {"toy.json": (SOURCE / "toy.json").read_text()}).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def read_part(page, opening):
    return re.search(f"(?s){re.escape(opening)}(.*?)</script>", page)[1]


def test_modules_stand_in_their_order_without_imports_and_exports(source, tmp_path):
    write_page(None, tmp_path / "out.html", source)
    page = (tmp_path / "out.html").read_text()
    port = "const twice = (x) => x + x;\n\nfunction fourfold(x) { return twice(twice(x)); }\n"
    assert read_part(page, 'id="port">') == port
    assert read_part(page, 'id="document">') == "null"
    toy = f"const TOY = {(SOURCE / 'toy.json').read_text().strip()};\n"
    assert read_part(page, "<script>") == f'{toy}{port}const FAULTS = [{{ line: "/*PORT*/" }}];\ntwice(TOY);\n'
    assert "<style>p { margin: 0 }\n</style>" in page


@pytest.mark.parametrize("name", ["</script><script>x()", "<!--", "/*PORT*/", "\u2028", "é \\ \""])  # fmt: skip
def test_a_document_parses_back_whatever_its_names_are(name, source, tmp_path):
    document = {"manifest": {"features": [name]}, "records": [{"values": [-0.0, 5e-324, 0.1, "-inf"]}]}
    write_page(document, tmp_path / "out.html", source)
    text = read_part((tmp_path / "out.html").read_text(), 'id="document">')
    assert "<" not in text
    assert str(json.loads(text)) == str(document)  # -0.0, too


def test_a_page_that_is_too_large_is_refused_with_its_size(source, tmp_path):
    with pytest.raises(ValueError, match=r"out.html would have 1,\d\d\d,\d\d\d bytes: a page must be below 1,000,000"):
        write_page({"values": [0] * 500_000}, tmp_path / "out.html", source)
    assert not (tmp_path / "out.html").exists()
