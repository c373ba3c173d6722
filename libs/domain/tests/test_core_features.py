"""The table of features: who is in it, and that a new one is a file and its line."""

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
import stemma_domain
from stemma_contracts import Family, registry
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.requests import PlanChange
from stemma_domain.state import Working
from stemma_domain.table import FEATURES

pytestmark = pytest.mark.req("P1")
DOMAIN = Path(stemma_domain.__file__).parent
STAMPS = """
from dataclasses import replace
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e, jobs as j, requests
from stemma_domain.commands import Asked, Timer
from stemma_domain.hooks import Feature, Task
from stemma_domain.jobs import head_of


class Stamp(requests.DocumentRequest):
    pass


class Stamped(e.Event):
    pass


def make(document, job_id):
    return j.DropThreads(job_id=job_id, document=head_of(document), threads=())


STAMPING = Task(make, lambda document, job_id, outcome: e.DocumentCancelled())


def work(document):
    job_id = f"{document.document_id}.1.stamp.all"
    yield job_id, STAMPING, (document, job_id)


FEATURE = Feature[Asked[Stamp]](
    requests=(Stamp,),
    decide=lambda command, document: [e.DocumentPaused(**command.asked)],
    follow=lambda document, events: [*events, e.DocumentResumed()],
    work=work,
    job_owners={"stamp": subjects.CONVERTER},
    may_start=lambda document, section, stale: False,
    events=(Stamped,),
    evolve=lambda document, event: replace(document, kind="stamped"),
    after=lambda document, event: replace(document, language=event.request_id or "nobody"),
    timers=lambda document, before: [Timer("research", "stamp", document.number, document.created_at - before)],
    elapsed={"stamp": lambda timer, document: [Stamped()]},
    view=lambda section: {"more_references": 7},
)
"""
USED = """
from domain_story import Story
from stemma_contracts.v1.outcomes import JobDead
from datetime import timedelta
from stemma_domain.commands import Asked, Elapsed, Record
from stemma_domain.decide import decide
from stemma_domain.evolve import evolve
from stemma_domain.features.stamps import Stamp, Stamped
from stemma_domain.view import view_of
from stemma_domain.work import open_jobs, owner_of, timers_of

story = Story()
(requested,) = story.create()
print(requested.starts, [job.job_id.split(".")[2] for job in open_jobs(story.state)])
stamp = Asked(Stamp(document_id="d"), story.asked(), story.document.created_at)
print([type(event).__name__ for event in decide(stamp, story.state)])
(job,) = open_jobs(story.state)
dead = JobDead(job_id=job.job_id, tenant="t", document_id="d", detail="gone")
print([type(event).__name__ for event in decide(Record(dead), story.state)], owner_of(job.job_id))
(timer,) = timers_of(story.state, timedelta(days=1))
print(timer.id, [type(event).__name__ for event in decide(Elapsed(timer), story.state)])
stamped = evolve(story.state, Stamped(request_id="r9", request_digest="0" * 64))
print(stamped.kind, stamped.language, view_of(stamped).sections["research"].more_references)
"""
TOLD = """\
() ['stamp']
['DocumentPaused', 'DocumentResumed']
['DocumentCancelled', 'DocumentResumed'] converter
research.stamp.1.1767139200 ['Stamped', 'DocumentResumed']
stamped r9 7
"""


def test_every_feature_is_in_the_table() -> None:
    modules = {name.partition(".")[0] for name in names_of_features()}
    named = [import_module(f"stemma_domain.features.{name}").FEATURE for name in names_of_features()]
    assert [feature for feature in named if feature not in FEATURES] == []
    assert len(FEATURES) == len(modules) == len(named)


def names_of_features() -> list[str]:
    folder = DOMAIN / "features"
    files = [file.stem for file in folder.glob("*.py") if file.stem != "__init__"]
    return [*files, *(f"{file.parent.name}.feature" for file in folder.glob("*/__init__.py"))]


def test_every_request_is_decided_by_one_feature() -> None:
    decided = [request for feature in FEATURES for request in feature.requests]
    asked = [entry.cls for entry in registry.entries(Family.REQUEST) if entry.cls is not PlanChange]
    assert sorted(map(str, decided)) == sorted(map(str, asked))
    assert all(feature.decide for feature in FEATURES if feature.requests)


def test_every_event_is_folded_by_one_feature_or_by_the_core() -> None:
    of_features = [event for feature in FEATURES for event in feature.events]
    alone = (e.DocumentRequested, e.DocumentErased, e.DecisionRefused, e.OutcomeSuperseded)
    of_core = (*get_args(e.AnySectionEvent), *alone)
    assert sorted(map(str, (*of_features, *of_core))) == sorted(map(str, get_args(e.AnyEvent)))
    assert all(feature.evolve for feature in FEATURES if feature.events)


def test_every_phase_with_an_open_job_belongs_to_one_feature() -> None:
    phases = [phase for feature in FEATURES for phase in feature.phases]
    assert sorted(map(str, phases)) == sorted(map(str, get_args(Working)))


def test_a_new_feature_is_a_file_and_its_line_in_the_table(tmp_path: Path) -> None:
    shutil.copytree(DOMAIN, tmp_path / DOMAIN.name, ignore=shutil.ignore_patterns("__pycache__"))
    planted = tmp_path / DOMAIN.name
    (planted / "features" / "stamps.py").write_text(STAMPS, encoding="utf-8")
    table = (planted / "table.py").read_text(encoding="utf-8")
    table = table.replace("    exports.FEATURE,\n", "    exports.FEATURE,\n    stamps.FEATURE,\n")
    (planted / "table.py").write_text(
        table.replace("    several,\n)", "    several,\n    stamps,\n)"), encoding="utf-8"
    )
    paths = os.pathsep.join((str(tmp_path), str(Path(__file__).parent / "helpers")))
    run = subprocess.run(
        [sys.executable, "-c", USED],
        env={**os.environ, "PYTHONPATH": paths},
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.stdout == TOLD, run.stderr
