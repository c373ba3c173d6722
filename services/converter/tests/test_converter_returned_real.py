"""Ten real documents come back from Word and LibreOffice, changed in every way: all is found, and nothing else."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias
from zipfile import ZipFile

import pytest
from stemma_converter.converter import Converter
from stemma_converter.placing import Draft
from stemma_markdown import document_of
from stemma_ooxml.word import W

from .conftest import picture
from .returned_files import (
    R,
    Remark,
    Root,
    commented,
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
_LINE = re.compile(r"(?<=\n\n)[^\W\d_][^*_`\[\]<>|\\#~^$&!{}\n]{20,}(?=\n\n)")
_FURNISHED, _KINDS = 12, 3
_BEA, _CARL = datetime(2026, 11, 22, 10, tzinfo=UTC), datetime(2026, 11, 23, 9, 8, 7, tzinfo=UTC)


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


def furnished(text: str) -> str:
    """A text with notes, figures and titled tables, of which few requests have any, at paragraphs all over it."""
    lines, notes = list(_LINE.finditer(text)), list[str]()
    for number, line in reversed(list(enumerate(lines[:: max(1, len(lines) // _FURNISHED)][:_FURNISHED]))):
        words = line[0][:20].strip()
        more = (
            f"[^own{number}]",
            f"\n\n![View {number} of: {words}](plan{number}.png)",
            f"\n\nTable: Costs {number} of {words}\n\n| Part | Price |\n|---|---|\n| Share {number} | 4{number} |",
        )[number % _KINDS]
        notes += [] if number % _KINDS else [f"[^own{number}]: This is said of {words} in note {number}."]
        text = text[: line.end()] + more + text[line.end() :]
    return "\n\n".join([text.rstrip("\n"), *reversed(notes)]) + "\n"


def _said(text: str) -> str:
    return " ".join(text.split())


def _is_caption(one: Root) -> bool:
    style = one.find(f"{W}pPr/{W}pStyle")
    return style is not None and style.get(f"{W}val", "").endswith("Caption")


def _shown(one: Root) -> str:
    """What a paragraph says in the draft, where a caption has no number."""
    words = _said(text_of(one))
    label, _, rest = words.partition(": ") if _is_caption(one) else ("", "", words)
    return f"Table: {rest}" if label and "Table" in one.find(f"{W}pPr/{W}pStyle").get(f"{W}val", "") else rest  # type: ignore[union-attr]


def places(text: str, root: Root) -> Iterator[Place]:
    """Those of the text, or of the notes that are the root."""
    shown, is_noted = dict[str, list[Root]](), root.tag == f"{W}footnotes"
    for one_shown in root.iter(f"{W}p"):
        shown.setdefault(_shown(one_shown), []).append(one_shown)
    found = document_of(text).prose
    times = Counter(_said(one.text) for one in found)
    for one in found:
        words, source = _said(one.text), text[one.start : one.end]
        if times[words] == 1 == len(shown.get(words, ())) and one.in_footnote == is_noted:
            before = text[text.rfind("\n", 0, one.start) + 1 : one.start]
            is_plain = _PLAIN.fullmatch(source) is not None and _said(source) == words
            yield Place(one.start, one.end, source, before, shown[words][0], one.level, is_plain)


def _is_text(text: str, one: Place) -> bool:
    before, behind = text[one.start - 3 : one.start], text[one.end : one.end + 3]
    stands_alone = before[1:] == "\n\n" == behind[:2] and "\n\n\n" not in (before, behind)
    is_text = not one.level and not one.before and not _is_caption(one.shown)
    return is_text and stands_alone and next(one.shown.iterancestors()).tag == f"{W}body"


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
    words = _WORD.finditer(one.source, one.source.find(":") + 1 if _is_caption(one.shown) else 0)
    found = next(word for word in words if one.source.count(word[0]) == 1 == shown.count(word[0]))
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
    "caption": (lambda text, one, _: _is_caption(one.shown), _word),
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


class Returning(NamedTuple):
    """What comes back: what the draft says then, changes of pictures, and comments with their words."""

    text: str
    objects: tuple[tuple[str, str], ...] = ()
    comments: tuple[tuple[Remark, str], ...] = ()


@dataclass
class Made:
    """What somebody does to one file of a draft."""

    text: str
    is_tracked: bool
    changes: list[Change] = field(default_factory=list)
    objects: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[tuple[Remark, str, Callable[[Root], Sequence[Root]]]] = field(default_factory=list)
    ways: Counter[str] = field(default_factory=Counter)

    def count(self, way: str, *changes: Change) -> None:
        self.changes += changes
        self.ways[f"{'tracked' if self.is_tracked else 'silent'} {way}"] += 1

    def edit(self, root: Root) -> None:
        self._draw(root)
        for way, changes in edits(self.text, root, is_tracked=self.is_tracked):
            self.count(way, *changes)
        self._remark([one for one in places(self.text, root) if _is_line(self.text, one) and self._is_free(one)])

    def edit_notes(self, root: Root) -> None:
        for one in list(places(self.text, root))[::2]:
            self.count("note", *_word(self.text, one, one, self.is_tracked))

    def _is_free(self, one: Place) -> bool:
        return all(change.end < one.start or change.start > one.end for change in self.changes)

    def _draw(self, root: Root) -> None:
        """Of the pictures one goes, one goes with its caption, one is replaced, and one comes."""
        figures = [one for one in places(self.text, root) if one.before == "!["]
        take = gone_tracked if self.is_tracked else remove
        for one, way in zip(figures, ("added", "gone", "replaced", "figure"), strict=False):
            picture = one.shown.getprevious()
            assert picture is not None
            match way:
                case "added":
                    new = deepcopy(picture)
                    next(new.iter("{*}docPr")).set("descr", "A sketch")
                    one.shown.addnext(new)
                case "replaced":
                    blips = [next(other.shown.getprevious().iter("{*}blip")) for other in (one, figures[0])]  # type: ignore[union-attr]
                    blips[0].set(f"{R}embed", blips[1].get(f"{R}embed", ""))
                case _:
                    take(picture)
            if way == "figure":
                take(one.shown)
                self.count("figure gone", Change(one.start - 2, self.text.index("\n", one.end) + 2, ""))
            else:
                self.objects.append((f"picture_{way}", "A sketch" if way == "added" else one.source))
                self.count(f"picture {way}")

    def _remark(self, lines: Sequence[Place]) -> None:
        # LibreOffice loses the words of footnotes where a comment stands before the second of them.
        second = self.text.find("[^own3]")
        for number, one in enumerate([one for one in lines if one.start > second][:4]):
            words = _said(one.source)
            author, at = (("Bea", _BEA), ("Carl", _CARL))[number % 2]
            remark = Remark(f"Is {number} so?", author, at, resolved=number == 2)
            if number == 3:
                word = next(found[0] for found in _WORD.finditer(words) if words.count(found[0]) == 1)
                self.remarks.append((remark, word, partial(_word_runs, words, word)))
            else:
                self.remarks.append((remark, words, partial(_runs, words)))
            self.ways["comment"] += 1


def _line(words: str, root: Root) -> Root:
    return next(one for one in root.iter(f"{W}p") if _said(text_of(one)) == words)


def _runs(words: str, root: Root) -> Sequence[Root]:
    return [run for run in _line(words, root).iter(f"{W}r") if text_of(run)]


def _word_runs(words: str, word: str, root: Root) -> Sequence[Root]:
    one = _line(words, root)
    silent(one, word, word)
    return [run for run in one.iter(f"{W}r") if text_of(run) == word]


async def changed(
    converter: Converter, name: str
) -> tuple[dict[str, bytes], dict[str, Returning], Counter[str], tuple[Draft, ...]]:
    text = furnished(real_text(name))
    assets = {f"plan{number}.png": picture(200 + number, 100) for number in range(_FURNISHED)}
    content, drafts = await exported(converter, text, assets=assets)
    files, wanted, counts = {"unchanged": content}, {"unchanged": Returning(text)}, Counter[str]()
    for kind in ("tracked", "silent"):
        made = Made(text, kind == "tracked")
        noted = edited(edited(content, made.edit), made.edit_notes, "word/footnotes.xml")
        files[kind] = commented(noted, [(remark, runs) for remark, _, runs in made.remarks])
        comments = tuple(sorted((remark, words) for remark, words, _ in made.remarks))
        wanted[kind] = Returning(after(text, made.changes), tuple(sorted(made.objects)), comments)
        counts += made.ways
    return files, wanted, counts, drafts


def came_back(
    files: Mapping[str, bytes], drafts: tuple[Draft, ...], *, loses: Collection[str] = ()
) -> dict[str, Returning]:
    """What the draft says then; nothing is left over, and told of what a program loses it is."""
    found = {kind: read(content, drafts).sections[0] for kind, content in files.items()}
    assert [words for one in found.values() for words in one.unwritten] == []
    made = dict[str, Returning]()
    for kind, one in found.items():
        objects = sorted((told.change, told.about) for told in one.unsupported if told.change not in loses)
        comments = ((Remark(c.text, c.author, c.at or _BEA, c.resolved), c.quote) for c in one.comments)
        made[kind] = Returning(
            one.edits[-1].after if one.edits else drafts[0].text, tuple(objects), tuple(sorted(comments))
        )
    return made


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
