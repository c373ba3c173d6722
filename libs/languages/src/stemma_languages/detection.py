"""Which language a text is in. py3langid knows 139; offline, and the same for the same text."""

from functools import lru_cache
from threading import Lock
from typing import Any

from .languages import DEFAULT, shipped

CHARS = 20_000
"""What of a text is looked at: its beginning."""
CERTAIN = 0.9
CLEARLY = 3
"""How many times likelier than English another language must be: a word or two may be anything."""

_LOADING = Lock()
"""`lru_cache` calls a function twice that two threads ask for at once."""


def detect(text: str) -> str:
    """The tag of the language with a data file that a text is in; English if it does not say enough to tell."""
    known = {tag: probability for tag, probability in _ranked(text) if tag in shipped()}
    best = max(known, key=lambda tag: known[tag], default=DEFAULT)
    return best if known and known[best] >= CLEARLY * known[DEFAULT] else DEFAULT


def foreign(text: str) -> str | None:
    """The tag of a language without a data file, if a text is in it beyond doubt."""
    ranked = _ranked(text)
    if not ranked:
        return None
    tag, probability = ranked[0]
    return tag if tag not in shipped() and probability >= CERTAIN else None


def load_detection() -> None:
    """Load now what `detect` would load with its first text, which takes half a second.

    For a process that is copied: all copies have one model of 84 MB then.
    """
    with _LOADING:
        _identifier()


def _ranked(text: str) -> tuple[tuple[str, float], ...]:
    """Languages by likelihood; none for a text without letters, on which nothing can be said."""
    return _likelihoods(text[:CHARS])


@lru_cache(maxsize=8)
def _likelihoods(seen: str) -> tuple[tuple[str, float], ...]:
    """Kept because who asks what a text is in often asks two questions of it."""
    if not any(char.isalpha() for char in seen):
        return ()
    with _LOADING:
        identifier = _identifier()
    return tuple(identifier.rank(seen))


@lru_cache(maxsize=1)
def _identifier() -> Any:
    """The model takes 90 MB and half a second: it is loaded when a text is looked at, not at import."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
