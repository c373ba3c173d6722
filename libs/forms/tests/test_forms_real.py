"""Real forms: what is found in them, and that nothing else of them changes."""

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest
from forms_made import parts_of
from lxml import etree
from stemma_forms import Field, Kind, fill, find_fields

FILES = Path(__file__).with_name("files")
TRUTH: dict[str, list[tuple[str, str]]] = json.loads((FILES / "truth.json").read_text(encoding="utf-8"))
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
each_form = pytest.mark.parametrize("name", TRUTH)


def answer(field: Field, number: int) -> str:
    match field.kind:
        case Kind.CHECKBOX:
            return "yes"
        case Kind.CHOICE:
            return field.allowed[-1]
        case Kind.DATE:
            return "2026-11-24"
        case Kind.NUMBER:
            return "12.5"
        case _:
            return f"Answer {number}\nand its second line"


def all_answers(fields: tuple[Field, ...]) -> dict[str, str]:
    return {field.id: answer(field, number) for number, field in enumerate(fields)}


@pytest.mark.req("L7")
@each_form
def test_what_is_to_be_filled_is_found(name: str) -> None:
    left = list(find_fields((FILES / name).read_bytes()))
    found, hits = len(left), 0
    for place, question in TRUTH[name]:
        same = (f for f in left if (not place or f.place == place) and question.casefold() in f.question.casefold())
        if hit := next(same, None):
            left.remove(hit)
            hits += 1
    assert hits / len(TRUTH[name]) >= 0.97
    assert hits / found >= 0.92


@pytest.mark.req("L7")
@each_form
def test_only_answers_change_all_else_stays_part_by_part_and_no_text_is_asked_for_any_more(name: str) -> None:
    content = (FILES / name).read_bytes()
    fields = find_fields(content)
    filled = fill(content, all_answers(fields))
    assert filled == fill(content, dict(reversed(all_answers(fields).items())))
    assert fill(content, {}) == content
    before, after = parts_of(content), parts_of(filled)
    changed = [part for part in before if before[part] != after[part]]
    assert entries(content) == entries(filled)
    assert [field for field in find_fields(filled) if field.kind is Kind.TEXT] == []
    if name.endswith(".docx"):
        assert changed == ["word/document.xml"]
        differing = changed_paragraphs(before[changed[0]], after[changed[0]])
        assert differing
        assert [
            words for words in differing if "Answer" not in words and "☒" not in words and "checked" not in words
        ] == []
    else:
        assert changed == ["xl/worksheets/sheet1.xml"]
        assert changed_cells(before[changed[0]], after[changed[0]]) == {f.place.partition("!")[2] for f in fields}


def entries(content: bytes) -> list[tuple[object, ...]]:
    """What an archive says of its entries: their order, names, dates, packing and attributes."""
    with ZipFile(BytesIO(content)) as package:
        return [said(entry) for entry in package.infolist()]


def said(entry: ZipInfo) -> tuple[object, ...]:
    return (entry.filename, entry.date_time, entry.compress_type, entry.external_attr, entry.create_system)


def changed_paragraphs(before: bytes, after: bytes) -> list[str]:
    """The new paragraphs that differ, of two documents that are equal in everything outside of paragraphs."""
    old, new = etree.fromstring(before), etree.fromstring(after)
    pairs = list(zip(old.iter(f"{W}p"), new.iter(f"{W}p"), strict=True))
    differing = [canonical(other).decode() for one, other in pairs if canonical(one) != canonical(other)]
    for tree in (old, new):
        for paragraph in list(tree.iter(f"{W}p")):
            paragraph.clear()
    assert canonical(old) == canonical(new)
    return differing


def changed_cells(before: bytes, after: bytes) -> set[str]:
    """Which cells differ, of two sheets that are equal in everything else."""
    old, new = etree.fromstring(before), etree.fromstring(after)
    pairs = list(zip(old.iter(f"{S}c"), new.iter(f"{S}c"), strict=True))
    changed = {one.get("r", "") for one, other in pairs if canonical(one) != canonical(other)}
    assert all(one.get("s") == other.get("s") for one, other in pairs)
    for tree in (old, new):
        for cell in tree.iter(f"{S}c"):
            if cell.get("r") in changed:
                cell.clear()
    assert canonical(old) == canonical(new)
    return changed


def canonical(element: etree._Element) -> bytes:
    return etree.tostring(element, method="c14n")
