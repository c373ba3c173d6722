"""What is stale, since when and because of what."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text
from rich.tree import Tree
from stemma_client.client import Client
from stemma_client.differences import Change, differences, touching
from stemma_contracts.v1.inputs import ChangedInput, InputChanges
from stemma_contracts.v1.staleness import StaleReason
from stemma_contracts.v1.views import DocumentView, SectionView

from stemma_cli.output import clean_line
from stemma_cli.wording import changed_words, origin_words, rows_words

from .changes import excerpt, place_words, stat_words
from .inbox import stale_words
from .inputs import change_lines, changes_in

MAX_CHANGES = 4
_Cause = tuple[str, int]


@dataclass(frozen=True)
class Staleness:
    view: DocumentView
    reasons: dict[str, tuple[StaleReason, ...]]
    changes: dict[tuple[_Cause, int], tuple[Change, ...]] = field(default_factory=dict)
    inputs: dict[str, InputChanges] = field(default_factory=dict)
    used: dict[tuple[str, str], tuple[Change, ...]] = field(default_factory=dict)
    """By stale section and upstream: what changed of what the section uses."""


async def staleness_of(client: Client, view: DocumentView) -> Staleness:
    found = Staleness(view, {s.section_id: s.stale_reasons for s in view.stale})
    for name, reason in ((name, r) for name, reasons in found.reasons.items() for r in reasons if _changed(r)):
        before, changes = await _changes(client, view, reason)
        found.changes[_key(reason)] = changes
        if reason.marks:
            found.used[name, reason.upstream_section_id] = touching(changes, before, reason.marks, view.language)
    for changed in (changed for section in view.stale for changed in section.stale_inputs):
        if changed.input_id not in found.inputs:
            found.inputs[changed.input_id] = await changes_in(client, view.document_id, changed.changes)
    return found


def _changed(reason: StaleReason) -> bool:
    return reason.accepted_version != reason.current_version


def _key(reason: StaleReason) -> tuple[_Cause, int]:
    return (reason.upstream_section_id, reason.accepted_version), reason.current_version


async def _changes(client: Client, view: DocumentView, reason: StaleReason) -> tuple[str, tuple[Change, ...]]:
    """The accepted text, and what changed since."""
    drafts = {version.number: version.draft for version in view.sections[reason.upstream_section_id].versions}
    both = drafts.get(reason.accepted_version), drafts.get(reason.current_version)
    before, after = [await client.text(view.document_id, ref) for ref in both]
    return before, differences(before, after, view.language)


def section_json(found: Staleness, section: SectionView) -> dict[str, Any]:
    changes = {
        r.upstream_section_id: found.used.get((section.section_id, r.upstream_section_id))
        or found.changes.get(_key(r), ())
        for r in section.stale_reasons
    }
    return {
        "section": section,
        "lines": {name: [excerpt(change).plain for change in of] for name, of in changes.items()},
        "input_lines": {one.input_id: list(change_lines(found.inputs[one.input_id])) for one in section.stale_inputs},
    }


def tree(found: Staleness) -> Tree:
    root = Tree(Text(f"{found.view.document_id}: {len(found.reasons)} of {len(found.view.sections)} sections stale"))
    drawn: set[str] = set()
    for changed in {c.input_id: c for section in found.view.stale for c in section.stale_inputs}.values():
        branch = root.add(_input_label(found, changed))
        for section in found.view.stale:
            if any(one.input_id == changed.input_id for one in section.stale_inputs):
                _add(branch, found, section.section_id, drawn)
    for row in dict.fromkeys(row for section in found.view.stale for row in section.stale_requirements):
        branch = root.add(Text(rows_words([row]), "bold"))
        for section in found.view.stale:
            if row in section.stale_requirements:
                _add(branch, found, section.section_id, drawn)
    causes = dict.fromkeys(_key(r) for reasons in found.reasons.values() for r in reasons if _changed(r))
    for (upstream, accepted), current in causes:
        branch = root.add(_cause_label(found, upstream, accepted, current))
        for name, reasons in found.reasons.items():
            if any(_changed(r) and _key(r) == ((upstream, accepted), current) for r in reasons):
                _add(branch, found, name, drawn)
    return root


def _add(branch: Tree, found: Staleness, name: str, drawn: set[str]) -> None:
    """A stale section, and below it those that are stale because it is; each is told in full once."""
    if name in drawn:
        branch.add(Text(f"{name} (see above)", style="dim"))
        return
    drawn.add(name)
    section = found.view.sections[name]
    label = _section_label(section, found.reasons[name])
    for reason in found.reasons[name]:
        _add_changes(label, found.used.get((name, reason.upstream_section_id), ()))
    own = branch.add(label)
    for other, reasons in found.reasons.items():
        if any(r.upstream_section_id == name and r.upstream_stale and not _changed(r) for r in reasons):
            _add(own, found, other, drawn)


def _input_label(found: Staleness, changed: ChangedInput) -> Text:
    label = Text.assemble((clean_line(changed_words([changed])), "bold"))
    for line in () if changed.withdrawn or changed.role else change_lines(found.inputs[changed.input_id], MAX_CHANGES):
        label.append(f"\n{line}", "dim")
    return label


def _section_label(section: SectionView, reasons: Sequence[StaleReason]) -> Text:
    assert section.stale is not None
    since = f" since {section.stale.since.astimezone():%Y-%m-%d %H:%M:%S}" if section.stale.since else ""
    because = stale_words(section)
    what = because if section.is_to_be_kept_or_regenerated else f"stale, {section.status}"
    return Text.assemble((section.section_id, "bold"), f" version {section.version}{since}: {what}")


def _cause_label(found: Staleness, upstream: str, accepted: int, current: int) -> Text:
    version = found.view.sections[upstream].current
    changes = found.changes[((upstream, accepted), current)]
    made = clean_line(origin_words(version))
    label = Text.assemble((upstream, "bold"), f" {accepted} -> {current}, {made}: {stat_words(changes)}")
    if not all((name, upstream) in found.used for name in _stale_by(found, upstream)):
        _add_changes(label, changes)
    if len(changes) > MAX_CHANGES:
        label.append(f"\nall of them: `stemma diff DOC {upstream} {accepted} {current}`")
    return label


def _stale_by(found: Staleness, upstream: str) -> list[str]:
    """The sections that are stale because the text of an upstream section changed."""
    changed = ((name, reason) for name, reasons in found.reasons.items() for reason in reasons if _changed(reason))
    return [name for name, reason in changed if reason.upstream_section_id == upstream]


def _add_changes(label: Text, changes: Sequence[Change]) -> None:
    for change in changes[:MAX_CHANGES]:
        label.append(f"\n{place_words(change)}: ", "dim")
        label.append_text(excerpt(change))
    if len(changes) > MAX_CHANGES:
        label.append(f"\nand {len(changes) - MAX_CHANGES} more", "dim")
