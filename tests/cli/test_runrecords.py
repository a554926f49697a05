"""Records of evaluation runs: JSON, lines of JSON, and tables, whatever is in them."""

import json

import pytest

import rankbars as rb
from rankbars.cli.tablecommand import parse_records

RECORDS = [
    {"model_id": "a", "task_id": "t", "metric_name": "acc", "score": 0.5, "weight": 2.0},
    {"model_id": "b, c", "task_id": "t", "metric_name": "acc", "score": 1.0, "category": "x"},
]


def as_table(sign: str) -> bytes:
    columns = ("model_id", "task_id", "metric_name", "score", "category", "weight")
    rows = [[f'"{record.get(name, "")}"' for name in columns] for record in RECORDS]
    return "\n".join(sign.join(row) for row in ([*columns], *rows)).encode()


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(RECORDS).encode(),
        b"\xef\xbb\xbf" + json.dumps(RECORDS, indent=1).encode(),
        "\n".join(map(json.dumps, RECORDS)).encode() + b"\n\n",
        as_table(","),
        as_table("\t").replace(b"\n", b"\r\n"),
    ],
)
def test_the_same_records_are_read_from_every_form(content: bytes) -> None:
    assert parse_records(content, "runs") == RECORDS


def test_one_record_may_stand_over_several_lines() -> None:
    assert parse_records(json.dumps(RECORDS[0], indent=2).encode(), "run.json") == RECORDS[:1]


@pytest.mark.parametrize("content", [b"[]", b"model_id,task_id,metric_name,score\n"])
def test_no_records_make_an_empty_table(content: bytes) -> None:
    assert rb.plain_table(parse_records(content, "runs")).rows == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "runs: the file is empty"),
        (b" \n", "runs: the file is empty"),
        (b"\xff\xfe1", "not UTF-8"),
        (b"[1, 2]", "record 1 is no object with fields, but a int"),
        (b'{"model_id": "a"}\n{"model_id": ', "runs, row 2: it holds no valid JSON"),
        (b"[" * 100_000, "no valid JSON"),
        (b"model_id,score\na,0.5,7\n", "runs, row 2: there are more cells than columns"),
    ],
)
def test_what_holds_no_records_is_refused_with_the_place(content: bytes, message: str) -> None:
    with pytest.raises(rb.ReadError, match=message):
        parse_records(content, "runs")


@pytest.mark.parametrize("cell", ["much", "NaN", "1.2", ""])
def test_a_score_in_a_table_that_is_none_is_named_with_its_record(cell: str) -> None:
    records = parse_records(f"model_id,task_id,metric_name,score\na,t,acc,{cell}\n".encode(), "r")
    with pytest.raises(rb.DataError, match="Record 1"):
        rb.plain_table(records)
