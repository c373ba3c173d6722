"""What of its upstream sections a text rests on, followed through their versions, and what of that changed.

A validation names the marks that a text uses in one version of an upstream; each later version tells which marks of the
one before it touches, and which have another one from then on.
"""

from collections.abc import Iterable, Iterator

from stemma_contracts.v1.staleness import UsedUpstream

from .features.inputs.material import validation_of
from .state import Section, Version


def touched_marks(section: Section, upstream: Section, accepted: int) -> tuple[str, ...] | None:
    """The marks in the accepted version of what a section uses and what changed since; None if that is not known."""
    validation = validation_of(section)
    found = validation.used_upstream if validation else None
    used = [one for one in found or () if one.section_id == upstream.plan.section_id]
    if not used:
        return None
    touched = [_touched(one, upstream, accepted) for one in used]
    if any(marks is None for marks in touched):
        return None
    return tuple(dict.fromkeys(mark for marks in touched for mark in marks or ()))


def used_together(*found: tuple[UsedUpstream, ...]) -> tuple[UsedUpstream, ...]:
    """What several looks at one text found that it uses of each version of an upstream section."""
    merged = dict[tuple[str, int], UsedUpstream]()
    for one in (used for each in found for used in each):
        known = merged.get((one.section_id, one.version), one)
        marks = tuple(dict.fromkeys((*known.marks, *one.marks)))
        merged[one.section_id, one.version] = one.model_copy(update={"marks": marks, "whole": known.whole or one.whole})
    return tuple(merged.values())


def _touched(used: UsedUpstream, upstream: Section, accepted: int) -> tuple[str, ...] | None:
    later = [version for version in upstream.versions if version.number > used.version]
    if used.whole or used.version > accepted or any(version.difference is None for version in later):
        return None
    after = [version for version in later if version.number > accepted]
    if not used.marks:
        return None if any(version.difference and version.difference.touched for version in after) else ()
    marks = _carried(used.marks, (version for version in later if version.number <= accepted))
    return tuple(_changed(marks, after))


def _carried(marks: Iterable[str], versions: Iterable[Version]) -> tuple[str, ...]:
    """The marks that have taken the place of others."""
    for version in versions:
        now = version.difference.followed if version.difference else {}
        marks = [now.get(mark, mark) for mark in marks]
    return tuple(marks)


def _changed(marks: Iterable[str], versions: Iterable[Version]) -> Iterator[str]:
    """Those of the marks that a version touches, under whatever mark each is known by then."""
    known = {mark: mark for mark in marks}
    for version in versions:
        if version.difference is None:
            continue
        change = version.difference
        touched, now = {*change.touched, *change.extended}, change.followed
        yield from [mark for mark, mark_now in known.items() if mark_now in touched]
        known = {mark: now.get(mark_now, mark_now) for mark, mark_now in known.items() if mark_now not in touched}
