"""Files behind URLs: transfers that break, stall, never end or lead elsewhere."""

from __future__ import annotations

import http.server
import io
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commandline import answer

import rankbars as rb
from rankbars.errors import ReadError
from rankbars.readers.transfers import Limits, fetched, register

TABLE = b"model,task,item,score\na,t,1,1\na,t,2,0\nb,t,1,1\nb,t,2,1\n"


class _Odd(http.server.BaseHTTPRequestHandler):
    """Answers as its path says."""

    def do_GET(self) -> None:
        kind = self.path.strip("/").partition(".")[0]
        port = self.server.server_address[1]
        targets = {
            "same": "/good.csv", "other": f"http://localhost:{port}/good.csv",
            "file": "file:///etc/hosts",
        }  # fmt: skip
        if kind in targets:
            self.send_response(302)
            self.send_header("Location", targets[kind])
            self.end_headers()
            return
        self.send_response(200 if kind != "none" else 404)
        if kind == "broken":
            self.send_header("Content-Length", str(len(TABLE) + 100))
        self.end_headers()
        if kind == "none":
            return
        self.wfile.write(TABLE)
        self.wfile.flush()
        if kind == "stalled":
            time.sleep(2)
        if kind == "endless":
            for _ in range(300):
                try:
                    self.wfile.write(bytes(1 << 20))
                except OSError:
                    return

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Odd) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def copied(url: str, limits: Limits | None = None) -> bytes:
    with fetched([url], limits) as files:
        return files[url].read_bytes()


@pytest.mark.parametrize("kind", ["good", "same"])
def test_a_file_behind_a_url_is_copied_whole(address: str, kind: str) -> None:
    assert copied(f"{address}/{kind}.csv") == TABLE


def test_a_host_that_was_not_named_is_followed_only_when_told(address: str) -> None:
    with pytest.raises(ReadError, match="another host, localhost, which is not followed"):
        copied(f"{address}/other.csv")
    assert copied(f"{address}/other.csv", Limits(other_hosts=True)) == TABLE


def test_both_limits_are_options(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = answer(["rank", f"{address}/other.csv", "--quiet"])
    assert refused.code == 1
    assert "--other-hosts (in Python: other_hosts=True)" in refused.err
    assert answer(["rank", f"{address}/other.csv", "--quiet", "--other-hosts"]).code == 0
    assert list(rb.read(f"{address}/other.csv", other_hosts=True).tasks) == ["t"]
    added = ["add", f"{address}/other.csv", "--store", "x.duckdb"]
    assert answer(added).code == 1
    assert answer([*added, "--other-hosts"]).code == 0
    refused = answer(["rank", f"{address}/endless.csv", "--quiet", "--download-limit", "5MB"])
    assert refused.code == 1
    assert "more than 0.005 GB came" in refused.err
    assert "--download-limit 10MB (in Python: download_limit='10MB')" in refused.err
    wrong = answer(["rank", f"{address}/good.csv", "--download-limit", "plenty"])
    assert "limit of a download" in wrong.err


@pytest.mark.parametrize(
    ("kind", "limits", "said"),
    [
        ("broken", Limits(), "broke off 100 bytes before its end"),
        ("stalled", Limits(silence=0.5), "nothing came for 0.5 seconds"),
        ("endless", Limits(size=5e6), "more than 0.005 GB came"),
        ("file", Limits(other_hosts=True), "file:///etc/hosts"),
        ("none", Limits(), "404"),
    ],
)
def test_a_transfer_that_goes_wrong_ends_in_one_line(
    address: str, kind: str, limits: Limits, said: str
) -> None:
    with pytest.raises(ReadError, match=said) as caught:
        copied(f"{address}/{kind}.csv", limits)
    assert "\n" not in str(caught.value)


def test_other_protocols_are_watched_too(tmp_path: Path) -> None:
    class Slow(fsspec.AbstractFileSystem):  # type: ignore[misc]
        protocol = "slowfiles"

        def _open(self, path: str, mode: str = "rb", **more: object) -> object:
            class File:
                def read(self, size: int) -> bytes:
                    time.sleep(2)
                    return b""

                def close(self) -> None:
                    return None

            return File()

    fsspec.register_implementation("slowfiles", Slow, clobber=True)
    with pytest.raises(ReadError, match="nothing came for"):
        copied("slowfiles://x/y.csv", Limits(silence=0.2))


def test_threads_of_the_engine_read_one_file_without_mixing_its_parts(tmp_path: Path) -> None:
    """Reading takes time in which another thread goes elsewhere in the file."""
    from fsspec.implementations.local import LocalFileSystem

    class Far(LocalFileSystem):  # type: ignore[misc]
        protocol = "farfiles"

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return str(super()._strip_protocol(path.removeprefix("farfiles://")))

        def unstrip_protocol(self, name: str) -> str:
            return f"farfiles://{self._strip_protocol(name)}"

        def _open(self, path: str, mode: str = "rb", **more: object) -> object:
            class File(io.BytesIO):
                def read(self, size: int | None = -1, /) -> bytes:
                    time.sleep(1e-4)
                    return super().read(size)

            return File(Path(self._strip_protocol(path)).read_bytes())

    fsspec.register_implementation("farfiles", Far, clobber=True)
    rng, path = np.random.default_rng(0), tmp_path / "results.parquet"
    rows = pa.table({"item": rng.permutation(40_000), "score": rng.random(40_000)})
    pq.write_table(rows, path, row_group_size=500, compression="none", use_dictionary=False)
    query = "SELECT count(*), sum(hash(item)), sum(hash(score)) FROM read_parquet({!r})"
    with duckdb.connect() as connection:
        (wanted,) = connection.execute(query.format(str(path))).fetchall()
    for _ in range(3):
        with duckdb.connect(config={"threads": 8}) as connection:
            register(connection, "farfiles://x")
            found = connection.execute(query.format(f"farfiles://{path}")).fetchall()
        assert found == [wanted]
