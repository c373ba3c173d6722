"""What an upstream section comes to, in a few words: its telling terms, its dates, its total."""

from __future__ import annotations

import re

from .allocation import Entry
from .phrases import in_sentence
from .plain import heading_text, plain, safe
from .request import Request, Upstream
from .sentences import split_sentences
from .words import content_stems, join_words

_HEADING = re.compile(r"^(#{2,4}) (.+)$", re.M)
_TOTAL = re.compile(r"^\|\s*Total\b[^|]*\|(.+)\|\s*$", re.M | re.I)
_AMOUNT = re.compile(r"\d[\d.,' ]*\d")
_CURRENCY = re.compile(r"\bAmount \(([A-Z]{3})\)|([$€£])\s?\d")
_DATE = re.compile(
    r"\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}\b"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4}\b"
)
GENERAL_HEADINGS = frozenset(
    ("findings", "open questions", "what we propose", "from need to solution", "costs", "milestones", "next step",
     "assumptions", "what remains open", "what the client gains", "the case in brief")
)  # fmt: skip
_GENERAL = frozenset(
    """findings open questions what we propose from need to solution the problem how we will work risks milestones costs
    next step assumptions what remains open what the client gains the case in brief""".split()
)
_CLAUSE_END = re.compile(r", (?:and|so that|because|but|while|which) |; ")
_CLAUSE_WORDS = (6, 22)
_TELLS = {
    "problem_statement": re.compile(
        r"\d|\b(?:third|quarter|half|fallen|cannot|no|never|only|hardly|too|by hand)\b", re.I
    ),
    "approach": re.compile(r"\bwe will\b", re.I),
    "timeline": re.compile(r"\b(?:weeks?|months?|sprints?|years?)\b|\b\d{4}\b", re.I),
    "budget": re.compile(r"[€$£]\s?\d|\d\s?[€$£]"),
}
GOALS = re.compile(r"\b(?:achieve|goals?|aims?|outcomes?|benefits?|objectives?|gains?|targets?)\b", re.I)
_MOST_TERMS = 4
_LEANS = re.compile(
    r"(?:it|they|this|these|that|which|who|he|she|its|their|to|from|with|of|on|at|for|in|as|if|when|by|not|the detour|"
    r"will|is|are|was|were|has|have|still|also|therefore|now|then|compare\w*|\w+ing)\b",
    re.I,
)


def telling_terms(upstream: Upstream, request: Request) -> list[str]:
    """Two headings of the section that say something, else two of its key terms."""
    headings = [heading_text(text) for _, text in _HEADING.findall(upstream.text)]
    special = [heading for heading in headings if not set(heading.lower().split()) <= _GENERAL]
    if len(special) < 2:
        return request.lexicon.in_sentence([upstream.text], 3)
    return [in_sentence(heading, request.lexicon) for heading in special[:2]]


def upstream_parts(upstream: Upstream) -> list[tuple[str, set[str]]]:
    """The headings of the section, each with the stems of what stands under it."""
    pieces = _HEADING.split(upstream.text)
    bodies = zip(pieces[2::3], pieces[3::3], strict=True)
    return [
        (heading_text(heading), set(content_stems(f"{heading} {body}"))) for heading, body in bodies if body.strip()
    ]


def recap(request: Request) -> tuple[str, list[str]] | None:
    """Heading and list of what several upstream sections come to; nothing for a single one."""
    if len(request.upstream) < 2:
        return None
    lines = [f"- {upstream.title}: {safe(_gist(upstream, request))}." for upstream in request.upstream]
    return "The case in brief", ["The sections before this one come to the following:", "\n".join(lines)]


def goals(request: Request) -> list[str]:
    """What the brief lists as to be reached, each without its full stop."""
    lists = [unit for unit in request.brief_units if unit.kind == "list"]
    aims = [unit for unit in lists if GOALS.search(f"{unit.heading} {unit.lead}")]
    return [item.rstrip(" .;,") for unit in aims for item in unit.sentences]


def _gist(upstream: Upstream, request: Request) -> str:
    entry = next((entry for entry in request.outline if entry.id == upstream.id), Entry(upstream.id, upstream.title))
    if entry.nature == "budget" and (total := _total(upstream.text)):
        return f"a total of {total}, with {join_words(telling_terms(upstream, request))} in view"
    if entry.nature == "timeline" and (span := span_of_dates(upstream.text)):
        return f"the steps from {span[0]} to {span[1]}"
    pattern = _TELLS.get(entry.nature)
    if pattern and (clause := _telling_clause(upstream.text, pattern)):
        return request.lexicon.lowered(clause)
    terms = request.lexicon.in_sentence([upstream.text], _MOST_TERMS)
    return join_words(terms) or join_words(telling_terms(upstream, request)) or "the brief itself"


def _telling_clause(text: str, tells: re.Pattern[str]) -> str:
    """The half-sentence that says most of what its section is for; none if none stands out."""
    prose = [line for line in text.split("\n") if line and not line.startswith(("#", "|", "!", ">", "-"))]
    sentences = [part for line in prose for part in split_sentences(plain(line))]
    clauses = [(clause, sentence) for sentence in sentences for clause in _CLAUSE_END.split(sentence)]
    fit = [clause.strip(" .") for clause, whole in clauses if clause.strip(" .") != whole.strip(" .")]
    fit = [clause for clause in fit if _CLAUSE_WORDS[0] <= len(clause.split()) <= _CLAUSE_WORDS[1]]
    marked = [clause for clause in fit if tells.search(clause) and not _LEANS.match(clause)]
    return max(marked, key=lambda clause: len(tells.findall(clause)), default="")


def span_of_dates(text: str) -> tuple[str, str] | None:
    """The first and the last date in the tables of a text, in the order in which they stand there."""
    rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    dates = _DATE.findall(rows)
    return (dates[0], dates[-1]) if len(dates) > 2 else None


def _total(text: str) -> str:
    row = _TOTAL.search(text)
    amount = _AMOUNT.findall(row.group(1))[-1:] if row else []
    currency = _CURRENCY.search(text)
    if not amount:
        return ""
    code, sign = currency.groups() if currency else (None, None)
    return f"{code} {amount[0]}" if code else f"{sign or ''}{amount[0]}"
