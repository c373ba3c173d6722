"""Results as a table, as a page, and as JUnit's XML."""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from stemma_contracts.shown import shown

from .measuring import MEASURES, Run

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
