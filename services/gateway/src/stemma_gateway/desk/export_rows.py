"""What left a document: each file with who asked for it, and what a person should know of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stemma_client import DocumentView, ExportView, RecordedEvent
from stemma_contracts.v1 import events as e


@dataclass(frozen=True)
class ExportRow:
    """An export: what was asked for, by whom and when, and what came of it, as far as it is there."""

    view: ExportView
    asked: e.ExportRequested
    at: datetime
    done: e.DocumentExported | None

    @property
    def is_pending(self) -> bool:
        """Whether it is still being made."""
        return self.view.artifact is None and self.view.failure is None

    def warnings(self) -> Mapping[str, int]:
        """What a person should know of the file, each with how often it is so."""
        if self.done is None:
            return {}
        told = {"open_requirements": len(self.done.open_requirements), "too_long": len(self.done.too_long)}
        counts = Counter({**told, "not_covered": len(self.done.not_covered)})
        for warning in self.done.warnings:
            counts[warning.code] += warning.count
        return {name: count for name, count in counts.items() if count}


def export_rows(log: Sequence[RecordedEvent], document: DocumentView) -> list[ExportRow]:
    """The exports of a document, the latest first."""
    done = {event.contract.export_id: event.contract for event in log if isinstance(event.contract, e.DocumentExported)}
    rows = [
        ExportRow(document.exports[asked.export_id], asked, event.envelope.time, done.get(asked.export_id))
        for event in log
        if isinstance(asked := event.contract, e.ExportRequested) and asked.export_id in document.exports
    ]
    return rows[::-1]
