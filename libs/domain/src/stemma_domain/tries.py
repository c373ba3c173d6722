"""What one try at writing a section leaves to the next: recorded calls, which are paid, and answers of people."""

from __future__ import annotations

from dataclasses import dataclass, replace

from stemma_contracts.v1.needs import GivenAnswer, Need
from stemma_contracts.v1.references import ArtifactRef

MOST_NAMES = 16
MOST_ANSWERS = 50
"""A job carries the latest only; 50 answers are about 15 KB."""


@dataclass(frozen=True)
class Tries:
    """The tries at one writing.

    Calls of the current one are recorded under ``recorded_as``, by default under its thread; ``before`` are the names
    of earlier ones, latest first. People gave ``answers`` to earlier ones, and ``given`` to the current one.
    """

    recorded_as: str = ""
    before: tuple[str, ...] = ()
    answers: tuple[GivenAnswer, ...] = ()
    given: tuple[GivenAnswer, ...] = ()


NO_TRIES = Tries()


def answered(tries: Tries, need: Need, answer: ArtifactRef) -> Tries:
    """The tries after a person answered a question."""
    if need.question is None:
        return tries
    return replace(tries, given=(*tries.given, GivenAnswer(question=need.question.digest, answer=answer)))


def resumed_again(tries: Tries, thread_id: str, job_id: str) -> Tries:
    """The tries when the same thread is resumed by another job: what that one asks of models is asked anew."""
    return replace(tries, recorded_as=job_id, before=_before(tries, thread_id))


def begun_again(tries: Tries, thread_id: str) -> Tries:
    """The tries when all begins anew, on another thread."""
    return Tries("", _before(tries, thread_id), (*tries.answers, *tries.given)[-MOST_ANSWERS:])


def _before(tries: Tries, thread_id: str) -> tuple[str, ...]:
    names = (tries.recorded_as, thread_id, *tries.before)
    return tuple(dict.fromkeys(filter(None, names)))[:MOST_NAMES]
