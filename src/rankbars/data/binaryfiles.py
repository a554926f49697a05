"""Files that hold no text: what they are, and what to do about them."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["COMPRESSIONS", "binary_kind"]

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")

# How files start that hold no text, whatever they are called, and what they are.
_PACKED = {
    b"\x1f\x8b\x08": ("gzip", ".gz"),
    b"BZh": ("bzip2", ".bz2"),
    b"\xfd7zXZ\0": ("xz", ".xz"),
    b"\x28\xb5\x2f\xfd": ("Zstandard", ".zst"),
}
_WORKBOOK = "a workbook (Excel). Save its sheet as CSV, and read that."
_ARCHIVE = "an archive. Unpack it, and read the files that were in it."
_PARQUET = "Save the table as Parquet or CSV, and read that."
_OBJECT = f"an object that Python saved, which could run anything. {_PARQUET}"
_PICTURE = "a picture. The numbers that it shows are needed, as a table."
_BINARY = {
    b"PK\x03\x04": f"a ZIP archive{_ARCHIVE.removeprefix('an archive')}",
    b"7z\xbc\xaf\x27\x1c": _ARCHIVE,
    b"Rar!\x1a\x07": _ARCHIVE,
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _WORKBOOK,
    b"SQLite format 3\0": "a database (SQLite). Write its table to a CSV file, and read that.",
    b"PAR1": f"a Parquet file. {_PARQUET}",
    b"ARROW1\0\0": f"an Arrow (Feather) file. {_PARQUET}",
    b"\x93NUMPY": f"an array of NumPy. {_PARQUET}",
    b"\x80\x04\x95": _OBJECT,
    b"\x80\x05\x95": _OBJECT,
    b"%PDF-": "a PDF. The numbers that it shows are needed, as a table.",
    b"\x89PNG\r\n": _PICTURE,
    b"\xff\xd8\xff": _PICTURE,
    b"GIF8": _PICTURE,
}
# What the first members of a workbook's archive are called.
_SHEETS = (b"[Content_Types].xml", b"docProps/", b"xl/", b"opendocument.spreadsheet")


def binary_kind(head: bytes, path: str | os.PathLike[str]) -> str:
    r"""What a file is that holds no text, and what to do; empty where its start does not say it.

    Parameters
    ----------
    head : bytes
        Its first bytes; of a file called after its compression, unpacked.
    path : path
        What it is called.

    Examples
    --------
    >>> binary_kind(b"\x1f\x8b\x08\0", "results.csv")
    'it is compressed (gzip), which its name does not say. Call it results.csv.gz.'
    >>> binary_kind(b"model,item,score", "results.csv")
    ''
    """
    name = Path(path).name
    for start, (packer, suffix) in _PACKED.items():
        if head.startswith(start):
            if name.lower().endswith(COMPRESSIONS):
                return f"it is compressed twice ({packer} inside). Unpack it once."
            told = "which its name does not say"
            return f"it is compressed ({packer}), {told}. Call it {name}{suffix}."
    for start, kind in _BINARY.items():
        if head.startswith(start):
            sheet = start.startswith(b"PK") and any(one in head[:4096] for one in _SHEETS)
            return f"it is {_WORKBOOK if sheet else kind}"
    return ""
