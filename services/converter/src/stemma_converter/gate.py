"""The submission gate: whether a file that leaves holds to what the request says about the bid."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from math import ceil
from typing import Any, Literal

import pypdfium2 as pdfium
from docx import Document
from docx.document import Document as DocumentType
from docx.oxml.ns import qn
from docx.section import Section
from pypdfium2 import raw
from stemma_contracts.base import filled_from
from stemma_contracts.v1.bids import BidRule, RuleCheck
from stemma_contracts.v1.exports import ExportFormat
from stemma_evidence.requirements import Source, read_rules
from stemma_languages import bid_words, count_words, detect

from .assembly import Draft, Manuscript
from .pdf import Pages
from .tree import plain

SIZES = {"A3": (842, 1191), "A4": (595, 842), "A5": (420, 595), "letter": (612, 792)}
"""In points, across and down."""
NEAR = 4
"""Points by which a page may differ from a size of paper."""
TOLERANCE = 0.05
"""Of a page or a point."""
MOST_READ_PAGES = 400
"""Pages of a PDF whose fonts are looked at."""
MOST_TOLD = 300
ENOUGH_WORDS = 20
"""Words that tell a language."""
JUDGED = "criterion"
_OF_ONE_FILE = frozenset({"file_name", "file_format"})
"""Of several rules of such a kind, a file keeps its own; the others may be for other files of the bid."""
_SHORT_NAME, _LATIN = 5, "[0-9A-Za-zÀ-ɏ]"
State = Literal["kept", "broken", "to_see"]
_WORST_FIRST: tuple[State, ...] = ("broken", "to_see", "kept")
_DAYS = {"days": (1, 1), "weeks": (7, 7), "months": (28, 31)}
"""How many days each unit has, at least and at most."""


@dataclass(frozen=True)
class Look:
    """What a file looks like: its papers, and how many characters stand in each font and size."""

    papers: tuple[str, ...] = ()
    sizes: Counter[float] = field(default_factory=Counter)
    fonts: Counter[str] = field(default_factory=Counter)
    loose: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    pages: int = 0


@dataclass(frozen=True)
class Outgoing:
    """A file that leaves, and what it was made of. ``pages`` are those of our PDF, if it was made."""

    format: ExportFormat
    name: str
    data: bytes
    manuscript: Manuscript
    drafts: Sequence[Draft]
    pages: Pages | None

    @cached_property
    def look(self) -> Look:
        match self.format:
            case ExportFormat.PDF:
                return _look_of_pdf(self.data)
            case ExportFormat.DOCX:
                return _look_of_word(self.data)
            case ExportFormat.HTML | ExportFormat.JSON | ExportFormat.MD:
                return Look(text=self.data.decode("utf-8", errors="replace"))

    @cached_property
    def words(self) -> tuple[int, ...]:
        return tuple(count_words(plain(one.blocks)) for one in self.drafts)

    @cached_property
    def lengths(self) -> tuple[float, ...]:
        """The pages of each section; none where they are not known."""
        lengths = self.pages.lengths() if self.pages else ()
        return lengths if len(lengths) == len(self.drafts) else ()

    @cached_property
    def validities(self) -> tuple[BidRule, ...]:
        """How long the text says that the bid holds."""
        tag = self.manuscript.tag
        said = bid_words(tag)
        texts = (plain(block) for one in self.drafts for block in one.blocks)
        about = [text for text in texts if said.valid.search(text) or said.binding.search(text)]
        found = read_rules([Source(self.name, "\n\n".join(about), tag)]).found
        return tuple(one for one in found if one.kind == "validity")

    @property
    def all_pages(self) -> int:
        return self.look.pages or (self.pages.places.end.page if self.pages else 0)

    @property
    def text_pages(self) -> int:
        if self.pages is None or not self.pages.places.headings:
            return self.all_pages
        return self.pages.places.end.page - self.pages.places.headings[0].page + 1

    def is_whole(self, part: str) -> bool:
        """Whether a part of the bid is what this document is: its title says so, or it is the whole bid."""
        named = re.search(rf"(?<!\w){re.escape(part)}(?!\w)", self.manuscript.title, re.IGNORECASE)
        return not part or named is not None

    def section_of(self, part: str) -> int | None:
        """The section that a part of the bid is; only one, by the words of its title."""
        wanted = _words_of(part)
        found = [n for n, one in enumerate(self.drafts) if wanted and _is_named(wanted, _words_of(one.section.title))]
        return found[0] if len(found) == 1 else None


def checked(rules: Sequence[BidRule], file: Outgoing) -> tuple[RuleCheck, ...]:
    """How a file holds to each rule; those that an amendment replaced and criteria are none."""
    checks = [_check(rule, file) for rule in rules if not rule.replaced_by and rule.kind != JUDGED]
    kept = {check.kind for check in checks if check.state == "kept"} & _OF_ONE_FILE
    return tuple(
        check.model_copy(update={"state": "to_see"}) if check.state == "broken" and check.kind in kept else check
        for check in checks
    )


def _check(rule: BidRule, file: Outgoing) -> RuleCheck:
    measure = _MEASURES.get(rule.kind)
    state, measured = measure(rule, file) if measure else ("to_see", "")
    if state == "broken" and rule.advised:
        state = "to_see"
    return filled_from(RuleCheck, rule, state=state, wanted=_wanted(rule)[:MOST_TOLD], measured=measured[:MOST_TOLD])


def _wanted(rule: BidRule) -> str:
    number = f"{rule.number:g} {rule.unit}".rstrip() if rule.number is not None else ""
    return ", ".join(filter(None, (number, *rule.values)))


def _page_limit(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    """Pages as they are set in our PDF. Word sets its own, so that within a limit a person looks at a DOCX."""
    most = rule.number or 0
    section = file.section_of(rule.part) if rule.part else None
    if not file.all_pages:
        return "to_see", ""
    if section is not None and file.lengths:
        pages = file.lengths[section]
        within: State = "kept" if file.format is ExportFormat.PDF else "to_see"
        return (within if pages <= most + TOLERANCE else "broken"), f"{ceil(pages - TOLERANCE)}"
    if file.all_pages <= most:
        return ("kept" if file.format is ExportFormat.PDF else "to_see"), f"{file.all_pages}"
    if file.text_pages > most and file.is_whole(rule.part):
        return "broken", f"{file.text_pages}"
    return "to_see", f"{file.all_pages} ({file.text_pages})"


def _word_limit(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    most, every = rule.number or 0, sum(file.words)
    section = file.section_of(rule.part) if rule.part else None
    words = every if section is None else file.words[section]
    if words <= most:
        return "kept", f"{words}"
    return ("broken" if section is not None or file.is_whole(rule.part) else "to_see"), f"{words}"


def _paper(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    papers = file.look.papers
    if not papers or rule.part:
        return "to_see", ", ".join(papers)
    return ("kept" if set(papers) <= set(rule.values) else "broken"), ", ".join(papers)


def _font_size(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    """The size that most characters have; of tables and the like, the smallest one."""
    sizes, least = file.look.sizes, rule.number or 0
    if not sizes or (rule.part and file.format is not ExportFormat.PDF):
        return "to_see", ""
    body, smallest = sizes.most_common(1)[0][0], min(sizes)
    if not body:
        return "to_see", ""
    measured = f"{body:g}" if smallest == body else f"{body:g} ({smallest:g})"
    if rule.part:
        return ("kept" if smallest >= least - TOLERANCE else "to_see"), measured
    return ("kept" if body >= least - TOLERANCE else "broken"), measured


def _font(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    if not file.look.fonts or rule.part:
        return "to_see", ""
    body = file.look.fonts.most_common(1)[0][0]
    if not body:
        return "to_see", ""
    allowed = any(_letters(body).startswith(_letters(name)) for name in rule.values)
    return ("kept" if allowed else "broken"), body


def _file_format(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    loose = f" without fonts: {', '.join(file.look.loose)}" if file.look.loose else ""
    if rule.part and file.section_of(rule.part) is None and file.format not in rule.values:
        return "to_see", f"{file.format}"
    return ("kept" if file.format in rule.values and not loose else "broken"), f"{file.format}{loose}"


def _file_name(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    if file.name in rule.values:
        return "kept", file.name
    is_pattern = any(re.search(r"[<>\[\]{}*]|\.\.|xx", name, re.IGNORECASE) for name in rule.values)
    ends = any(name.lower().endswith(f".{file.format}") for name in rule.values)
    return ("broken" if ends and not is_pattern else "to_see"), file.name


def _language(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    text = " ".join(plain(one.blocks) for one in file.drafts)
    if count_words(text) < ENOUGH_WORDS:
        return "to_see", ""
    found = detect(text)
    return ("kept" if found in rule.values else "broken"), found


def _validity(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    """How long the text says that the bid holds; a person sees where it does not say it, or counts otherwise."""
    states = {_binds(rule, one) for one in file.validities}
    worst: State = next((state for state in _WORST_FIRST if state in states), _WORST_FIRST[1])
    return worst, ", ".join(dict.fromkeys(map(_wanted, file.validities)))


def _binds(rule: BidRule, held: BidRule) -> State:
    """Whether a bid that holds until a day, or for some time, holds as long as it has to."""
    if rule.number is None and held.number is None:
        return "kept" if held.values >= rule.values else "broken"
    if rule.number is None or held.number is None:
        return "to_see"
    if held.unit == rule.unit:
        return "kept" if held.number >= rule.number else "broken"
    (least, most), (shortest, longest) = _DAYS[rule.unit], _DAYS[held.unit]
    if held.number * shortest >= rule.number * most:
        return "kept"
    return "broken" if held.number * longest < rule.number * least else "to_see"


def _blind(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    """Where the names of who sends it stand: in the properties of the file and in its text."""
    house = file.manuscript.house
    names = [_as_name(name) for name in (house.company, house.author) if name]
    kept = {"text": file.look.text, **file.look.properties}
    found = [place for place, words in kept.items() if any(name.search(words) for name in names)]
    author = file.look.properties.get("author", "")
    if found or author:
        return "broken", ", ".join(found or [f"author: {author}"])
    return ("kept" if names and file.look.text else "to_see"), ""


def _order(rule: BidRule, file: Outgoing) -> tuple[State, str]:
    places = {name: file.section_of(name) for name in rule.values}
    missing = [name for name, place in places.items() if place is None]
    found = [place for place in places.values() if place is not None]
    if missing or not found:
        return "to_see", ", ".join(missing)
    titles = ", ".join(file.drafts[place].section.title for place in sorted(found))
    return ("kept" if found == sorted(found) else "broken"), titles


_MEASURES: Mapping[str, Callable[[BidRule, Outgoing], tuple[State, str]]] = {
    "page_limit": _page_limit,
    "word_limit": _word_limit,
    "paper": _paper,
    "font_size": _font_size,
    "font": _font,
    "file_format": _file_format,
    "file_name": _file_name,
    "language": _language,
    "validity": _validity,
    "blind": _blind,
    "order": _order,
}


def _as_name(name: str) -> re.Pattern[str]:
    """A name where it is no part of a longer word; behind a long one, an ending may follow."""
    after = f"(?!{_LATIN})" if len(name) <= _SHORT_NAME else ""
    return re.compile(f"(?<!{_LATIN}){re.escape(name)}{after}", re.IGNORECASE)


def _words_of(title: str) -> frozenset[str]:
    words = re.findall(r"[^\W\d_]{3,}|\d+|(?<!\w)[ivx]{1,4}(?!\w)", title.casefold())
    return frozenset(word[:-1] if word.endswith("s") and len(word) > 4 else word for word in words)


def _is_named(part: frozenset[str], title: frozenset[str]) -> bool:
    return bool(title) and (part <= title or title <= part)


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _paper_of(width: float, height: float) -> str:
    across, down = sorted((width, height))
    for name, (least, most) in SIZES.items():
        if abs(across - least) <= NEAR and abs(down - most) <= NEAR:
            return name
    return f"{across / 72 * 25.4:.0f} x {down / 72 * 25.4:.0f} mm"


def _look_of_pdf(data: bytes) -> Look:
    document = pdfium.PdfDocument(data)
    try:
        papers, sizes, fonts, loose, texts = (
            dict[str, None](),
            Counter[float](),
            Counter[str](),
            set[str](),
            list[str](),
        )
        for number in range(min(len(document), MOST_READ_PAGES)):
            page = document[number]
            papers[_paper_of(*page.get_size())] = None
            words = page.get_textpage()
            texts.append(words.get_text_range())
            for length, name, size, is_embedded in _pieces(page, words):
                sizes[size] += length
                fonts[name] += length
                loose |= set() if is_embedded else {name}
        properties = {name.lower(): value for name, value in document.get_metadata_dict(skip_empty=True).items()}
        text = "\n".join(texts)
        return Look(tuple(papers), sizes, fonts, tuple(sorted(loose)), properties, text, len(document))
    finally:
        document.close()


def _pieces(page: pdfium.PdfPage, words: pdfium.PdfTextPage) -> Iterator[tuple[int, str, float, bool]]:
    """The pieces of text of a page: their letters, font, size as it is shown, and whether the file has the font."""
    for piece in page.get_objects([raw.FPDF_PAGEOBJ_TEXT], textpage=words):
        # A drawn letter, such as one of a Type 3 font, may have no text or no name.
        with suppress(pdfium.PdfiumError):
            if not isinstance(piece, pdfium.PdfTextObj) or not (length := len("".join(piece.extract().split()))):
                continue
            font, matrix = piece.get_font(), piece.get_matrix()
            shown = round(piece.get_font_size() * (matrix.c**2 + matrix.d**2) ** 0.5, 1)
            name = font.get_base_name()
            family = (name.partition("+")[2] or name).partition("-")[0]
            yield length, family, shown, font.is_embedded


def _look_of_word(data: bytes) -> Look:
    document = Document(BytesIO(data))
    sizes, fonts = Counter[float](), Counter[str]()
    for paragraph in document.paragraphs:
        for run in paragraph.runs:
            styled = (style for one in (run.style, paragraph.style) for style in _with_bases(one))
            look = [run.font, *(style.font for style in styled)]
            length = len("".join(run.text.split()))
            sizes[next((font.size.pt for font in look if font.size), _default(document, "w:sz") / 2)] += length
            fonts[next((font.name for font in look if font.name), "")] += length
    core = document.core_properties
    names = {"author": core.author, "title": core.title, "comments": core.comments, "changed": core.last_modified_by}
    running = (part for section in document.sections for part in _running(section))
    text = [*document.element.body.itertext(), *(paragraph.text for part in running for paragraph in part.paragraphs)]
    return Look(
        _papers(document), +sizes, +fonts, (), {name: words or "" for name, words in names.items()}, " ".join(text)
    )


def _running(section: Section) -> tuple[Any, ...]:
    return section.header, section.footer, section.first_page_header, section.first_page_footer


def _papers(document: DocumentType) -> tuple[str, ...]:
    sizes = ((section.page_width, section.page_height) for section in document.sections)
    return tuple(dict.fromkeys(_paper_of(across.pt, down.pt) for across, down in sizes if across and down))


def _with_bases(style: Any) -> Iterator[Any]:
    while style is not None:
        yield style
        style = style.base_style


def _default(document: DocumentType, name: str) -> float:
    """A number among the defaults of a document, 0 if there is none."""
    path = f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}/{qn(name)}"
    found = document.styles.element.find(path)
    return float(found.get(qn("w:val"))) if found is not None else 0.0
