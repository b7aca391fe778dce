"""Files that are not what they are read as: the sentence names the format, and its command reads the file."""

import bz2
import gzip
import io
import lzma
import shlex
import shutil
import subprocess
import sys
import zipfile

import pytest

from refrank.cli import main
from refrank.datasets import Columns, load_letor, load_table
from refrank.datasets.other_formats import OtherFormatError

LINES = "".join(f"{row % 3} qid:q{row // 6} 1:{row % 7} 2:{row / 8}\n" for row in range(24))
ROWS = [(row % 3, f"q{row // 6}", row % 7, row / 8, f"u{row}.org") for row in range(24)]
NUMBERED = "".join(",".join(map(str, row)) + "\n" for row in ROWS)
TABLE = "Rel,query_id,a,b,the url\n" + NUMBERED


def zipped(text):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("a", text)
    return content.getvalue()


FILES = {
    "gzip": gzip.compress(LINES.encode()),
    "bzip2": bz2.compress(LINES.encode()),
    "xz": lzma.compress(LINES.encode()),
    "a zip archive": zipped(LINES),
    "UTF-16": LINES.encode("utf-16"),
    "CSV with the columns Rel, query_id, a, b, the url": TABLE.encode(),
    "CSV with the columns 1, 2, 3, 4, 5": NUMBERED.replace(",", ";").encode(),
    "UTF-16 ": TABLE.replace(",", "\t").encode("utf-16"),
    "gzip ": gzip.compress(TABLE.encode()),
}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(command, source=b""):
        stdin = io.TextIOWrapper(io.BytesIO(source))
        monkeypatch.setattr(sys, "stdin", stdin)
        code = main(shlex.split(command))
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


@pytest.mark.parametrize("name", FILES)
def test_the_command_of_the_sentence_reads_the_file(tmp_path, run, name):
    """It does what the command does on lines of LETOR; a program that unpacks may be absent."""
    words = "--algorithm ls --n-rounds 2 --verbose 0 --model"
    (tmp_path / "lines").write_text(LINES)
    assert run(f"train lines {words} expected") == (0, "")
    for file in ("the data", "table.csv"):
        (tmp_path / file).write_bytes(FILES[name])
        code, text = run(f"train {shlex.quote(file)} {words} ours")
        assert code == 2
        before, _, command = text.rstrip("\n").partition("; here is the command: ")
        assert before == f"refrank: error: {file} looks like {name.strip()}"
        program, _, ours = command.rpartition(" | ")
        source = b""
        if program:
            if shutil.which(shlex.split(program)[0]) is None:
                continue
            source = subprocess.run(shlex.split(program), stdout=subprocess.PIPE, check=True).stdout
        assert run(ours.removeprefix("refrank "), source) == (0, "")
        assert run("predict lines --model ours") == run("predict lines --model expected")


def test_the_sentence_of_the_library_has_its_call(tmp_path):
    path = tmp_path / "rows"
    path.write_text(TABLE)
    with pytest.raises(OtherFormatError) as caught:
        load_letor(path)
    call = r"refrank.datasets.load_table(path, Columns('Rel', 'query_id', ('the url',))) reads it"
    assert str(caught.value) == f"{path} looks like CSV with the columns Rel, query_id, a, b, the url: {call}"
    data = load_table(path, Columns("Rel", "query_id", ("the url",)))
    assert data.X.tolist() == [[*row[2:4]] for row in ROWS]
    assert caught.value.suggest(["train", "other"]) == str(caught.value)
    path.write_bytes(b"\x89HDF\r\n\x1a\n")
    for load in (load_letor, load_table):
        with pytest.raises(OtherFormatError, match="rows looks like HDF5: save its table as CSV or Parquet") as caught:
            load(path)
        assert caught.value.suggest(["train", str(path)]) == str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"1 qid:1 1:x,2,3\n1,2,3\n",
        b"1 qid:1\n",
        b"1,2\n3,4\n",
        b"a,b,c\n1,2\n",
        b"a,b,c",
        b'a,b,c\n"1,2,3\n',
        b"\x1f",
        b"",
        b"a b c\n1 2 3\n",
    ],
)
def test_what_looks_like_nothing_else_has_the_fault_of_a_line(tmp_path, content):
    path = tmp_path / "rows"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=str(path)) as caught:
        load_letor(path)
    assert not isinstance(caught.value, OtherFormatError)


def test_parquet_under_another_name(tmp_path, run):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = dict(zip(("y", "query", "a", "b", "url"), map(list, zip(*ROWS, strict=True)), strict=True))
    for name in ("rows", "rows.parquet"):
        parquet.write_table(pa.table(columns), tmp_path / name)
        words = f"train {name} --algorithm ls --n-rounds 2 --model m --verbose 0"
        command = f"refrank {words} --label y --qid query --ignore url"
        looks = "Parquet with the columns y, query, a, b, url; here is the command"
        assert run(words) == (2, f"refrank: error: {name} looks like {looks}: {command}\n")
        assert run(command.removeprefix("refrank ")) == (0, "")


def test_standard_input_is_told_where_the_pipe_goes(run):
    code, text = run("train - --algorithm ls --model m", FILES["gzip"])
    assert code == 2
    assert "looks like gzip" in text
    fault = OtherFormatError("<stdin>", "gzip", "call it .gz", "zcat")
    assert fault.suggest(["predict", "-", "--model", "m"]).endswith("the command: zcat | refrank predict - --model m")
    table = OtherFormatError("<stdin>", "CSV", "", flags=["--label", "y", "--qid", "q"])
    assert table.suggest(["predict", "-"]).endswith("refrank predict - --label y --qid q")
    named = OtherFormatError("rows", "gzip", "call it .gz", "zcat", ["--label", "y"])
    assert named.suggest(["train", "rows", "--label", "z"]).endswith("zcat rows | refrank train - --label z")
