"""Inputs as the document must show them: images, labels, tables; what was decided about images that are missing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from pathlib import PurePosixPath
from typing import Any

from stemma_contracts.tokens import check_file_name
from stemma_contracts.v1.needs import SKIP, MissingReference, NeedAnswer
from stemma_contracts.v1.references import InputFile
from stemma_evidence import rows_of
from stemma_markdown import Document, Image, Link, images, similarity, without_templates

from stemma_generation_graph.passages import SourceDocument, resolve

from .session import ASSETS, INPUTS, Session

SKIPPED = "Image not supplied: "

_ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_ESCAPED = re.compile(r"([\\`*\[\]<>]|(?<![^\W_])_|_(?![^\W_]))")
"""What could be markup in a name; an underscore within a word is none."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_REST_IS_BLANK = re.compile(r"[^\S\n]*(?:\n|\Z)")


@dataclass(frozen=True)
class Shown:
    """What takes the place of an image: the name of an asset, or none if it was skipped."""

    asset: str | None


Decide = Callable[[str], Shown]


def one_line(name: str) -> str:
    """A name from an input on one line, so that it cannot become other Markdown."""
    return _CONTROL.sub(" ", name)


def with_assets(file: str, text: str, decide: Decide) -> str:
    """The text of an input with its images as the document shows them.

    An image has the name of its asset, one that was skipped leaves a remark, one on the web becomes a link; of one with
    any other scheme, such as ``file:`` or ``javascript:``, its words stay.
    ``decide`` gets the path inside the input folder.
    """
    pieces, at = [], 0
    for image in images(text):
        pieces += [text[at : image.start], _in_place(text, image, file, decide)]
        at = image.end
    return "".join([*pieces, text[at:]])


def _in_place(text: str, image: Image, file: str, decide: Decide) -> str:
    as_it_was = text[image.start : image.end]
    words = " ".join(image.markup.split())
    if _ELSEWHERE.match(image.target):
        return f"[{words or 'image'}]({address(image.target)})" if _WEB.match(image.target) else words
    name = resolve(file, image.target)
    if not name:
        return as_it_was
    asset = decide(name).asset
    if asset is not None:
        return f"![{words or _described(asset)}]({address(one_line(asset).replace('%', '%25'))})"
    remark = SKIPPED + _ESCAPED.sub(r"\\\1", one_line(name))
    return f"> {remark}" if _stands_alone(text, image) else f"({remark})"


def _stands_alone(text: str, image: Image) -> bool:
    start = image.start
    while start and text[start - 1] != "\n" and text[start - 1].isspace():
        start -= 1
    before_is_blank = not start or text[start - 1] == "\n"
    return before_is_blank and _REST_IS_BLANK.match(text, image.end) is not None


def _described(asset: str) -> str:
    return re.sub(r"[-_\s]+", " ", PurePosixPath(asset).stem).strip() or "image"


def address(target: str) -> str:
    """The address of a link or of an image as it is written in Markdown, which it cannot leave."""
    closed = target.replace("\\", "%5C").replace("<", "%3C").replace(">", "%3E")
    return f"<{closed}>" if re.search(r"[\s()<>]", target) or not target else closed


_NOT_IN_LABEL = re.compile(r"[^A-Za-z0-9]+")
_Change = tuple[int, int, str]


def without_labels(file: str, text: str) -> str:
    """The text with the addresses of its links in place of labels, and footnotes that name the file.

    Lines keep their numbers: where a definition stood is a blank one.
    """
    document = Document(text)
    changes = [*_links(document), *_definitions(document), *_footnotes(file, document)]
    return _changed(text, sorted(changes)) if changes else text


def _changed(text: str, changes: Iterable[_Change]) -> str:
    kept, at = list[str](), 0
    for start, end, new in changes:
        if start >= at:
            kept += [text[at:start], new]
            at = end
    return "".join([*kept, text[at:]])


def _links(document: Document) -> Iterator[_Change]:
    for link in document.links:
        markup = document.text[link.start : link.end]
        if markup.startswith("[") and markup.endswith("]"):
            yield link.start, link.end, f"[{_words(markup)}]({_address(link)})" + "\n" * _hidden_lines(markup)


def _words(markup: str) -> str:
    """The words of ``[words][label]``, ``[words][]`` or ``[words]``."""
    at = markup.rfind("][")
    return markup[1:at] if at > 0 else markup[1:-1]


def _hidden_lines(markup: str) -> int:
    """The line ends inside of a label, which goes."""
    return markup.count("\n") - _words(markup).count("\n")


def _address(link: Link) -> str:
    target = address(link.target)
    title = " ".join(link.title.split()).replace("\\", r"\\").replace('"', r"\"")
    return f'{target} "{title}"' if title else target


def _definitions(document: Document) -> Iterator[_Change]:
    for block in document.blocks:
        if block.kind == "definition":
            yield block.start, block.end, "\n" * block.text.count("\n")


def _footnotes(file: str, document: Document) -> Iterator[_Change]:
    prefix = _NOT_IN_LABEL.sub("-", file.rpartition(".")[0] or file).strip("-")
    for mark in document.footnotes:
        yield mark.start, mark.end, f"{prefix}-{document.text[mark.start : mark.end]}"


JSON = "application/json"
TABLES = ("text/csv", JSON)
CODE = (".yaml", ".yml", ".log")
"""How names of plain texts end in which a ``#`` begins no heading."""

_BACKTICKS = re.compile("`+")
_MARKUP = re.compile(r"([\\\\|`*<>\[\]]|(?<![^\W_])_|_(?![^\W_]))")


def is_code(name: str) -> bool:
    return name.casefold().endswith(CODE)


def as_code(text: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{fence}\n{text.rstrip()}\n{fence}\n"


def as_tables(text: str, media_type: str) -> str:
    """The rows as tables; rows with the same names of columns stand in one."""
    rows = [cells for _, cells in rows_of(text, media_type)]
    by_names = groupby(rows, key=lambda cells: tuple(name for name, _ in cells))
    return "\n".join(
        "\n".join(_table(names, [[cell for _, cell in row] for row in group])) for names, group in by_names
    )


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(names)
    yield _row(["---"] * len(names), escape=False)
    yield from map(_row, rows)
    yield ""


def _row(cells: Sequence[str], *, escape: bool = True) -> str:
    shown = [_MARKUP.sub(r"\\\1", " ".join(cell.split())) if escape else cell for cell in cells]
    return f"| {' | '.join(shown)} |"


MAX_IMAGE_BYTES = 20 * 1024 * 1024
MAX_CANDIDATES = 5
ALIKE = 0.7
"""The share of characters in common from which names are similar."""
MAX_COMPARED = 50
"""For how many missing images similar names are looked for."""
MAX_REFERENCE_CHARS = 500
BATCH_BYTES = 24_000
"""What one question may hold of references, so that it fits into an event."""


def is_image(media_type: str) -> bool:
    return media_type.startswith("image/")


def scan(session: Session, documents: Sequence[SourceDocument]) -> list[MissingReference]:
    """Put the images that the inputs refer to among the assets; those that are not there, each once."""
    images = dict.fromkeys(name for name in session.names(INPUTS) if is_image(session.media_type(INPUTS + name)))
    missing: dict[str, MissingReference] = {}
    for document in documents:
        for name in (use.name for use in document.images if use.name):
            if name in images:
                session.manifest[ASSETS + name] = session.manifest[INPUTS + name]
            elif (key := _key(name)) not in missing:
                candidates = tuple(_candidates(key, images)) if len(missing) < MAX_COMPARED else ()
                missing[key] = MissingReference(reference=key, file=document.name, candidates=candidates)
    return list(missing.values())


def _key(name: str) -> str:
    """The name by which a reference is asked for and decided."""
    return name[:MAX_REFERENCE_CHARS]


def batch_of(missing: Sequence[MissingReference]) -> list[MissingReference]:
    """The first of them, as many as one question may hold."""
    sizes = accumulate(len(entry.model_dump_json().encode()) for entry in missing)
    return [entry for entry, size in zip(missing, sizes, strict=True) if size <= BATCH_BYTES]


def question_about(missing: Sequence[MissingReference]) -> str:
    lines = [_line(reference) for reference in missing]
    ask = "Supply each image, name one that was found, or skip it: a skipped image leaves a remark in its place."
    return "\n".join(["These images are not among the inputs:", "", *lines, "", ask])


def _line(missing: MissingReference) -> str:
    found = ", ".join(map(quoted, missing.candidates))
    return f"- {quoted(missing.reference)} (in {quoted(missing.file)})" + (f"; found: {found}" if found else "")


def quoted(name: str) -> str:
    inner = one_line(name).replace("`", "'")
    return f"`{inner}`"


def decided(session: Session, missing: Sequence[MissingReference], answer: NeedAnswer) -> dict[str, str]:
    """What an answer decides: by reference the name of its asset, or `SKIP`; the assets enter the session.

    A decision that does not fit, such as a file that is no image, decides nothing.
    """
    skip_all = not answer.decisions and answer.text.strip().casefold().rstrip(".!") in (SKIP, "skip all")
    found: dict[str, str] = {}
    for reference in (entry.reference for entry in missing):
        decision = SKIP if skip_all else answer.decisions.get(reference)
        if decision is not None and (outcome := _decide(session, reference, decision)):
            found[reference] = outcome
    return found


def _decide(session: Session, reference: str, decision: str | InputFile) -> str | None:
    match decision:
        case "skip":
            return SKIP
        case InputFile(artifact=ref):
            if not is_image(ref.media_type) or ref.size > MAX_IMAGE_BYTES:
                return None
            session.put(ASSETS + asset_name(reference, ref.name), ref)
            return asset_name(reference, ref.name)
        case name:
            if not is_image(session.media_type(INPUTS + name)):
                return None
            session.manifest[ASSETS + name] = session.manifest[INPUTS + name]
            return name


def asset_name(reference: str, supplied: str) -> str:
    """The name under which a supplied image is shown: the reference itself if it can be a name of a file."""
    try:
        return check_file_name(reference)
    except ValueError:
        digest = hashlib.sha256(reference.encode(errors="replace")).hexdigest()[:8]
        return f"supplied/{digest}-{PurePosixPath(supplied).name}"


def shown_by(decisions: Mapping[str, str]) -> Decide:
    """How an image is shown after what was decided."""

    def decide(reference: str) -> Shown:
        chosen = decisions.get(_key(reference), reference)
        return Shown(None if chosen == SKIP and reference != SKIP else chosen)

    return decide


def supplied_assets(session: Session) -> list[InputFile]:
    """The assets that are not among the inputs under the same name."""
    return [
        InputFile.model_validate({"name": name, "artifact": session.manifest[ASSETS + name]})
        for name in session.names(ASSETS)
        if not _same(session.manifest.get(INPUTS + name), session.manifest[ASSETS + name])
    ]


def _same(one: Mapping[str, Any] | None, other: Mapping[str, Any]) -> bool:
    return one is not None and one["digest"] == other["digest"]


def _candidates(reference: str, images: Iterable[str]) -> list[str]:
    """Images of the same file name first, then of similar ones."""
    wanted = PurePosixPath(reference).name.casefold()
    by_name = {name: PurePosixPath(name).name.casefold() for name in images}
    same = [name for name, own in by_name.items() if own == wanted]
    likeness = {name: similarity(wanted, own) for name, own in by_name.items() if own != wanted}
    close = sorted((name for name in likeness if likeness[name] >= ALIKE), key=likeness.__getitem__, reverse=True)
    return (same + close)[:MAX_CANDIDATES]


def readable_markdown(name: str, text: str, decisions: Mapping[str, str]) -> str:
    """The lines of the file without what means nothing outside of it: labels, and the tags of a template."""
    return without_labels(name, without_templates(with_assets(name, text, shown_by(decisions))))
