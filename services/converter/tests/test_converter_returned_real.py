"""Ten real documents come back from Word and LibreOffice, changed in every way: all is found, and nothing else."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias
from zipfile import ZipFile

import pytest
from stemma_converter.converter import Converter
from stemma_converter.placing import Draft
from stemma_markdown import document_of
from stemma_ooxml.word import W

from .test_converter_returned import (
    Root,
    edited,
    exported,
    gone_tracked,
    merge_silent,
    merge_tracked,
    move_tracked,
    new_behind,
    new_row,
    read,
    remove,
    row_of,
    silent,
    split_before,
    text_of,
    tracked,
)

_LIBS = Path(__file__).parents[3] / "libs"
_FILES = (
    "labelled/alaska-search-rfp.md", "labelled/fedramp-dashboard-rfq.md", "deadlines/dol-14c-rfq.md",
    "deadlines/talentmap-rfq.md", "revisions/rfq-5.md", "rfp/proposal-format.md",
    "translations/seen/the-debian-project/de.md", "translations/seen/the-debian-project/fr.md",
    "translations/unseen/release-lifecycle/ja.md", "QASP.md",
)  # fmt: skip
# What stands for itself in Markdown, so that it is known what a draft becomes.
_PLAIN = re.compile(r"[^*_`\[\]<>|\\#~^$&!{}]+")
_WORD = re.compile(r"[^\W\d_]{4}")
_SENTENCE = re.compile(r"[.。] ?(?=[A-Z]\w)")
_ITEM = re.compile(r"[-*+] +")
_NEW, _OTHER = "Some wholly new words.", "Xyloph"
_APART, _ROUNDS = 2, 3


class Place(NamedTuple):
    """Prose of a draft that stands there once, where it is, and the paragraph of the file that shows it."""

    start: int
    end: int
    source: str
    before: str
    shown: Root
    level: int
    is_plain: bool


class Change(NamedTuple):
    """That the draft says something else from ``start`` to ``end``."""

    start: int
    end: int
    text: str


Edit: TypeAlias = Callable[[str, Place, Place, bool], Sequence[Change]]


def real_text(name: str) -> str:
    if name != "QASP.md":
        return (_LIBS / "evidence/tests" / name).read_text("utf-8")
    with ZipFile(_LIBS / "client/src/stemma_client/samples/bid/request.zip") as request:
        return request.read(name).decode()


def _said(text: str) -> str:
    return " ".join(text.split())


def places(text: str, root: Root) -> Iterator[Place]:
    shown = dict[str, list[Root]]()
    for paragraph in root.iter(f"{W}p"):
        shown.setdefault(_said(text_of(paragraph)), []).append(paragraph)
    found = document_of(text).prose
    times = Counter(_said(one.text) for one in found)
    for one in found:
        words, source = _said(one.text), text[one.start : one.end]
        if times[words] == 1 == len(shown.get(words, ())) and not one.in_footnote:
            before = text[text.rfind("\n", 0, one.start) + 1 : one.start]
            is_plain = _PLAIN.fullmatch(source) is not None and _said(source) == words
            yield Place(one.start, one.end, source, before, shown[words][0], one.level, is_plain)


def _is_text(text: str, one: Place) -> bool:
    before, behind = text[one.start - 3 : one.start], text[one.end : one.end + 3]
    stands_alone = before[1:] == "\n\n" == behind[:2] and "\n\n\n" not in (before, behind)
    return not one.level and not one.before and stands_alone and next(one.shown.iterancestors()).tag == f"{W}body"


def _is_line(text: str, one: Place) -> bool:
    return _is_text(text, one) and one.is_plain and "\n" not in one.source


def _is_item(text: str, one: Place) -> bool:
    lines = text[: one.start].count("\n"), text.split("\n")
    around = [lines[1][n] for n in (lines[0] - 1, lines[0], lines[0] + 1) if 0 <= n < len(lines[1])]
    return len(around) == 3 and all(_ITEM.match(line) and line[0] == one.before[:1] for line in around) and one.is_plain


def _is_cell(text: str, one: Place) -> bool:
    line = text[text.rfind("\n", 0, one.start) + 1 : text.find("\n", one.end)]
    is_head = text[text.find("\n", one.end) + 1 :].startswith(("|-", "| -", "|:", "| :"))
    is_row = one.is_plain and line.startswith("|") and line.endswith("|") and not is_head
    return is_row and next(one.shown.iterancestors(f"{W}tc"), None) is not None


def _word(text: str, one: Place, _: Place, is_tracked: bool) -> Sequence[Change]:
    shown = text_of(one.shown)
    found = next(word for word in _WORD.finditer(one.source) if one.source.count(word[0]) == 1 == shown.count(word[0]))
    (tracked if is_tracked else silent)(one.shown, found[0], _OTHER)
    return [Change(one.start + found.start(), one.start + found.end(), _OTHER)]


def _new(text: str, one: Place, _: Place, is_tracked: bool) -> Sequence[Change]:
    new_behind(one.shown, _NEW, is_tracked=is_tracked)
    return [Change(one.end, one.end, f"\n\n{_NEW}")]


def _gone(text: str, one: Place, _: Place, is_tracked: bool) -> Sequence[Change]:
    (gone_tracked if is_tracked else remove)(one.shown)
    return [Change(one.start, one.end + 2, "")]


def _move(text: str, one: Place, other: Place, is_tracked: bool) -> Sequence[Change]:
    if is_tracked:
        move_tracked(other.shown, one.shown)
    else:
        one.shown.addprevious(other.shown)
    return [Change(one.start, one.start, f"{other.source}\n\n"), Change(other.start, other.end + 2, "")]


def _split(text: str, one: Place, _: Place, is_tracked: bool) -> Sequence[Change]:
    at = next(found for found in _SENTENCE.finditer(one.source) if one.source[found.end() - 1] == " ").end()
    split_before(one.shown, one.source[at:])
    return [Change(one.start + at - 1, one.start + at, "\n\n")]


def _merge(text: str, one: Place, other: Place, is_tracked: bool) -> Sequence[Change]:
    merge_tracked(one.shown) if is_tracked else merge_silent(one.shown, other.shown)
    return [Change(one.end, other.start, " ")]


def _copy(text: str, one: Place, _: Place, is_tracked: bool) -> Sequence[Change]:
    one.shown.addnext(deepcopy(one.shown))
    return [Change(one.end, one.end, f"\n\n{_said(one.source)}")]


def _new_item(text: str, one: Place, _: Place, is_tracked: bool) -> Sequence[Change]:
    new_behind(one.shown, _NEW, is_tracked=is_tracked, like=True)
    return [Change(one.end, one.end, f"\n{one.before}{_NEW}")]


def _line_gone(text: str, one: Place, _: Place, is_tracked: bool) -> Sequence[Change]:
    rows = list(one.shown.iterancestors(f"{W}tr"))
    remove(rows[0] if rows else one.shown)
    return [Change(text.rfind("\n", 0, one.start) + 1, text.find("\n", one.end) + 1, "")]


def _new_row(text: str, one: Place, _: Place, is_tracked: bool) -> Sequence[Change]:
    row = row_of(one.shown)
    cells = [f"Nova {number}" for number, _ in enumerate(row.iterfind(f"{W}tc"))]
    new_row(row, cells)
    end = text.find("\n", one.end) + 1
    return [Change(end, end, f"| {' | '.join(cells)} |\n")]


WAYS: Mapping[str, tuple[Callable[[str, Place, Place], bool], Edit]] = {
    "word": (lambda text, one, _: _is_text(text, one), _word),
    "new": (lambda text, one, _: _is_text(text, one), _new),
    "gone": (lambda text, one, _: _is_text(text, one), _gone),
    "move": (lambda text, one, other: _is_text(text, one) and _is_text(text, other), _move),
    "split": (lambda text, one, _: _is_line(text, one), _split),
    "merge": (
        lambda text, one, other: _is_line(text, one) and _is_line(text, other) and other.start == one.end + 2,
        _merge,
    ),
    "copy": (lambda text, one, _: _is_text(text, one) and one.is_plain, _copy),
    "item": (lambda text, one, _: _is_item(text, one), _word),
    "new item": (lambda text, one, _: _is_item(text, one), _new_item),
    "item gone": (lambda text, one, _: _is_item(text, one), _line_gone),
    "cell": (lambda text, one, _: _is_cell(text, one), _word),
    "row": (lambda text, one, _: _is_cell(text, one), _new_row),
    "row gone": (lambda text, one, _: _is_cell(text, one), _line_gone),
    "heading": (lambda text, one, _: one.level > 0 and one.before.startswith("#"), _word),
}  # fmt: skip
"""Ways to edit: whether it can be done at a place, with the one behind it, and how."""


def edits(text: str, root: Root, *, is_tracked: bool) -> Iterator[tuple[str, Sequence[Change]]]:
    """Edit in every way up to three times, at places that lie apart."""
    found = list(places(text, root))
    free = [True] * len(found)
    for way, (fits, edit) in [item for _ in range(_ROUNDS) for item in WAYS.items()]:
        for number in range(1, len(found) - 2):
            one, other = found[number : number + 2]
            if all(free[max(0, number - _APART) : number + _APART + 1]) and fits(text, one, other):
                try:
                    made = edit(text, one, other, is_tracked)
                except StopIteration:
                    continue
                free[number] = free[number + 1] = False
                yield way, made
                break


def after(text: str, changes: Sequence[Change]) -> str:
    for change in sorted(changes, reverse=True):
        text = text[: change.start] + change.text + text[change.end :]
    return text


def saved_by_libreoffice(files: Mapping[str, bytes], folder: Path) -> dict[str, bytes]:
    for name, content in files.items():
        (folder / f"{name}.docx").write_bytes(content)
    profile, out = f"-env:UserInstallation=file://{folder}/profile", folder / "out"
    command = ["soffice", profile, "--headless", "--convert-to", "docx", "--outdir", f"{out}"]
    subprocess.run([*command, *map(str, folder.glob("*.docx"))], check=True, capture_output=True, timeout=600)
    return {name: (out / f"{name}.docx").read_bytes() for name in files}


def _edit_all(text: str, is_tracked: bool, made: list[tuple[str, Sequence[Change]]], root: Root) -> None:
    made += edits(text, root, is_tracked=is_tracked)


async def changed(
    converter: Converter, name: str
) -> tuple[dict[str, bytes], dict[str, str], Counter[str], tuple[Draft, ...]]:
    text = real_text(name)
    content, drafts = await exported(converter, text)
    files, wanted, counts = {"unchanged": content}, {"unchanged": text}, Counter[str]()
    for kind in ("tracked", "silent"):
        made = list[tuple[str, Sequence[Change]]]()
        files[kind] = edited(content, partial(_edit_all, text, kind == "tracked", made))
        wanted[kind] = after(text, [change for _, changes in made for change in changes])
        counts.update(f"{kind} {way}" for way, _ in made)
    return files, wanted, counts, drafts


def came_back(files: Mapping[str, bytes], drafts: tuple[Draft, ...], *, loses: Collection[str] = ()) -> dict[str, str]:
    """What the draft says then; nothing is left over or told that cannot be taken over, but what a program loses."""
    found = {kind: read(content, drafts).sections[0] for kind, content in files.items()}
    assert [words for one in found.values() for words in one.unwritten] == []
    assert {told.change for one in found.values() for told in one.unsupported} <= set(loses)
    return {kind: one.edits[-1].after if one.edits else drafts[0].text for kind, one in found.items()}


@pytest.mark.req("W3")
async def test_a_real_document_comes_back_as_people_changed_it(converter: Converter) -> None:
    files, wanted, counts, drafts = await changed(converter, "rfp/proposal-format.md")
    assert came_back(files, drafts) == wanted
    assert counts.total() > 10


@pytest.mark.full
@pytest.mark.req("W3")
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("name", _FILES)
async def test_ten_real_documents_come_back_as_people_changed_them_also_from_libreoffice(
    converter: Converter, tmp_path: Path, name: str
) -> None:
    files, wanted, counts, drafts = await changed(converter, name)
    assert came_back(files, drafts) == wanted
    # It drops formulas that it cannot read, such as `$100,000−$`.
    saved = saved_by_libreoffice(files, tmp_path)
    assert came_back(saved, drafts, loses=("formulas_changed",)) == wanted
    print(name, counts.total(), "edits", dict(counts))
