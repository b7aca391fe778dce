"""Bytes that are not those of a whole model file: a ValueError that names the file, or the model that was written."""

import io
import zipfile
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.models import load_model
from tests.models.kinds import train
from tests.models.members import HEAD, KINDS, answer, encode, fault_of, refused_or_harmless, write


def test_what_runs_or_grows_is_not_read(tmp_path, parts):
    """Pickles, objects, and headers that promise more than there is."""
    objects = io.BytesIO()
    np.save(objects, np.array([print], dtype=object), allow_pickle=True)
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%s,), }"
    contents = [objects.getvalue(), b"", b"\x93NUMPY", b"\x93NUMPY\x03\x00" + bytes(200)]
    for length, content in (
        *((b"\x40\x00", header % size) for size in (b"7", b"5", b"9" * 30, b"-6")),
        *((b"\xff\xff", header % b"6"), (b"\x40\x00", header.replace(b"f8", b"f9") % b"6")),
    ):
        contents.append(b"\x93NUMPY\x01\x00" + length + content.ljust(63) + b"\n" + bytes(48))
    contents.append(b"\x93NUMPY\x02\x00\x40\x00" + (header % b"6").ljust(63) + b"\n" + bytes(48))
    for content in contents:
        write(tmp_path / "m", parts["own target"] | {"target_.npy": content})
        fault_of(tmp_path / "m", "target_.npy")


def test_members_missing_added_doubled_or_compressed(tmp_path, parts):
    path, members = tmp_path / "m", parts["own target"]
    write(path, members, zipfile.ZIP_DEFLATED)
    fault_of(path, "stored, not compressed")
    write(path, {"more.npy": np.random.default_rng(0).bytes(99)}, zipfile.ZIP_DEFLATED)  # which makes it no shorter
    fault_of(path, "stored, not compressed")
    write(path, members | {"more.npy": np.zeros(1)})
    fault_of(path, "it has a member more.npy that head.json does not name")
    for name in ("more.txt", "a.txt", "head.json.txt", "head.json/x", "folder/", "../../m"):
        write(path, members | {name: b""})
        fault_of(path, f"it has a member {name!r}: members are head.json and .npy arrays")
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as file:
        file.writestr(HEAD, "{}")
    fault_of(path, "each have a name and bytes of their own")
    write(path, {"target_.npy": b""})
    fault_of(path, "it has no member head.json")


def test_members_that_share_bytes(tmp_path):
    """One in the bytes of another, and so on, would unpack to the square of the file."""
    inner, path = io.BytesIO(), tmp_path / "m"
    with zipfile.ZipFile(inner, "w") as file:
        file.writestr("b.npy", bytes(1000))
        [shared] = file.infolist()
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.npy", inner.getvalue())
        shared.header_offset = 30 + len("a.npy")  # after its header: in its bytes
        file.filelist.append(shared)
    fault_of(path, "each have a name and bytes of their own")


MODEL = '{"format": "refrank model", "version": 2, "model": '
EARLIER = "written by an earlier refrank, and must be trained again"


@pytest.mark.parametrize(
    ("head", "message"),
    [
        *(("", ""), ("[]", "format must be"), ("null", "format must be"), ("[" * 100_000, "nested too deeply")),
        (MODEL + '{"type": ' * 100_000, "nested too deeply"),
        ('{"format": "refrank model", "version": ' + "9" * 10_000 + "}", ""),
        (MODEL + "NaN}", "head.json holds NaN: numbers must be finite"),
        ('{"format": "refrank forest", "version": 1}', EARLIER),
        # not even in a zip
        *((content, "") for content in (b"", b"refrank", b"\xff\xfe\x00", b"\x80\x04\x95", b"[" * 100_000, b"{}")),
        (b'{"format":"refrank model","version":1,"algorithm":"ls"}', EARLIER),
        (b"{" + b" " * 83 + b'"refrank model"', EARLIER),  # within the first 99 bytes
        (b"{" + b" " * 84 + b'"refrank model"', "not a zip file"),
    ],
)
def test_what_is_no_model_at_all(tmp_path, head, message):
    if isinstance(head, str):
        write(tmp_path / "m", {HEAD: head.encode()})
    else:
        (tmp_path / "m").write_bytes(head)
    fault_of(tmp_path / "m", message)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(OSError, match=r"none\.model"):
        load_model(tmp_path / "none.model")
    fault_of(tmp_path, "it is a directory")


def test_a_file_cut_short_anywhere(tmp_path, parts):
    write(tmp_path / "m", parts["ordinal"])
    whole = (tmp_path / "m").read_bytes()
    for length in range(0, len(whole) - 1, 61):
        (tmp_path / "m").write_bytes(whole[:length])
        fault_of(tmp_path / "m")


@given(place=st.integers(0, 10**6), byte=st.integers(1, 255))
def test_one_wrong_byte_is_refused_or_harmless(tmp_path_factory, parts, place, byte):
    """The checksums of the zip see every change of a member."""
    path = tmp_path_factory.getbasetemp() / "damaged"
    write(path, parts["ordinal"])
    damaged = bytearray(path.read_bytes())
    damaged[place % len(damaged)] ^= byte
    path.write_bytes(damaged)
    refused_or_harmless(path, "ordinal")
    with suppress(ValueError):
        assert answer(load_model(path), "ordinal") == answer(train("ordinal"), "ordinal")


@given(data=st.data())
def test_one_wrong_byte_with_its_checksum_mended(tmp_path_factory, parts, data):
    name = data.draw(st.sampled_from(KINDS))
    member = data.draw(st.sampled_from(sorted(parts[name])))
    damaged = bytearray(encode(parts[name][member]))
    damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "mended"
    write(path, parts[name] | {member: bytes(damaged)})
    refused_or_harmless(path, name)
