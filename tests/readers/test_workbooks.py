"""Workbooks of Excel are read as the CSV files of their sheets are."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from openpyxl.chart import BarChart
from tablefiles import codes

import rankbars as rb
from rankbars.readers import explain

ROWS = [
    ["model", "item", "score"],
    *([m, f"q{i}", int(i % k > 0)] for m, k in (("ash", 5), ("birch", 2)) for i in range(8)),
]
WIDE = [["item", "ash", "birch"], *([f"q{i}", i / 10, 0.5 + i / 8] for i in range(6))]


def book(path: Path, *sheets: Sequence[Sequence[Any]], names: Sequence[str] = ()) -> Path:
    made = openpyxl.Workbook()
    for number, rows in enumerate(sheets):
        sheet = made.create_sheet(names[number] if names else None)
        for row in rows:
            sheet.append(row)
    del made["Sheet"]
    made.save(path)
    return path


def text(rows: Sequence[Sequence[Any]]) -> str:
    return "".join(
        ",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows
    )


def edit(path: Path, part: str, old: str, new: str) -> Path:
    """The same workbook with other text in a part."""
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    assert old.encode() in parts[part]
    parts[part] = parts[part].replace(old.encode(), new.encode())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, content in parts.items():
            whole.writestr(name, content)
    return path


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(rb.RankbarsError) as raised:
        rb.read(path, **options)
    return str(raised.value)


SHEET = "xl/worksheets/sheet1.xml"


def same(one: rb.Scores, other: rb.Scores) -> None:
    assert one.models == other.models
    assert list(one.tasks) == list(other.tasks)
    for task, items in other.tasks.items():
        np.testing.assert_array_equal(one.tasks[task].values, items.values)
        assert one.tasks[task].ids == items.ids  # type: ignore[union-attr]


@pytest.mark.parametrize("rows", [ROWS, WIDE, [["Results, 2025"], [], *WIDE]])
def test_a_sheet_is_read_as_its_csv_file_is(tmp_path: Path, rows: list[list[Any]]) -> None:
    (tmp_path / "r.csv").write_text(text(rows).replace("Results, 2025", '"Results, 2025",,'))
    found = rb.read(book(tmp_path / "r.xlsx", rows))
    same(found, rb.read(tmp_path / "r.csv"))


def test_a_workbook_has_its_own_path_and_digest(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", ROWS)
    (given,) = rb.read(path).inputs
    assert (given.path, given.format) == (str(path), "tidy")
    assert given.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_message_names_the_sheet_and_its_row(tmp_path: Path) -> None:
    rows = [[], ["Results"], [], *ROWS[:4], [], [], *ROWS[4:9], ["ash", "q8", "oops"]]
    path = book(tmp_path / "r.xlsx", rows, names=["Our results"])
    told = refusal(path)
    assert f"r.xlsx, sheet 'Our results', row {len(rows)} (model 'ash'" in told


def test_empty_columns_to_the_left_and_cells_that_are_missing_are_no_matter(
    tmp_path: Path,
) -> None:
    rows = [[None, None, *row] for row in WIDE]
    rows[3] = rows[3][:4]
    (tmp_path / "r.csv").write_text(text([*WIDE[:3], [*WIDE[3][:2], None], *WIDE[4:]]))
    same(rb.read(book(tmp_path / "r.xlsx", rows)), rb.read(tmp_path / "r.csv"))


def test_values_keep_what_they_are(tmp_path: Path) -> None:
    numbers = [0.1, 3.0, 1e-12, 12345678.9, 0.30000000000000004, 2.0**50]
    rows = [["item", "ash", "birch"], *([n + 1.0, x, x] for n, x in enumerate(numbers))]
    path = book(tmp_path / "r.xlsx", rows)
    edit(path, SHEET, "<v>0.3</v>", "<v>0.30000000000000004</v>")
    items = rb.read(path, direction="higher").tasks["r"]
    assert items.values[:, 0].tolist() == numbers
    assert items.ids == tuple("123456")  # type: ignore[union-attr]


def test_numbers_are_no_text_to_a_decimal_comma(tmp_path: Path) -> None:
    rows = [["item", "ash", "birch"], ["a", 1.234, "950"], ["b", 0.5, "7,25"], ["c", 800, 1]]
    items = rb.read(book(tmp_path / "r.xlsx", rows), decimal=",", direction="higher").tasks["r"]
    assert items.values.tolist() == [[1.234, 950.0], [0.5, 7.25], [800.0, 1.0]]


def test_dates_truth_values_and_durations(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["model", "item", "date", "score", "elapsed"]]
    for model, right in (("ash", True), ("birch", False)):
        rows += [[model, n, date(2025, 3, n), right, timedelta(seconds=90 * n)]
                 for n in (1, 2)]  # fmt: skip
    path = book(tmp_path / "r.xlsx", rows)
    assert rb.read(path).tasks["r"].values.tolist() == [[1.0, 0.0], [1.0, 0.0]]
    taken = rb.read(path, metric="elapsed", direction="lower")
    assert sorted({*taken.tasks["r"].values.ravel().tolist()}) == [-180.0, -90.0]
    assert any("durations are read as seconds" in note.message for note in taken.notes)
    again = [*rows[:1], *([*row[:2], date(2025, 4, 1), not row[3], row[4]] for row in rows[1:])]
    newest = rb.read(book(tmp_path / "r.xlsx", [*rows, *again[1:]]), reruns="newest")
    assert newest.tasks["r"].values.tolist() == [[0.0, 1.0], [0.0, 1.0]]


def test_errors_of_formulas_are_told_with_their_place(tmp_path: Path) -> None:
    rows = [list(row) for row in WIDE]
    rows[2][1], rows[4][2] = "#DIV/0!", "#N/A"
    found = rb.read(book(tmp_path / "r.xlsx", rows))
    assert np.isnan(found.tasks["r"].values).sum() == 2
    assert any("B3 (#DIV/0!), C5 (#N/A) hold errors" in note.message for note in found.notes)


def test_a_formula_has_the_value_that_was_computed_last(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", WIDE)
    edit(path, SHEET, '<c r="B3" t="n"><v>0.1</v>', '<c r="B3"><f>1/10</f><v>0.1</v>')
    assert rb.read(path).tasks["r"].values[1, 0] == 0.1


@pytest.mark.parametrize("value", ["", "<v></v>", "<v/>"])
def test_a_formula_that_was_never_computed_is_told(tmp_path: Path, value: str) -> None:
    path = book(tmp_path / "r.xlsx", WIDE)
    edit(path, SHEET, '<c r="B3" t="n"><v>0.1</v>', f'<c r="B3"><f>1/10</f>{value}')
    assert "sheet 'Sheet1': the cell B3 holds a formula, and its value is not" in refusal(path)


def pivot(tmp_path: Path, corner: Sequence[str | None], areas: Sequence[str]) -> Path:
    made = openpyxl.Workbook()
    sheet = made["Sheet"]
    sheet.append([corner[0], "rmse", None, "r2", None])
    sheet.append([corner[1], "ash", "oak", "ash", "oak"])
    for number in range(4):
        sheet.append([f"t{number}", number, number + 1, number / 4, number / 5])
    for area in areas:
        sheet.merge_cells(area)
    made.save(tmp_path / "r.xlsx")
    return tmp_path / "r.xlsx"


@pytest.mark.parametrize("corner", [("Task", None), (None, "Task")])
def test_merged_cells_of_a_header_hold_for_all_their_columns(
    tmp_path: Path, corner: tuple[str | None, str | None]
) -> None:
    areas = ["B1:C1", "D1:E1", *["A1:A2"] * (corner[1] is None)]
    path = pivot(tmp_path, corner, areas)
    assert "'ash', 'oak' are measured in several ways ('rmse', 'r2')" in refusal(path)
    found = rb.read(path, metric="r2", direction="higher")
    assert (found.models, list(found.tasks)) == (("ash", "oak"), ["t0", "t1", "t2", "t3"])
    assert found.tasks["t3"].mean.tolist() == [0.75, 0.6]  # type: ignore[union-attr]
    assert any("B1:C1, D1:E1" in note.message for note in found.notes)


def test_merged_names_hold_for_all_their_rows_and_numbers_do_not(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    sheet = made["Sheet"]
    sheet.append(["model", "item", "score"])
    for number, model in enumerate(("ash", None, "birch", None)):
        sheet.append([model, number % 2, None if number == 1 else number / 4])
    for area in ("A2:A3", "A4:A5", "C2:C3"):
        sheet.merge_cells(area)
    made.save(tmp_path / "r.xlsx")
    found = rb.read(tmp_path / "r.xlsx").tasks["r"].values
    np.testing.assert_array_equal(found, [[0.0, 0.5], [np.nan, 0.75]])


def test_what_is_hidden_is_read_and_told(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    sheet = made["Sheet"]
    for row in WIDE:
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    made.save(tmp_path / "r.xlsx")
    found = rb.read(tmp_path / "r.xlsx")
    assert found.tasks["r"].values.shape == (6, 2)
    assert any("hidden is read as well: 1 row and column C." in n.message for n in found.notes)


def test_one_of_several_sheets_is_asked_for(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", WIDE, [], ROWS, names=["Maths", "Empty", "The law"])
    told = refusal(path)
    assert "2 sheets hold something: 'Maths', 'The law'. Choose one: --sheet Maths" in told
    assert "sheet='Maths'" in told
    assert "--sheet '*'" in told
    one = rb.read(path, sheet="The law")
    assert (list(one.tasks), one.inputs[0].path) == (["r"], str(path))
    assert explain(path)[0].reason.startswith("2 sheets hold something")


def test_all_sheets_are_files_of_a_folder(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", ROWS, ROWS, names=["Maths", "Law"])
    (tmp_path / "r").mkdir()
    for name in ("Maths", "Law"):
        (tmp_path / "r" / f"{name}.csv").write_text(text(ROWS))
    found = rb.read(path, sheet="*")
    assert sorted(found.tasks) == ["Law", "Maths"]
    assert [one.path for one in found.inputs] == [f"{path}/Maths", f"{path}/Law"]
    assert "equal-content" not in codes(found)
    same(found, rb.read(tmp_path / "r"))
    same(found, rb.read(path, sheet=["Law", "Maths"]))


def test_a_sheet_is_named_behind_its_workbook(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", ROWS, WIDE, names=["Old", "New"])
    assert list(rb.read(f"{path}/New").tasks) == ["New"]
    assert "there is no sheet 'Newer' in the workbook. It has 'Old', 'New'." in refusal(
        Path(f"{path}/Newer")
    )


def test_a_sheet_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", WIDE)
    with pytest.raises(rb.ReadError, match=r"no sheet 'Law' .* It has 'Sheet1'"):
        rb.read(path, sheet="Law")
    (tmp_path / "r.csv").write_text(text(WIDE))
    with pytest.raises(rb.OptionError, match="none of the inputs is one"):
        rb.read(tmp_path / "r.csv", sheet="Law")


def test_hidden_sheets_are_left_aside_unless_named(tmp_path: Path) -> None:
    made = openpyxl.load_workbook(book(tmp_path / "r.xlsx", WIDE, ROWS, names=["Maths", "Lists"]))
    made["Lists"].sheet_state = "hidden"
    made.save(tmp_path / "r.xlsx")
    found = rb.read(tmp_path / "r.xlsx")
    assert found.tasks["r"].values.shape == (6, 2)
    assert any("Left aside: 'Lists', hidden" in note.message for note in found.notes)
    assert rb.read(tmp_path / "r.xlsx", sheet="Lists").tasks["r"].values.shape == (8, 2)


def test_sheets_of_charts_do_not_count(tmp_path: Path) -> None:
    made = openpyxl.load_workbook(book(tmp_path / "r.xlsx", WIDE))
    made.create_chartsheet("Chart").add_chart(BarChart())
    made.save(tmp_path / "r.xlsx")
    assert rb.read(tmp_path / "r.xlsx").models == ("ash", "birch")


def test_a_store_keeps_what_was_read(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", ROWS, WIDE, names=["Old", "New"])
    store = rb.ResultStore(tmp_path / "s.duckdb")
    store.add(path, sheet="Old")
    same(store.scores(), rb.read(path, sheet="Old"))
    assert not store.add(path, sheet="Old")
    book(path, [*ROWS, ["cedar", "q0", 1], ["cedar", "q1", 0]], WIDE, names=["Old", "New"])
    assert store.add(path)
    assert store.scores().models == ("ash", "birch", "cedar")


def test_without_the_package_it_is_said_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = book(tmp_path / "r.xlsx", WIDE)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(rb.MissingPackageError, match=r'"rankbars\[excel\]"; or save .* as CSV'):
        rb.read(path)
    (tmp_path / "r.csv").write_text(text(WIDE))
    assert "files-skipped" in codes(rb.read(tmp_path))


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("r.xlsx", b"item,ash\nq1,1\n", "is no workbook (Excel). Give it its true suffix"),
        ("r.xlsx", b"PK\x03\x04" + b"\0" * 200, "is cut off or damaged"),
        ("r.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "older Excel (.xls)"),
        (
            "r.xlsx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "with a password. Save it without one",
        ),
        (
            "r.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "Save it as .xlsx, or save its sheet as CSV",
        ),
        ("r.ods", b"PK\x03\x04", "(LibreOffice). Save it as .xlsx"),
    ],
)
def test_what_is_no_workbook_is_told(tmp_path: Path, name: str, content: bytes, part: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert part in refusal(tmp_path / name)


def archive(path: Path, **parts: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as whole:
        for name, content in parts.items():
            whole.writestr(name.replace("__", "/").replace("ConTypes", "[Content_Types]"), content)
    return path


def test_a_workbook_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    bomb = b"<worksheet>" + b"<row/>" * (3 << 20)
    path = book(tmp_path / "r.xlsx", WIDE)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as whole:
        whole.writestr("xl/worksheets/sheet9.xml", bomb)
    assert "the workbook grows to more than" in refusal(path)


@pytest.mark.parametrize("coding", ["utf-8", "utf-16"])
def test_a_part_with_entities_is_refused(tmp_path: Path, coding: str) -> None:
    path = book(tmp_path / "r.xlsx", WIDE)
    with zipfile.ZipFile(path, "a") as whole:
        whole.writestr("xl/other.dat", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode(coding))
    assert "is not as a workbook (Excel) has it" in refusal(path)


def test_a_workbook_that_excel_saved_is_read(tmp_path: Path) -> None:
    path = Path(__file__).parent.parent / "data" / "workbooks" / "readings.xlsx"
    found = rb.read(path, columns={"model": "Station"}, metric="Celsius", direction="higher")
    assert found.models == ("Berlin", "London", "Paris")
    (task,) = found.tasks.values()
    assert task.mean.tolist() == [12.0, 15.0, 18.5]  # type: ignore[union-attr]


def test_what_other_programs_keep_in_a_workbook_is_no_matter(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", WIDE)
    with zipfile.ZipFile(path, "a") as whole:
        whole.writestr("customXml/item1.xml", "<a/>".encode("utf-16"))
    assert rb.read(path).models == ("ash", "birch")


@pytest.mark.parametrize("cell", ["A1048577", "A99999999999", "XFD8"])
def test_cells_beyond_a_sheet_end_in_one_line(tmp_path: Path, cell: str) -> None:
    path = book(tmp_path / "r.xlsx", WIDE)
    row = cell.lstrip("ADFX")
    edit(
        path, SHEET, "</sheetData>", f'<row r="{row}"><c r="{cell}"><v>1</v></c></row></sheetData>'
    )
    assert "the sheet has more than" in refusal(path)


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_workbook_that_is_cut_off_is_left_out_of_a_folder(tmp_path: Path, cut: float) -> None:
    path = book(tmp_path / "r.xlsx", WIDE)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * cut)])
    assert "is cut off or damaged" in refusal(path)
    (tmp_path / "r.csv").write_text(text(WIDE))
    assert "files-damaged" in codes(rb.read(tmp_path))


def test_a_library_that_stumbles_is_no_traceback(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", WIDE)
    edit(path, SHEET, '<c r="B3" t="n"><v>0.1</v>', '<c r="B3" t="s"><v>99</v>')
    assert "is cut off or damaged" in refusal(path)


def test_a_workbook_under_another_name_is_told_as_before(tmp_path: Path) -> None:
    path = book(tmp_path / "r.xlsx", WIDE).rename(tmp_path / "r.csv")
    assert "it is a workbook (Excel). Save its sheet as CSV" in refusal(path)


def test_nothing_of_it_stays_in_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    rb.read(book(tmp_path / "r.xlsx", WIDE))
    assert not [*(tmp_path / "tmp").iterdir()]
