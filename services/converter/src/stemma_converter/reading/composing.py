"""Markdown, put together block by block, that knows where each place of its source came to stand."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import PurePath

from PIL import Image as Pixels
from stemma_contracts.shown import shown
from stemma_contracts.v1.inputs import Anchor, ReadingFigures, ReadingWarning
from stemma_markdown import Document, escaping

from stemma_converter.images import ImageLimits, Picture, vet

from .result import AnchorKind, Child, Image, Limits, Reading

PATH = " > "
_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")
_BACKTICKS = re.compile("`+")
_LONGEST_LABEL, _LONGEST_AGAIN = 200, 80
_SMALLEST_EDGE = 24
_FAR_APART = 5_000
_MOST_FILLED = 2_000_000
_WARNINGS_EACH = 20
_DIGITS = 10
_DETAIL, _PLACE = 300, 200


class Full(Exception):
    """The text has as many characters as it may have."""


class Composer:
    """Writes the Markdown of one file. Texts that it takes are Markdown themselves, see `escaping`."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.limits = limits
        self.figures = ReadingFigures()
        self.title = escaping.one_line(PurePath(name).stem)
        self.named = ""
        """The title among the properties of the file."""
        self.leave_out: Callable[[str], str] = str
        """Gives a paragraph without what is no content."""
        self._stem = _slug(self.title)
        self._parts: list[str] = []
        self._length = 0
        self._headings: list[tuple[int, str]] = []
        self._anchors: list[Anchor] = []
        self._images: list[Image] = []
        self._children: list[Child] = []
        self._warnings: dict[str, list[ReadingWarning]] = {}
        self._notes: dict[str, str] = {}
        self._blocks: list[int] = []
        self._waiting: list[tuple[AnchorKind, str]] = []
        self._depths: list[int] = []

    def heading(self, level: int, text: str, number: str = "") -> None:
        words = escaping.one_line(f"{number} {text}")
        if not words:
            return
        level = min(max(level, 1), 6)
        self._headings = [item for item in self._headings if item[0] < level]
        self._headings.append((level, escaping.one_line(f"{number} {plain(text)}")))
        start = self.block(f"{'#' * level} {words}")
        self.anchor("heading", PATH.join(label for _, label in self._headings), at=start)

    def paragraph(self, text: str) -> None:
        lines = [escaping.line(part.strip()) for part in self.leave_out(text).split("\n") if part.strip()]
        if lines:
            self.block("\\\n".join(lines))

    def item(self, text: str, *, depth: int = 0, marker: str = "-") -> None:
        """An item of a list; one of a larger ``depth`` than the item before it is inside that."""
        lines = [part.strip() for part in text.split("\n") if part.strip()]
        if not lines:
            return
        gap = "\n" if self._depths else "\n\n"
        while self._depths and self._depths[-1] > depth:
            self._depths.pop()
        if not self._depths or self._depths[-1] < depth:
            self._depths.append(depth)
        indent = "    " * (len(self._depths) - 1)
        first, *rest = (escaping.line(part) for part in lines)
        self._blocks.append(self._write(gap, f"{indent}{marker} {first}"))
        for part in rest:
            self._write("\\\n", f"{indent}    {part}")

    def table(self, rows: Sequence[Sequence[str]]) -> list[int]:
        """A table whose first row heads it; gives where each row begins."""
        width = max((len(row) for row in rows), default=0)
        if not width:
            return []
        self.count(tables=1)
        # A short row may be left short; one long row among many short ones would make all of them long.
        filled = width if width * len(rows) <= _MOST_FILLED else 0
        head, *body = (_row(row, filled or len(row)) for row in rows)
        starts = [self.block(head)]
        self._write("\n", "|" + " --- |" * width)
        return [*starts, *(self._write("\n", row) for row in body)]

    def more_rows(self, rows: Sequence[Sequence[str]]) -> None:
        for row in rows:
            self._write("\n", _row(row, len(row)))

    def block(self, markdown: str) -> int:
        self._depths = []
        start = self._write("\n\n", markdown)
        self._blocks.append(start)
        return start

    def code(self, text: str) -> None:
        fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
        self.block(f"{fence}\n{escaping.clean(text).rstrip()}\n{fence}")

    def anchor(self, kind: AnchorKind, label: str, *, at: int | None = None) -> None:
        """Where a place begins: ``at``, else with what is written next."""
        words = shortened(shown(escaping.one_line(label)))
        if at is None:
            self._waiting.append((kind, words))
        else:
            self._anchors.append(Anchor(offset=at, kind=kind, label=words))

    def note(self, key: str, text: str) -> str:
        self._notes.setdefault(key, text)
        return f"[^{key}]"

    def image(self, data: bytes, alt: str = "", place: str = "") -> str:
        """An image; gives the Markdown that shows it, or nothing if it cannot be shown or is an ornament."""
        picture = vet(data, ImageLimits(self.limits.image_bytes, self.limits.image_pixels))
        if picture is None:
            self.warn("image_unread", place, "An image is of a kind that is not read, damaged, or too large.")
            return ""
        return "" if _is_ornament(picture) else self._kept(picture, alt, place)

    def _kept(self, picture: Picture, alt: str, place: str) -> str:
        known = next((image.name for image in self._images if image.data == picture.data), None)
        if known is None and len(self._images) >= self.limits.images:
            self.warn("images_left_out", "", f"Only the first {self.limits.images} images are kept.")
            return ""
        # Of files with one name, and of versions of one, each picture has a name that no other picture has.
        name = known or f"{self._stem}-image-{sha256(picture.data).hexdigest()[:_DIGITS]}.{picture.suffix}"
        if known is None:
            self._images.append(Image(name, picture.media_type, picture.data, 0))
        words = escaping.inline(escaping.one_line(alt)).replace("[", "\\[").replace("]", "\\]")
        return f"![{words}]({name})"

    def child(self, name: str, media_type: str, data: bytes) -> None:
        if len(self._children) >= self.limits.children:
            self.warn("attachments_left_out", "", f"Only the first {self.limits.children} attachments are kept.")
            return
        self._children.append(Child(name, media_type, data))

    def warn(self, code: str, place: str, words: str) -> None:
        """Say once what was read otherwise than it stands there, and of each code only so often."""
        known = self._warnings.setdefault(code, [])
        warning = ReadingWarning(code=code, place=shown(place)[:_PLACE], detail=shown(words)[:_DETAIL])
        if warning not in known[:_WARNINGS_EACH]:
            known.append(warning)

    def count(self, **more: int) -> None:
        self.figures = self.figures.model_copy(
            update={name: getattr(self.figures, name) + n for name, n in more.items()}
        )

    @property
    def text(self) -> str:
        """What was written so far, with its notes."""
        return "".join((*self._parts, *(f"\n{note}" for note in self._notes.values())))

    @property
    def place(self) -> str:
        return shortened(PATH.join(label for _, label in self._headings))

    def reading(self) -> Reading:
        self._write_notes()
        if self._is_hard_to_cite():
            self._anchors += (
                Anchor(offset=at, kind="paragraph", label=f"para. {n}") for n, at in enumerate(self._blocks, 1)
            )
        markdown = "".join(self._parts) + "\n" if self._parts else ""
        return Reading(
            markdown=markdown,
            anchors=tuple(sorted(self._anchors, key=lambda anchor: anchor.offset)),
            images=tuple(_placed(image, markdown) for image in self._images),
            children=tuple(self._children),
            warnings=tuple(_told(self._warnings)),
            figures=self.figures.model_copy(update={"characters": len(markdown)}),
            title=self.named,
        )

    def _is_hard_to_cite(self) -> bool:
        only_headings = all(anchor.kind in ("heading", "part") for anchor in self._anchors)
        return only_headings and self._length > _FAR_APART * len(self._anchors)

    def _write_notes(self) -> None:
        for key, text in self._notes.items():
            lines = [part.strip() for part in text.split("\n") if part.strip()]
            self._parts.append(f"{_gap(self._parts)}[^{key}]: " + "\\\n    ".join(lines))

    def _write(self, gap: str, text: str) -> int:
        before = gap if self._parts else ""
        if self._length + len(before) + len(text) > self.limits.characters:
            raise Full
        self._parts.append(before + text)
        self._length += len(before) + len(text)
        start = self._length - len(text)
        self._anchors += (Anchor(offset=start, kind=kind, label=label) for kind, label in self._waiting)
        self._waiting = []
        return start


def plain(markdown: str) -> str:
    """Inline Markdown that `escaping` wrote, without its marks of emphasis, notes and backslashes."""
    return " ".join(Document(f"# {escaping.one_line(markdown)}").plain.split())


def again(cell: str) -> str:
    """What a cell that is merged with the one above says: a label counts for all its rows, a sentence is said once."""
    return "" if len(cell) > _LONGEST_AGAIN or cell.rstrip("*~ ").endswith((".", "!", "?", ";", "。")) else cell


# Of the edge of a page: more than its number and how many there are.
_MORE_THAN_A_PAGE = re.compile(r"[^\W\d_]{3,}\W+(?:\w+\W+)*?[^\W\d_]{3,}|[^\W\d_]{7,}|[^\x00-\u2fff]{4,}")


def put_edges(lines: Iterable[str], composer: Composer) -> None:
    """Write what stands above or below each page, once, but for numbers of pages."""
    for line in dict.fromkeys(lines):
        if is_edge(line):
            composer.paragraph(line)


def is_edge(line: str) -> bool:
    """Whether a line above or below a page says more than the number of the page."""
    return _MORE_THAN_A_PAGE.search(line[:_LONGEST_LABEL]) is not None


def _slug(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _NOT_IN_SLUG.sub("-", letters).strip("-")[:40].rstrip("-") or "input"


def shortened(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"


def _told(warnings: dict[str, list[ReadingWarning]]) -> Iterator[ReadingWarning]:
    """One of each kind first, because only so many are kept."""
    yield from (found[0] for found in warnings.values() if found)
    for code, found in warnings.items():
        yield from found[1:_WARNINGS_EACH]
        if more := found[_WARNINGS_EACH:]:
            yield ReadingWarning(code=code, detail=f"The same at {len(more)} more places.")


def _row(cells: Sequence[str], width: int) -> str:
    filled: Iterable[str] = [*cells, *[""] * (width - len(cells))]
    return "| " + " | ".join(escaping.cell(text) for text in filled) + " |"


def _gap(parts: list[str]) -> str:
    return "\n\n" if parts else ""


def _is_ornament(picture: Picture) -> bool:
    with Pixels.open(BytesIO(picture.data)) as image:
        return min(image.size) < _SMALLEST_EDGE


def _placed(image: Image, markdown: str) -> Image:
    return replace(image, offset=max(0, markdown.rfind("![", 0, max(0, markdown.find(f"]({image.name})")))))
