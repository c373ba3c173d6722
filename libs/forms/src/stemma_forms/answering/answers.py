"""The answer to one field: a fact with its label, or statements that have all words of its question."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from stemma_evidence import claims

from stemma_forms.field import Field, Kind, without_limit
from stemma_forms.words import normal, opens, terms

from .facts import Fact, Reading, Statement, is_ours
from .labels import NEVER, Label, alternatives, carrying, is_of, parties_in, read_label, roles_in, without_number
from .prices import column_of

_LEAST_SHARE = 0.25
"""Of the words of a statement that its question must have: a longer one is about more than what is asked."""
_MOST_STATEMENTS = 3
_LONGEST_NUMBER = 12
_ALL = re.compile(
    r"(?i)\b(?:all|every|always|alle[nrs]?|sämtliche\w*|jede\w*|tou(?:te)?s|todos|todas|tutt[ei]|elke?|iedere?)\b|すべて|全て|所有"
)
_STATEMENT = 3
"""Words of the label of a box that say something by themselves, whatever is above it."""
_SHORT = 6
"""Words of a heading that says whose fields stand below it."""
_PHONE = re.compile(r"[+(\d][\d\s()./-]{5,25}(?:\s?(?:ext|x|-)\.?\s?\d{1,5})?")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}")
_SITE = re.compile(r"(?:https?://)?[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}(?:/\S*)?")
_IBAN = re.compile(r"[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{2,4}){3,8}")
_PERSON = re.compile(r"[^\W\d_][^\d@:;!?\n]{1,79}")
_NAME = re.compile(r"(?=.*[^\W\d_]).{1,119}[^.?!]|.{1,110}(?:[A-Z]\.|\.\w\.|(?:Inc|Ltda?|Lda|Co|Corp)\.)")
_PLACE = re.compile(r"(\d{4,5}(?:[ -]?[A-Z]{2})?)\s+([^\W\d][^,\d]*)")
_PARTS = frozenset({"street", "postcode", "city", "country"})
_OTHERS = frozenset({"subcontractor", "partner", "buyer", "insurer"})
"""Parties of whom a sentence says nothing of the bidder; of a customer it may: "customer data is encrypted"."""


class Knowledge:
    """What some texts state; ``form`` is the language of the form that asks."""

    def __init__(self, readings: Iterable[Reading], form: str) -> None:
        every, self.form = list(readings), form
        self.facts = [fact for reading in every for fact in reading.facts]
        self.statements = [statement for reading in every for statement in reading.statements]
        self.languages = sorted({s.language for s in self.statements} | {f.language for f in self.facts})
        self.companies = frozenset().union(*(reading.companies for reading in every))
        own = [one for one in self.facts if one.label.concept == "organisation" and not one.label.parties]
        self.names = self.companies | {one.value for one in own}
        if not own and len(self.companies) == 1:
            name = next(iter(self.companies))
            self.facts += [Fact(Label("organisation"), name, language) for language in self.languages]


def answer_of(field: Field, known: Knowledge) -> str:
    """The answer to a field; empty if nothing fits, or several things do."""
    asked = _asked(field)
    if is_for_the_signer(field, known.form):
        return ""
    if field.kind is Kind.CHECKBOX or _is_yes_or_no(field):
        return _yes_or_no(field, asked, known)
    if "?" in asked or "？" in asked:
        return _fitting(field, _of_facts(field, asked, known) or _quoted(field, asked, known))
    facts = _of_facts(field, asked, known)
    return _fitting(field, facts or _quoted(field, asked, known))


def is_for_the_signer(field: Field, form: str) -> bool:
    """Whether a field is a signature, or the day of one; ``form`` is the language of its form."""
    return any(read_label(part, form).concept in NEVER for part in alternatives(_asked(field)))


def names_a_value(field: Field, form: str) -> bool:
    """Whether a field takes a value that has to stand somewhere: a name, an address, a number, a day, a price."""
    if field.kind in (Kind.NUMBER, Kind.DATE) or column_of(field.column):
        return True
    is_text = field.kind is Kind.TEXT and not field.suggested
    return is_text and any(read_label(part, form).concept for part in alternatives(_asked(field)))


def _asked(field: Field) -> str:
    """What is asked, without its number, its limit and the name of its column."""
    question = field.question.removesuffix(f" ({field.column})") if field.column else field.question
    first = field.row[0][1] if field.row else ""
    if len(first) <= _LONGEST_NUMBER and any(map(str.isdigit, first)):
        question = question.removeprefix(first)
    return " ".join(without_limit(without_number(question)).split())


def _of_facts(field: Field, asked: str, known: Knowledge) -> str:
    values = {_of_label(field, part, known) for part in alternatives(asked)} - {""}
    concepts = {read_label(part, known.form).concept for part in alternatives(asked)} - {""}
    return values.pop() if len(values) == 1 and len(concepts) <= 1 else ""


def _of_label(field: Field, part: str, known: Knowledge) -> str:
    """The one value of the facts that have a label's concept, party, role and words; the closest come first."""
    found: list[tuple[bool, bool, str]] = []
    for language in known.languages:
        label = read_label(part, language, known.form)
        group = field.group if len(field.group.split()) <= _SHORT else ""
        words = label.words if label.concept else carrying(part, language)
        wanted = Label(label.concept, label.roles | roles_in(group), label.parties | parties_in(group), words)
        for fact in (one for one in known.facts if one.language == language and _is_asked_for(wanted, one.label)):
            if value := _value(wanted.concept, fact):
                found.append((fact.label.roles != wanted.roles, fact.label.words != wanted.words, value))
    best = [value for *distance, value in found if distance == list(min(found)[:2])]
    return best[0] if len({normal(value) for value in best}) == 1 else ""


def _is_asked_for(wanted: Label, fact: Label) -> bool:
    is_vague = wanted.concept in ("name", "several") or (wanted.concept == "job_title" and not wanted.roles)
    if wanted.parties != fact.parties or is_vague:
        return False
    if not wanted.concept:
        return bool(wanted.words) and not fact.concept and wanted.words == fact.words and wanted.roles == fact.roles
    same = fact.concept == wanted.concept or (wanted.concept in _PARTS and fact.concept == "address")
    return same and wanted.roles <= fact.roles and wanted.words <= fact.words


def _value(concept: str, fact: Fact) -> str:
    """The value of a fact as the concept has it; empty if it is nothing of the kind."""
    value = fact.value
    match concept:
        case "email":
            found = _MAIL.findall(value)
            return found[0] if len(found) == 1 else ""
        case "phone" | "mobile" | "fax":
            return value if _PHONE.fullmatch(value) else ""
        case "website":
            return value if _SITE.fullmatch(value) else ""
        case "iban":
            return value if _IBAN.fullmatch(value) else ""
        case "person":
            return value if _PERSON.fullmatch(value) and len(value.split()) <= 6 else ""
        case "organisation":
            return value if _NAME.fullmatch(value) else ""
        case "street" | "postcode" | "city" | "country" if fact.label.concept == "address":
            return _part(concept, value)
        case "employees":
            return value if any(map(str.isdigit, value)) else ""
        case _:
            return value


def _part(concept: str, address: str) -> str:
    parts = [part.strip() for part in address.split(",")]
    place = next((found for part in parts if (found := _PLACE.fullmatch(part))), None)
    if len(parts) < 2 or place is None:
        return ""
    last = parts[-1] if place[0] != parts[-1] and not any(map(str.isdigit, parts[-1])) else ""
    return {"street": parts[0], "postcode": place[1], "city": place[2].strip(), "country": last}[concept]


def _fitting(field: Field, value: str) -> str:
    """A value in the form that the field takes: a choice of its list, a number, a day."""
    match field.kind:
        case Kind.CHOICE:
            options = [one for one in field.allowed if f" {normal(one)} " in f" {normal(value)} "] if value else []
            return options[0] if len(options) == 1 else ""
        case Kind.NUMBER:
            found = [c for c in claims(value, "en") if c.numbers]
            return format(found[0].numbers[0], "f") if len(found) == 1 else ""
        case Kind.DATE:
            days = [c.values[0] for c in claims(value, "en") if c.kind == "date"]
            return days[0] if len(days) == 1 and re.fullmatch(r"\d{4}-\d\d-\d\d", days[0]) else ""
        case _:
            return value


def _is_yes_or_no(field: Field) -> bool:
    options = field.allowed or field.suggested
    return bool(options) and _option(options, "yes") is not None and _option(options, "no") is not None


def _option(options: Sequence[str], about: str) -> str | None:
    words = {normal(term) for term in terms(about)}
    return next((one for one in options if any(normal(part) in words for part in re.split(r"[/|]", one))), None)


def _yes_or_no(field: Field, asked: str, known: Knowledge) -> str:
    """Yes if a statement has all words of the question, no if one denies just that; a box is only ever checked."""
    if field.kind is not Kind.CHECKBOX:
        denied = _is_denied(asked, known)
        return "" if denied is None else _option(field.allowed or field.suggested, "no" if denied else "yes") or ""
    question, _, label = asked.rpartition(": ")
    for about in ("yes", "no"):
        if question and _option((label,), about):
            return "yes" if _is_denied(question, known) == (about == "no") else ""
    statement = label if len(label.split()) >= _STATEMENT else asked
    return "yes" if _is_denied(statement, known) is False else ""


def _is_denied(asked: str, known: Knowledge) -> bool | None:
    """Whether what is asked is so (False) or is not so (True); None if nothing says it, or things differ."""
    found = {one.is_negative for part in alternatives(asked) for one in _statements(part, known)}
    found |= {no for part in alternatives(asked) if (no := _denied(part, known)) is not None}
    return found.pop() if len(found) == 1 else None


def _denied(part: str, known: Knowledge) -> bool | None:
    """What a fact such as ``ISO 9001 certified: yes`` says, as a denial: None if there is none."""
    said = {
        fact.value for fact in known.facts if fact.label.words and fact.label.words == carrying(part, fact.language)
    }
    words = {about for value in said for about in ("yes", "no") if normal(value) in map(normal, terms(about))}
    return None if len(words) != 1 else words == {"no"}


def _statements(part: str, known: Knowledge) -> list[Statement]:
    """The statements of the bidder that have all words of a question and are about nothing else."""
    asked = {language: carrying(part, language) for language in known.languages}
    found = [one for one in known.statements if _says(asked[one.language], part, one)]
    if _ALL.search(part):
        found = [one for one in found if _ALL.search(one.text)]
    # Of a certificate it matters whose it is.
    is_held = any("thing:certified" in words for words in asked.values())
    return [one for one in found if not is_held or is_ours(one, known.names)]


def _says(asked: frozenset[str], part: str, one: Statement) -> bool:
    if not asked or not asked <= one.words or one.parties or (one.is_hedged and not is_of(part, "hedges")):
        return False
    if (parties_in(one.text) & _OTHERS) - parties_in(part) and "thing:subcontracting" not in asked:
        return False
    return asked == one.words if one.is_negative or len(asked) == 1 else len(asked) >= _LEAST_SHARE * len(one.words)


def _quoted(field: Field, asked: str, known: Knowledge) -> str:
    """The words of ours that answer a question: what stands under its heading, or statements with all of its words."""
    is_label = not ("?" in asked or "？" in asked or opens(asked))
    if field.kind is not Kind.TEXT:
        return ""
    for part in alternatives(asked):
        if read_label(part, known.form).concept and is_label:
            continue
        if under := _under_heading(part, known):
            return under
        if is_label:
            if figure := _figure(part, known):
                return figure
            continue
        if is_of(part, "counting"):
            return _count(part, known)
        found = _statements(part, known) or _leading(part, known)
        if texts := list(dict.fromkeys(one.text for one in found))[:_MOST_STATEMENTS]:
            return " ".join(texts)
    return ""


def _under_heading(part: str, known: Knowledge) -> str:
    """What stands under the one heading that has the words of a question, and no others."""
    own = (one for one in known.statements if one.heading and not one.parties)
    found = [one for one in own if carrying(part, one.language) == one.heading_words != frozenset()]
    if len({one.heading for one in found}) != 1:
        return ""
    return "\n".join(" ".join(one.text for one in group) for _, group in groupby(found, lambda one: one.paragraph))


def _leading(part: str, known: Knowledge) -> list[Statement]:
    """Statements whose subject is the one word of a question: it is the first of their words."""
    found = []
    for one in known.statements:
        asked = carrying(part, one.language)
        if len(asked) == 1 and not (one.is_hedged or one.is_negative or one.parties) and asked in _firsts(one):
            found.append(one)
    return found


def _firsts(one: Statement) -> list[frozenset[str]]:
    """The words that a statement may begin with: up to the first that says something; or its first characters."""
    words = one.text.split()
    if len(words) == 1:
        return [carrying(one.text[:count], one.language) for count in range(2, 13)]
    firsts = (carrying(" ".join(words[:count]), one.language) for count in range(1, min(4, len(words)) + 1))
    return [next(filter(None, firsts), frozenset())]


def _count(part: str, known: Knowledge) -> str:
    """The number that a question asks for, of the one statement that says nothing but that."""
    found = set[str]()
    for one in known.statements:
        asked, more = carrying(part, one.language), one.words - carrying(part, one.language)
        is_told = asked and asked <= one.words and not (one.is_hedged or one.is_negative or one.parties)
        if is_told and len(more) == 1 and all(word.isdigit() for word in more):
            found |= more
    return found.pop() if len(found) == 1 else ""


def _figure(part: str, known: Knowledge) -> str:
    """The percentage that a label asks for, of the one statement with all of its words and one percentage."""
    if "%" not in part:
        return ""
    found = {
        claim.text
        for one in _statements(part, known)
        for claim in claims(one.text, one.language)
        if "percent" in claim.units
    }
    return found.pop() if len(found) == 1 else ""
