"""What a subject says: its stream, and its template, which names the destination without naming a document."""

from stemma_contracts import subjects
from stemma_contracts.tokens import is_token

_STREAMS = {
    "request": subjects.REQUESTS,
    "answer": subjects.ANSWERS,
    "event": subjects.EVENTS,
    "job": subjects.JOBS,
    "outcome": subjects.OUTCOMES,
    "dead": subjects.DEAD,
    "notice": subjects.NOTICES,
    "timer": subjects.TIMERS,
    "elapsed": subjects.TIMERS,
}
_OF_SERVICES = ("job", "outcome")
_VARIABLES = {
    "request": ("{tenant}",),
    "request.v2": ("{tenant}", "{person}"),
    "answer": ("{tenant}", "{request}"),
    "event": ("{tenant}", "{document}"),
    "notice": ("{tenant}", "{owner}", "{rule}"),
    "timer": ("{tenant}", "{document}", "{section}"),
    "elapsed": ("{tenant}", "{document}", "{section}"),
}


def stream_of(subject: str) -> str:
    """The stream that keeps messages of this subject; raises `KeyError` for a subject of no message family."""
    return _STREAMS[_family(subject)]


def template_of(subject: str) -> str:
    """The subject with variables in place of tenants, documents and requests; of a strange one only its first token."""
    family = _family(subject)
    if family not in _STREAMS:
        return subject.split(".")[0]
    tokens = subject.split(".")
    variables = _VARIABLES.get(".".join(tokens[1:3])) or _VARIABLES.get(family, ())
    return ".".join((*tokens[:3], *variables, *tokens[3 + len(variables) :]))


def matches(pattern: str, subject: str) -> bool:
    """Whether a subject is one of a pattern, which may hold `ANY` for a token and end with `REST`."""
    if pattern == subject:
        return True
    tokens, own = subject.split("."), pattern.split(".")
    if own[-1] == subjects.REST and len(tokens) >= len(own):
        own, tokens = own[:-1], tokens[: len(own) - 1]
    if len(own) != len(tokens):
        return False
    return all(wanted in (subjects.ANY, token) for wanted, token in zip(own, tokens, strict=True))


def overlap(one: str, other: str) -> bool:
    """Whether a subject can be one of both patterns."""
    tokens, others = one.split("."), other.split(".")
    for token, own in zip(tokens, others, strict=False):
        if subjects.REST in (token, own):
            return True
        if token != own and subjects.ANY not in (token, own):
            return False
    return len(tokens) == len(others)


def last_token(subject: str) -> str:
    """The name at the end of a subject, ``unknown`` if it is no token."""
    token = subject.rsplit(".", 1)[-1]
    return token if is_token(token) else "unknown"


def subject_service(subject: str) -> str | None:
    """The service in the subject of a job or an outcome, None in another subject."""
    if _family(subject) not in _OF_SERVICES:
        return None
    _, _, _, service, *name = subject.split(".")
    return service if name and is_token(service) else None


def _family(subject: str) -> str:
    tokens = subject.split(".")
    return tokens[1] if len(tokens) > 1 else ""
