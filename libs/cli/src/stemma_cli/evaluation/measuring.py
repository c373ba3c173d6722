"""What a document is measured by: first what code can see, then the scores of the judge, then what it cost."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from stemma_client.client import Client
from stemma_client.errors import LedgerFailedError
from stemma_client.findings import Finding, findings_of
from stemma_contracts.v1.document import DocumentStatus
from stemma_contracts.v1.ledger import LedgerRow
from stemma_contracts.v1.usage import Usage
from stemma_contracts.v1.validation import GROUNDING, OPEN_HEADING, ValidationSummary
from stemma_contracts.v1.views import DocumentView
from stemma_evidence.requirements import Answers
from stemma_languages import count_words, detect

from stemma_cli.rendering.findings import words_of

from .asked import Asked

PAGE_WORDS = 250
LEAKED_WORDS = 6
"""So many words of an internal file in a row are a leak."""
SPEAKS = 80
"""Characters of a section from which on it says enough to tell its language."""
LEAKS, LIMITS = ("words/", "STEMMA014"), ("limits/",)
LAPSES = ("STEMMA015", "STEMMA016", "STEMMA017")


NOTHING = Usage()


class Measure(NamedTuple):
    """``least``: a threshold is the least value, else the most."""

    about: str
    least: bool = False


MEASURES: Mapping[str, Measure] = {
    "completed": Measure("1 if the document was completed", least=True),
    "demands": Measure("share of the mandatory demands that the text answers", least=True),
    "unsupported": Measure("claims and sentences without a source, a page of 250 words"),
    "leaks": Measure("passages of the request, the prompt, internal files or thoughts in the text"),
    "lapses": Measure("repetitions, ends in the middle of a sentence, passages in another language"),
    "language": Measure("share of the sections in the language that was asked for", least=True),
    "over_limit": Measure("sections and answers longer than was asked for"),
    "format": Measure("issues of the linter"),
    "score": Measure("mean score of the judge", least=True),
    "tokens": Measure("tokens in and out"),
    "dollars": Measure("what the calls cost"),
    "seconds": Measure("until the document came to its end"),
}


@dataclass(frozen=True)
class Run:
    """One request, written by one model with one version of the prompts; what was not measured is in no value."""

    request: str
    model: str
    prompts: str
    ended: str
    usage: Usage = NOTHING
    asked_now: int = 0
    values: Mapping[str, float] = field(default_factory=dict)
    findings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)

    def missed(self, thresholds: Mapping[str, float]) -> dict[str, str]:
        """By measure, how a value misses its threshold; what could not be measured misses nothing."""
        return {name: words for name, wanted in thresholds.items() if (words := self._missed(name, wanted))}

    def _missed(self, name: str, wanted: float) -> str:
        value, least = self.values.get(name), MEASURES[name].least
        if value is None or (value >= wanted if least else value <= wanted):
            return ""
        return f"{name} is {value:g}, {'at least' if least else 'at most'} {wanted:g}"


async def measured(client: Client, asked: Asked, view: DocumentView, seconds: float) -> dict[str, object]:
    """The fields of a `Run` that its document tells."""
    texts = {one.section_id: await client.text(view.document_id, one.draft) for one in view.sections.values()}
    texts = {name: text for name, text in texts.items() if text}
    found = {name: await findings_of(client, view.document_id, view.sections[name].current) for name in texts}
    values = {
        "completed": float(view.status is DocumentStatus.COMPLETED),
        **by_code(
            asked,
            texts,
            chain.from_iterable(found.values()),
            unsupported_in(one.validation for one in view.sections.values()),
        ),
        **await _demands(client, view, texts),
        **_judged(view),
        "tokens": float(view.usage.tokens),
        "dollars": round(view.usage.cost, 4),
        "seconds": round(seconds, 1),
    }
    words = {name: tuple(map(words_of, findings)) for name, findings in found.items()}
    return {"usage": view.usage, "values": values, "findings": words, "texts": texts}


def unsupported_in(validations: Iterable[ValidationSummary | None]) -> int:
    """What the gate counts, too: claims and sentences."""
    return sum(one.without_support for one in validations if one)


def by_code(asked: Asked, texts: Mapping[str, str], findings: Iterable[Finding], unsupported: int) -> dict[str, float]:
    """What code can see of texts; nothing of no text."""
    if not texts:
        return {}
    pages = sum(count_words(text) for text in texts.values()) / PAGE_WORDS
    by_sort = dict.fromkeys(("leaks", "lapses", "over_limit", "format"), 0)
    for finding in findings:
        if sort := _sort_of(finding):
            by_sort[sort] += finding.count
    by_sort["leaks"] += sum(_leaked(text, asked) for text in texts.values())
    spoken = [detect(text) == asked.language for text in texts.values() if len(text) >= SPEAKS]
    return {
        "unsupported": round(unsupported / max(pages, 1), 2),
        "language": round(sum(spoken) / max(len(spoken), 1), 2),
        **{name: float(count) for name, count in by_sort.items()},
    }


def _sort_of(finding: Finding) -> Literal["leaks", "lapses", "over_limit", "format", ""]:
    if finding.kind != "lint" or finding.name == OPEN_HEADING or finding.name.startswith(GROUNDING):
        return ""
    if finding.name.startswith(LEAKS):
        return "leaks"
    if finding.name in LAPSES:
        return "lapses"
    return "over_limit" if finding.name.startswith(LIMITS) else "format"


def _leaked(text: str, asked: Asked) -> int:
    """Runs of words of internal files that stand in a text."""
    words = _words(text)
    there = {words[at : at + LEAKED_WORDS] for at in range(len(words) - LEAKED_WORDS + 1)}
    internal = (_words(path.read_text("utf-8", "replace")) for path in _internal(asked))
    runs = (held[at : at + LEAKED_WORDS] for held in internal for at in range(0, len(held), LEAKED_WORDS))
    return sum(len(run) == LEAKED_WORDS and run in there for run in runs)


def _internal(asked: Asked) -> Iterator[Path]:
    for path in asked.files.get("internal", ()):
        yield from (one for one in path.rglob("*") if one.is_file()) if path.is_dir() else (path,)


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.lower()))


async def _demands(client: Client, view: DocumentView, texts: Mapping[str, str]) -> dict[str, float]:
    """Of all mandatory demands, whatever section they were given to, the share that any section answers."""
    try:
        ledger = await client.ledger_of(view)
    except LedgerFailedError:
        return {}
    asking = [one.text for one in view.counting if one.used_as == "request" and one.text]
    buyers = [await client.text(view.document_id, one) for one in asking]
    rows = [entry.row for entry in ledger.entries if entry.row.obligation == "mandatory"]
    return await asyncio.to_thread(answered, rows, "\n\n".join(texts.values()), view.language, buyers)


def answered(rows: Sequence[LedgerRow], text: str, language: str, buyers: Sequence[str]) -> dict[str, float]:
    """The share of rows that a text answers in words that are not the buyer's."""
    answers = Answers(text, language, rows, buyers)
    found = sum(answers.answer_to(row) is not None for row in rows)
    return {"demands": round(found / len(rows), 3)} if rows else {}


def _judged(view: DocumentView) -> dict[str, float]:
    judged = [s.evaluation.score for s in view.sections.values() if s.evaluation and s.evaluation.judged]
    return {"score": round(sum(judged) / len(judged), 3)} if judged else {}
