"""Why something was not done, as pages tell it: by the code of the problem, else in the words of the problem itself."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup, escape
from stemma_contracts import problems
from stemma_contracts.v1.answers import Problem

from .languages import words
from .problems import ProblemDetails

WRITTEN_IN = problems.WRITTEN_IN
FOREIGN = "reason"
"""The parameter that holds words of others, which are in `WRITTEN_IN`."""


@dataclass(frozen=True)
class Reason:
    """One thing that is wrong: what people call the field, empty where the words say it, and the words as HTML."""

    field: str
    words: Markup


def reasons(problem: ProblemDetails, language: str) -> tuple[Reason, ...]:
    """All that is wrong, in a language of the desk as far as it has it."""
    whole = Problem(field="", message=problem.detail, code=problem.code, params=problem.params)
    return tuple(_reason(each, language) for each in problem.problems or (whole,))


def reasons_shown(problem: ProblemDetails, language: str) -> Markup:
    """The same as HTML on one line."""
    return Markup("; ").join(_shown(reason) for reason in reasons(problem, language))


def problem_shown(problem: Problem, language: str) -> Markup:
    """One problem as HTML on one line."""
    return _shown(_reason(problem, language))


def title_of(problem: ProblemDetails, language: str) -> str:
    """What the status of an answer is called."""
    return words(language).get(f"status_{problem.status}", problem.title)


def _reason(problem: Problem, language: str) -> Reason:
    field = words(language).get(f"field_{problem.field.rpartition('.')[2]}", "") or problem.field
    if language == WRITTEN_IN:
        return Reason(field, escape(problem.message))
    template = problems.template(problem.code, problem.params, language)
    if template is None:
        return Reason(field, _foreign(problem.message))
    foreign = {FOREIGN: _foreign(str(problem.params[FOREIGN]))} if FOREIGN in problem.params else {}
    said = escape(template).format_map({**problem.params, **foreign})
    is_sentence = said[:1].isupper() or not said[:1].isalpha()
    return Reason("" if is_sentence and not foreign else field, said)


def _foreign(said: str) -> Markup:
    return Markup('<bdi lang="{}">{}</bdi>').format(WRITTEN_IN, said)


def _shown(reason: Reason) -> Markup:
    field = Markup("{}: ").format(reason.field) if reason.field else ""
    return Markup("{}{}").format(field, reason.words)
