"""A folder of files that are made together: each with what it was made of, written all or none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankbars.data.drafts import write_all
from rankbars.errors import WriteError

__all__ = ["Draft", "MadeFiles", "Outcome", "digest_of", "make_files"]

MANIFEST = ".rankbars-site.json"
_SCHEMA = "rankbars.made/1"


class Draft(NamedTuple):
    """A file that can be made: the digest of all that it is made of, and what makes it."""

    key: str
    make: Callable[[], str | bytes]


class Outcome(NamedTuple):
    """Files that were written, removed, left as they were, and left because they were changed."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    changed: tuple[str, ...]


class MadeFiles(NamedTuple):
    """What was made in a folder: of each file the key of what it was made of, and its digest.

    Attributes
    ----------
    folder : Path
        The folder, which need not be there.
    files : mapping from path to (key, digest)
        Paths are relative to the folder.
    """

    folder: Path
    files: Mapping[str, tuple[str, str]]

    @classmethod
    def of(cls, folder: Path) -> MadeFiles:
        """What the manifest of a folder says; nothing where there is none."""
        if folder.exists() and not folder.is_dir():
            raise WriteError(f"{folder} is a file. Name a folder for the site.")
        place = folder / MANIFEST
        if not place.exists():
            return cls(folder, {})
        try:
            content = json.loads(place.read_text("utf-8"))
            files = {
                str(path): (str(key), str(made)) for path, (key, made) in content["files"].items()
            }
            if any(Path(path).is_absolute() or ".." in Path(path).parts for path in files):
                raise ValueError("a file outside of the folder")
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise WriteError(
                f"{place} cannot be understood, and says which files of {folder} may be replaced. "
                "Name a new folder."
            ) from error
        return cls(folder, files)

    def has(self, path: str, key: str) -> bool:
        """Whether a file is there as it was written, made of what has this key."""
        if path not in self.files or self.files[path][0] != key:
            return False
        return self.is_whole(path)

    def is_whole(self, path: str) -> bool:
        """Whether a file is as it was written."""
        try:
            content = (self.folder / path).read_bytes()
        except OSError:
            return False
        return _sha256(content) == self.files[path][1]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def make_files(held: MadeFiles, drafts: Mapping[str, Draft], *, whole: bool = False) -> Outcome:
    """Write what is not there yet, all or nothing; remove what was made before and is no more.

    Parameters
    ----------
    held : MadeFiles
        What was made in the folder before.
    drafts : mapping from path to Draft
        All files that should be there.
    whole : bool
        Make all of them, even those that are there.

    Raises
    ------
    WriteError
        If a file cannot be written, or one is in the way that was not made here; then nothing
        is changed.
    """
    folder = held.folder
    foreign = [path for path in drafts if path not in held.files and (folder / path).exists()]
    if foreign:
        raise WriteError(
            f"{folder / foreign[0]} is there and was not made by rankbars site; nothing was "
            "written. Name another folder, or move the file."
        )
    kept = [path for path in drafts if not whole and held.has(path, drafts[path].key)]
    made: dict[str, bytes] = {}
    for path in drafts.keys() - set(kept):
        content = drafts[path].make()
        made[path] = content.encode("utf-8") if isinstance(content, str) else content
    files = {
        path: held.files[path] if path not in made else (drafts[path].key, _sha256(made[path]))
        for path in sorted(drafts)
    }
    same = [path for path in made if path in held.files and (folder / path).is_file()
            and (folder / path).read_bytes() == made[path]]  # fmt: skip
    new = {path: made[path] for path in sorted(made) if path not in same}
    # The manifest comes first, with all that is there: a process that is killed in the middle then
    # leaves no file that the next one would take for another maker's.
    _put(folder, {MANIFEST: _manifest({**held.files, **files}), **new})
    gone, edited = [], []
    for path in held.files.keys() - drafts.keys():
        if held.is_whole(path):
            (folder / path).unlink()
            gone.append(path)
        elif (folder / path).exists():
            edited.append(path)
    if held.files.keys() - drafts.keys():
        _put(folder, {MANIFEST: _manifest(files)})
    _remove_empty(folder, gone)
    return Outcome(
        tuple(new), tuple(sorted(gone)), tuple(sorted({*kept, *same})), tuple(sorted(edited))
    )


def _manifest(files: Mapping[str, tuple[str, str]]) -> bytes:
    text = json.dumps({"schema": _SCHEMA, "files": files}, indent=0, sort_keys=True)
    return f"{text}\n".encode()


def _put(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files into a folder, which is made with what is in it where it is not there."""
    made: list[Path] = []
    try:
        for parent in sorted({(folder / path).parent for path in contents}):
            for one in reversed([parent, *parent.parents]):
                if not one.exists():
                    one.mkdir()
                    made.append(one)
        write_all({str(folder / path): content for path, content in contents.items()})
    except BaseException as error:
        for one in reversed(made):
            with suppress(OSError):
                one.rmdir()
        if isinstance(error, OSError) and not isinstance(error, WriteError):
            raise WriteError(f"Cannot write {error.filename}: {error.strerror}.") from error
        raise


def _remove_empty(folder: Path, gone: Sequence[str]) -> None:
    for path in gone:
        with suppress(OSError):  # there is something else in it
            if (folder / path).parent != folder:
                (folder / path).parent.rmdir()


def digest_of(value: Any) -> str:
    """Digest of a value by what it holds: texts, numbers, arrays, dataclasses, and collections."""
    found = hashlib.sha256()
    for part in _bytes_of(value):
        found.update(part)
    return found.hexdigest()


def _bytes_of(value: Any) -> Iterator[bytes]:
    """What a value holds, each part led by its kind and size, so that no two values are alike."""
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            yield from _bytes_of(value.tolist())
            return
        yield f"a{value.dtype.str}{value.shape};".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif is_dataclass(value) and not isinstance(value, type):
        yield f"d{type(value).__name__};".encode()
        for one in fields(value):
            if one.init:  # what is found out later is no part of it
                yield from _bytes_of(getattr(value, one.name))
    elif isinstance(value, Mapping):
        yield f"m{len(value)};".encode()
        for key in value:
            yield from _bytes_of(key)
            yield from _bytes_of(value[key])
    elif isinstance(value, (list, tuple)):
        yield f"l{len(value)};".encode()
        if value and all(type(one) is str for one in value):
            yield json.dumps(value).encode()
        else:
            for one in value:
                yield from _bytes_of(one)
    else:
        text = repr(value)
        yield f"v{len(text)};{text}".encode("utf-8", "backslashreplace")
