"""The text of a gzip file, decompressed up to a bound.

A gzip file of a megabyte may unpack to a gigabyte: it is refused at the bound, and nothing beyond is unpacked.
"""

import gzip
import io
import zlib

# Deflate packs up to 1,032 bytes into one. It packs 5 bytes of MQ2008 into one, 4 or 5 of MSLR, and 187 of rows that
# list 136 zeros each and nothing else. Below the floor, no protection is needed.
MOST_UNPACKED = 200  # bytes of text per byte of a gzip file
UNPACKED_FLOOR = 10**8


class UnreadableError(ValueError):
    """An input that cannot be read as text, whatever its lines hold."""


class UnzippedText(io.RawIOBase):
    """The text of a gzip file of `n_zipped` bytes, up to the bound."""

    def __init__(self, name: str, file: io.BufferedIOBase, n_zipped: int) -> None:
        self.name, self.most_bytes, self.n_read = name, max(MOST_UNPACKED * n_zipped, UNPACKED_FLOOR), 0
        self.zipped = gzip.GzipFile(fileobj=file, mode="rb")

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, place: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer with text, as far as there is some within the bound."""
        try:
            text = self.zipped.read(min(len(place), self.most_bytes + 1 - self.n_read))
        except (EOFError, zlib.error, gzip.BadGzipFile) as failure:
            raise UnreadableError(f"{self.name}: the gzip file is damaged or cut short: {failure}") from failure
        place[: len(text)] = text
        self.n_read += len(text)
        if self.n_read > self.most_bytes:
            rule = f"{MOST_UNPACKED} times its size and {UNPACKED_FLOOR} bytes are taken for a mistake"
            raise UnreadableError(
                f"{self.name} unpacks to more than {self.most_bytes} bytes: more than {rule}; unpack it first"
            )
        return len(text)
