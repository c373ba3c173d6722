"""Prompts as files: ``<folder>/<graph>/<node>/<kind or default>.md``, all checked when they are loaded.

A node may have a ``common.md``, which comes before the text of every kind, and the folder a ``house.md``: rules that
all prompts share, so that they can begin alike. ``{{name}}`` is a placeholder.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .prompting import escape

DEFAULT = "default"
COMMON = "common"
HOUSE = "house.md"

_PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}")
_LENGTH = re.compile(r"\b\d+ to (\d+) words\b")


class PromptError(ValueError):
    """A prompt file that is missing or malformed; the message names it."""


class PromptKey(NamedTuple):
    """Which prompt: graph, node and section kind."""

    graph: str
    node: str
    kind: str = DEFAULT

    @property
    def path(self) -> str:
        """The file inside the prompts folder."""
        return f"{self.graph}/{self.node}/{self.kind}.md"


@dataclass(frozen=True)
class Prompt:
    """The text of a prompt, the rules that it shares with those of its node and with all, and the SHA-256 of all."""

    text: str
    digest: str
    house: str = ""
    common: str = ""

    @property
    def usual_words(self) -> int | None:
        """The most words that the prompt names for an answer; nothing if it names none."""
        return max(map(int, _LENGTH.findall(self.text)), default=None)

    def render(self, values: Mapping[str, str]) -> str:
        """What is common to its node and the text, with their placeholders filled in."""
        return "\n\n".join(filter(None, (self.render_common(values), self.render_task(values))))

    def render_task(self, values: Mapping[str, str]) -> str:
        """The text alone."""
        return _filled(self.text, values)

    def render_common(self, values: Mapping[str, str]) -> str:
        """What is common to the prompts of its node."""
        return _filled(self.common, values)

    def render_house(self, values: Mapping[str, str]) -> str:
        """The shared rules with their placeholders filled in."""
        return _filled(self.house, values)


def _filled(text: str, values: Mapping[str, str]) -> str:
    """A value is a line from outside, such as a title: it opens no block."""
    return _PLACEHOLDER.sub(lambda found: escape(" ".join(values[found.group(1)].split())), text)


class Prompts:
    """All prompts of a service."""

    def __init__(self, prompts: Mapping[PromptKey, Prompt]) -> None:
        self._prompts = dict(prompts)

    def get(self, graph: str, node: str, kind: str = DEFAULT) -> Prompt:
        """The prompt of a section kind, or the node's default; raises `PromptError` if there is neither."""
        for key in (PromptKey(graph, node, kind), PromptKey(graph, node)):
            if key in self._prompts:
                return self._prompts[key]
        raise PromptError(f"prompt {PromptKey(graph, node, kind).path} is missing")

    def kinds(self, graph: str, node: str) -> tuple[str, ...]:
        """The section kinds that have a prompt of their own for a node, and ``default`` if there is one."""
        return tuple(sorted(key.kind for key in self._prompts if key[:2] == (graph, node)))


def load_prompts(
    folder: Path,
    required: Iterable[PromptKey],
    placeholders: Iterable[str] = (),
    of_kinds: Mapping[str, Path] | None = None,
) -> Prompts:
    """Read every prompt below ``folder``, and those of document kinds, by their path below such a folder.

    What lies in the folder comes before what a document kind brings.

    Raises `PromptError`, naming the file, for a required prompt that is missing and for any file that is
    empty, not UTF-8, or has a placeholder that is not among ``placeholders``.
    """
    known = frozenset(placeholders)
    own = sorted(path for path in folder.rglob("*.md") if path != folder / HOUSE)
    files = {_key(Path(name)): path for name, path in (of_kinds or {}).items()}
    files |= {_key(path.relative_to(folder)): path for path in own}
    texts = {key: _read(path, key.path, known) for key, path in files.items()}
    for key in required:
        if key not in texts:
            raise PromptError(f"prompt {key.path} is missing")
    house = _read(folder / HOUSE, HOUSE, known) if (folder / HOUSE).exists() else ""
    return Prompts({key: _prompt(key, texts, house) for key in texts if key.kind != COMMON})


def _key(path: Path) -> PromptKey:
    if len(path.parts) != 3:
        raise PromptError(f"prompt {path.as_posix()} must lie at <graph>/<node>/<kind>.md")
    return PromptKey(path.parts[0], path.parts[1], path.stem)


def _read(path: Path, name: str, known: frozenset[str]) -> str:
    try:
        text = path.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError:
        raise PromptError(f"prompt {name} is not UTF-8") from None
    if not text:
        raise PromptError(f"prompt {name} is empty")
    unknown = sorted(set(_PLACEHOLDER.findall(text)) - known)
    if unknown:
        raise PromptError(f"prompt {name} has unknown placeholders: {', '.join(unknown)}")
    if "{{" in _PLACEHOLDER.sub("", text):
        raise PromptError(f"prompt {name} has a placeholder that is not closed")
    return text


def _prompt(key: PromptKey, texts: Mapping[PromptKey, str], house: str) -> Prompt:
    common, text = texts.get(key._replace(kind=COMMON), ""), texts[key]
    whole = "\n\n".join(filter(None, (house, common, text)))
    return Prompt(text, hashlib.sha256(whole.encode()).hexdigest(), house, common)
