"""What a document is measured by: what code can see, the scores of the judge, what it cost; and how that is told."""

import asyncio
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, groupby
from pathlib import Path
from typing import Literal, NamedTuple
from xml.etree import ElementTree

from stemma_client.client import Client
from stemma_client.errors import LedgerFailedError
from stemma_client.findings import Finding, findings_of
from stemma_contracts.shown import shown
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


Thresholds = Mapping[str, Mapping[str, float]]
"""By model."""
COLUMNS = ("REQUEST", "MODEL", "PROMPTS", "ENDED", *(name.upper() for name in MEASURES), "CALLS", "NEW")
STYLE = """body{font:14px sans-serif;margin:2em}table{border-collapse:collapse}td,th{padding:.3em .6em;text-align:right}
td:nth-child(-n+4),th:nth-child(-n+4){text-align:left}
tr{border-bottom:1px solid #ccc}.missed{color:#b00;font-weight:bold}
pre{white-space:pre-wrap;max-width:50em;background:#f6f6f6;padding:1em}"""


def row(run: Run) -> tuple[str, ...]:
    values = (f"{run.values[name]:g}" if name in run.values else "" for name in MEASURES)
    return (run.request, run.model, run.prompts, run.ended, *values, str(run.usage.calls), str(run.asked_now))


def write_reports(folder: Path, runs: Sequence[Run], thresholds: Thresholds) -> list[Path]:
    """``results.html``, ``results.xml`` and ``results.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    told = {
        "results.html": page(runs, thresholds),
        "results.xml": junit(runs, thresholds),
        "results.json": json.dumps([_plain(run) for run in runs], indent=1),
    }
    for name, text in told.items():
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
    return [folder / name for name in told]


def _plain(run: Run) -> dict[str, object]:
    return {**asdict(run), "usage": run.usage.model_dump()}


def page(runs: Sequence[Run], thresholds: Thresholds) -> str:
    """One page without anything from elsewhere; each draft lies under its row with what was found of it."""
    head = "".join(f"<th>{_text(name.lower())}" for name in COLUMNS)
    rows = "\n".join(_row_of_page(run, thresholds[run.model]) for run in runs)
    about = "".join(f"<li>{name}: {_text(one.about)}" for name, one in MEASURES.items())
    drafts = "\n".join(map(_drafts, runs))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>stemma eval</title><style>{STYLE}</style>'
        f"<h1>stemma eval</h1><table><tr>{head}\n{rows}</table><ul>{about}</ul>\n{drafts}</html>\n"
    )


def _text(words: str) -> str:
    return html.escape(shown(words))


def _row_of_page(run: Run, thresholds: Mapping[str, float]) -> str:
    missed = {name.upper() for name in run.missed(thresholds)}
    cells = zip(COLUMNS, row(run), strict=True)
    return "<tr>" + "".join(f"<td{' class=missed' if name in missed else ''}>{_text(cell)}" for name, cell in cells)


def _drafts(run: Run) -> str:
    parts = [f"<h2>{_text(' / '.join((run.request, run.model, run.prompts)))}</h2>"]
    for name, text in run.texts.items():
        found = "".join(f"<li>{_text(words)}" for words in run.findings.get(name, ()))
        parts.append(f"<details><summary>{_text(name)}</summary><pre>{_text(text)}</pre><ul>{found}</ul></details>")
    return "\n".join(parts)


def junit(runs: Sequence[Run], thresholds: Thresholds) -> str:
    """A suite for each model and version of the prompts, a case for each request and threshold."""
    root = ElementTree.Element("testsuites", name="stemma eval")
    for (model, version), group in groupby(runs, lambda run: (run.model, run.prompts)):
        _suite(root, f"{model} {version}", [*group], thresholds[model])
    return ElementTree.tostring(root, "unicode", xml_declaration=True)


def _suite(root: ElementTree.Element, name: str, runs: Iterable[Run], thresholds: Mapping[str, float]) -> None:
    suite = ElementTree.SubElement(root, "testsuite", name=name)
    cases = [(run, measure, run.missed(thresholds).get(measure)) for run in runs for measure in thresholds]
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(sum(bool(words) for _, _, words in cases)))
    for run, measure, words in cases:
        time = f"{run.values.get('seconds', 0):g}"
        case = ElementTree.SubElement(suite, "testcase", classname=run.request, name=measure, time=time)
        if words:
            ElementTree.SubElement(case, "failure", message=words).text = shown(_found(run))
        elif measure not in run.values:
            ElementTree.SubElement(case, "skipped", message=f"not measured: {run.ended}")


def _found(run: Run) -> str:
    return "\n".join(f"{name}: {words}" for name, found in run.findings.items() for words in found)
