"""The texts that the claims of a draft may stand in: inputs, brief, upstream sections, words of people."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from cachetools import LRUCache
from stemma_artifacts.store import ArtifactStore, digest_of
from stemma_confinement import Limits
from stemma_contracts.media import READ, is_attachment
from stemma_contracts.v1.jobs import ValidateDraft
from stemma_contracts.v1.references import ArtifactRef
from stemma_evidence import Source, Whose, language_of

from .claims import INTERNAL, ClaimFindings, ClaimsCheck, SourceText
from .confined import checked
from .files import Files

READ_CHARACTERS = 2 * 1024 * 1024
"""How much of the sources is read for one draft: 4 s of CPU for prose, 48 for a sheet of numbers."""
_KEPT_BYTES = 128 * 1024 * 1024
"""Of memory: a source takes 25 to 300 bytes for each of its characters."""
_LEAST_TO_TELL = 200

_Key = tuple[str, str, str, str]
"""Tenant, digest, media type and language of the document: short texts and tables are read in that."""


@dataclass(frozen=True)
class _Wanted:
    standing: str
    name: str
    ref: ArtifactRef
    whose: Whose | Literal["ours", ""] = "ours"


class Grounds:
    """Looks up the claims of drafts; what a source says is kept by its digest, so that it is read once."""

    def __init__(self, artifacts: ArtifactStore, limits: Limits) -> None:
        self._artifacts = artifacts
        self._limits = limits
        self._kept: LRUCache[_Key, Source] = LRUCache(_KEPT_BYTES, getsizeof=lambda source: source.memory)

    async def check(self, job: ValidateDraft, text: str, cited: tuple[tuple[int, int], ...] = ()) -> ClaimFindings:
        """Where the claims of a draft stand; ``cited`` are ranges of places that it names.

        Raises `ValidationImpossible` past the limits.
        """
        if job.brief is None:
            return ClaimFindings()
        sources, unread = await self._sources(job)
        language = _language(job)
        check = ClaimsCheck(
            text=text,
            language=language,
            sources=tuple(source for _, source in sources),
            own_words=_own_words(job),
            purpose=job.section.instructions or job.section.purpose,
            cited=cited,
        )
        found = await checked(check, self._limits)
        self._keep([key for key, source in sources if source.known is None], found.read)
        if found.draft and _is_read_alike(job.draft, text, language):
            self._keep([_key(job, job.draft)], [found.draft])
        report = found.findings.report.model_copy(update={"unread": unread})
        return found.findings.model_copy(update={"report": report})

    async def _sources(self, job: ValidateDraft) -> tuple[list[tuple[_Key, SourceText]], tuple[str, ...]]:
        sources, files = list[tuple[_Key, SourceText]](), Files(self._artifacts, job.document)
        unread = [item.name for item in job.inputs if is_attachment(item.artifact.media_type)]
        characters = 0
        for wanted in _wanted(job):
            key = _key(job, wanted.ref)
            known = self._kept.get(key)
            size = _size(known) if known else wanted.ref.size
            if characters + size > READ_CHARACTERS:
                unread.append(wanted.name or wanted.ref.name)
                continue
            characters += size
            if known:
                known = self._standing(key, known, wanted)
                about = {"standing": wanted.standing, "name": wanted.name, "whose": wanted.whose}
                sources.append((key, SourceText.model_validate(about | {"language": "", "known": known})))
            elif (text := await files.text(wanted.ref)) is None:
                unread.append(wanted.name or wanted.ref.name)
            else:
                sources.append((key, _unknown(wanted, text, _language(job))))
        return sources, tuple(unread)

    def _standing(self, key: _Key, known: Source, wanted: _Wanted) -> Source:
        """What was read as it stands in this job; what was derived of it stays with it if it did so in the last one."""
        if (known.standing, known.name) != (wanted.standing, wanted.name):
            known = self._kept[key] = replace(known, standing=wanted.standing, name=wanted.name)
        return known

    def _keep(self, keys: Iterable[_Key], read: Iterable[Source]) -> None:
        for key, source in zip(keys, read, strict=True):
            if source.memory <= self._kept.maxsize:
                self._kept[key] = source


def _key(job: ValidateDraft, ref: ArtifactRef) -> _Key:
    return job.document.tenant, ref.digest, ref.media_type, _language(job)


def _language(job: ValidateDraft) -> str:
    return job.document.language or "en"


def _size(source: Source) -> int:
    return len(source.wording) + 1


def _wanted(job: ValidateDraft) -> Iterator[_Wanted]:
    """The sources in the order in which they are named, after those that nothing may rest on."""
    for item in job.internal:
        yield _Wanted(INTERNAL, item.name, item.artifact, "internal")
    for item in job.inputs:
        if item.artifact.media_type in READ:
            yield _Wanted("input", item.name, item.artifact, "request" if item.role == "request" else "ours")
    if job.brief is not None:
        yield _Wanted("brief", "", job.brief, "instruction")
    for upstream in job.upstream:
        yield _Wanted("upstream", upstream.section_id, upstream.draft, "")
    for words in job.said:
        yield _Wanted("person", "", words, "instruction" if words in job.instructions else "ours")


def _is_read_alike(draft: ArtifactRef, text: str, language: str) -> bool:
    as_stored = draft.media_type == "text/markdown" and digest_of(text.encode()) == draft.digest
    return as_stored and not text.startswith("\ufeff") and _told_language(draft, text, language) == language


def _told_language(ref: ArtifactRef, text: str, language: str) -> str:
    if ref.media_type in ("text/markdown", "text/plain") and len(text) >= _LEAST_TO_TELL:
        return language_of(text, language)
    return language


def _unknown(wanted: _Wanted, text: str, language: str) -> SourceText:
    return SourceText(
        standing=wanted.standing,
        name=wanted.name,
        whose=wanted.whose,
        language=_told_language(wanted.ref, text, language),
        media_type=wanted.ref.media_type,
        text=text,
    )


def _own_words(job: ValidateDraft) -> tuple[str, ...]:
    return (job.section.title, *job.section.required_headings, *(upstream.title for upstream in job.upstream))
