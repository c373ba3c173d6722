"""The corpus of planted defects: source texts, a clean draft that paraphrases them, and what is done to the draft.

Every file has a head, its sources, its draft, and a line for each defect: what is planted, the kind of the claim, the
words of the draft and what stands in their place. An empty place means a sentence of its own at the end; ``<->``
means that two exchange places. Files that say ``held-out: yes`` were not looked at while the check was tuned first,
and were later. ``unseen`` and ``translations/unseen`` are not looked into: they are measured.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stemma_evidence import UNSUPPORTED, Claim, Grounded, Source, ground, language_of, read

FOLDER = Path(__file__).parent / "corpus"
UNSEEN = Path(__file__).parent / "unseen"
QUOTED = Path(__file__).parent / "quoted"
TRANSLATIONS = Path(__file__).parent / "translations"
PAGE = 3000
_MEDIA = {"md": "text/markdown", "csv": "text/csv"}


def source(text: str, language: str = "en", name: str = "facts.md", media_type: str = "text/markdown") -> Source:
    """A text as an input."""
    return read(text, media_type, language, standing="input", name=name)


def grounded(draft: str, *sources: Source, language: str = "en") -> tuple[Grounded, ...]:
    """What of a draft stands where."""
    return ground(read(draft, "text/markdown", language, standing="draft", name=""), sources)


def unsupported(draft: str, *sources: Source, language: str = "en") -> list[Claim]:
    """The claims of a draft that nothing supports."""
    return [item.claim for item in grounded(draft, *sources, language=language) if item.standing == UNSUPPORTED]


@dataclass(frozen=True)
class Defect:
    """One thing that is wrong with a draft, or only looks so (``said-rounding``)."""

    planted: str
    kind: str
    text: str
    places: tuple[tuple[int, int], ...]

    def is_found(self, unsupported: list[Claim]) -> bool:
        """Whether an unsupported claim touches the place."""
        return any(claim.start < end and start < claim.end for claim in unsupported for start, end in self.places)


@dataclass(frozen=True)
class Case:
    """One document of the corpus."""

    name: str
    language: str
    held_out: bool
    texts: tuple[tuple[str, str], ...]
    draft: str
    lines: tuple[str, ...]

    @cached_property
    def sources(self) -> list[Source]:
        """The sources, read."""
        return [
            read(text, _MEDIA[name[-3:].strip(".")], language_of(text, self.language), standing="input", name=name)
            for name, text in self.texts
        ]

    def unsupported(self, draft: str) -> list[Claim]:
        """The claims of a draft that nothing supports."""
        return unsupported(draft, *self.sources, language=self.language)

    def defects(self) -> Iterator[Defect]:
        """The draft with each of the defects."""
        for line in self.lines:
            planted, kind, *places = (part.strip() for part in line.split(" |"))
            yield self._swapped(kind, places[0]) if planted == "swap" else self._planted(planted, kind, *places)

    def _planted(self, planted: str, kind: str, old: str, new: str) -> Defect:
        if not old:
            text = f"{self.draft}\n{new}\n"
            return Defect(planted, kind, text, ((len(self.draft) + 1, len(text)),))
        assert old in self.draft, f"{self.name}: {old}"
        start = self.draft.index(old)
        same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
        text = self.draft[:start] + new + self.draft[start + len(old) :]
        return Defect(planted, kind, text, ((start + max(0, same - 1), start + len(new)),))

    def _swapped(self, kind: str, pair: str) -> Defect:
        one, other = pair.split(" <-> ")
        assert one in self.draft, f"{self.name}: {one}"
        assert other in self.draft, f"{self.name}: {other}"
        text = re.sub(f"{re.escape(one)}|{re.escape(other)}", lambda m: other if m[0] == one else one, self.draft)
        places = tuple(match.span() for match in re.finditer(f"{re.escape(one)}|{re.escape(other)}", text))
        return Defect("swap", kind, text, places)


def cases() -> list[Case]:
    """All documents whose defects are written down."""
    return [_case(path) for path in sorted(FOLDER.glob("*.txt"))]


def unseen() -> list[Case]:
    """Documents that nobody looked at while the check was tuned; a generator plants their defects."""
    return [_case(path) for path in sorted(UNSEEN.glob("*.txt"))]


def quoted() -> list[Case]:
    """Documents of which every line stands in their sources as it is."""
    return [_case(path) for path in sorted(QUOTED.glob("*.txt"))]


def translations(folder: str) -> list[Case]:
    """Chapters of a book in eight languages, as drafts; what they were translated from is the source."""
    found: list[Case] = []
    for chapter in sorted(path for path in (TRANSLATIONS / folder).iterdir() if path.is_dir()):
        source = ((f"{chapter.name}.md", (chapter / "en.md").read_text(encoding="utf-8")),)
        for path in sorted(chapter.glob("*.md")):
            if path.stem != "en":
                text = path.read_text(encoding="utf-8")
                found.append(Case(f"{chapter.name}-{path.stem}", path.stem, folder != "seen", source, text, ()))
    return found


def _case(path: Path) -> Case:
    head, *parts = re.split(r"(?m)^=== ", path.read_text(encoding="utf-8"))
    named = dict(part.split("\n", 1) for part in parts)
    return Case(
        name=path.stem,
        language=head.split("\n")[0].removeprefix("language: "),
        held_out="held-out: yes" in head,
        texts=tuple(
            (title.removeprefix("source "), text) for title, text in named.items() if title.startswith("source")
        ),
        draft=named["draft"],
        lines=tuple(line for line in named.get("defects", "").splitlines() if line),
    )
