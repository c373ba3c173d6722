import re
import sys
from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.merges import Merge, MergeConflict, MergeConflicts
from stemma_contracts.v1.provenance import Origin
from stemma_contracts.v1.staleness import StaleMark, StaleReason
from stemma_testkit.document_events import review_requested

BEFORE = "# Research\n\nIt takes 12 weeks.\n"
EDITOR = "import pathlib, sys; p = pathlib.Path(sys.argv[1]); p.write_text({})"


@pytest.fixture
async def settled(backstage: Any, document_id: str, requested: Any, drafted: Any) -> str:
    draft = await backstage.text(document_id, BEFORE)
    approved = events.SectionApproved(section_id="research", version=1, starts=("solution",))
    await backstage.append(document_id, requested, drafted("research", draft), approved)
    return document_id


@pytest.fixture
def takes_texts(backstage: Any) -> None:
    """Every text that is sent becomes the next version, as the orchestrator would have it."""

    async def take(request: requests.EditSection) -> None:
        if request.text is not None:
            draft = await backstage.text(request.document_id, request.text)
            version = request.version + 1
            edited = events.SectionEdited(section_id="research", version=version, draft=draft, origin=Origin.WRITTEN)
            await backstage.append(request.document_id, edited)

    backstage.on_request = take


@pytest.fixture
def editor(environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    # The command runs beside the test here, in a thread that cannot take signals.
    monkeypatch.setattr("signal.signal", lambda *_: None)
    environment["VISUAL"] = ""

    def set_to(new_text: str) -> None:
        script = tmp_path / "editor.py"
        script.write_text(EDITOR.format(new_text))
        environment["EDITOR"] = f"{sys.executable} {script}"

    return set_to


def kept_files(folder: Path) -> list[str]:
    return [path.read_text() for path in folder.glob("stemma-*.md")]


@pytest.mark.req("P9")
@pytest.mark.usefixtures("takes_texts")
async def test_a_file_takes_the_place_of_the_text_or_is_the_first_one(
    cli: Any, backstage: Any, settled: str, tmp_path: Path
) -> None:
    (tmp_path / "new.md").write_text("# Research\n\nMine.\n")

    done = await cli("edit", settled, "research", "--file", f"{tmp_path}/new.md")

    assert (done.exit_code, done.stdout) == (0, "wrote research version 2\n")
    assert (backstage.received[-1][1].text, backstage.received[-1][1].version) == ("# Research\n\nMine.\n", 1)
    await cli("edit", settled, "solution", "--file", "-", stdin="# Mine\n")
    assert (backstage.received[-1][1].version, backstage.received[-1][1].text) == (0, "# Mine\n")


@pytest.mark.parametrize(
    "arguments", [(), ("-m", "x", "--editor"), ("-m", "x", "--file", "y"), ("--editor", "--version", "1")]
)
async def test_there_is_one_way_to_change_a_section_at_a_time(
    cli: Any, backstage: Any, settled: str, arguments: tuple[str, ...]
) -> None:
    done = await cli("edit", settled, "research", *arguments)

    assert done.exit_code == 2
    assert backstage.received == []


async def test_a_file_that_is_no_text_is_not_sent(cli: Any, backstage: Any, settled: str, tmp_path: Path) -> None:
    (tmp_path / "new.md").write_bytes(b"\xff\xfe")

    done = await cli("edit", settled, "research", "--file", f"{tmp_path}/new.md")

    assert done.exit_code == 2
    assert "is not UTF-8 text" in done.stderr
    assert backstage.received == []


@pytest.mark.usefixtures("takes_texts")
async def test_what_a_person_makes_of_the_text_in_the_editor_is_sent(
    cli: Any, backstage: Any, settled: str, editor: Any, tmp_path: Path
) -> None:
    editor("p.read_text().replace('12', '10')")

    done = await cli("edit", settled, "research", "--editor")

    assert done.exit_code == 0
    assert (backstage.received[-1][1].text, backstage.received[-1][1].version) == (BEFORE.replace("12", "10"), 1)
    assert kept_files(tmp_path) == []


@pytest.mark.parametrize(("new_text", "words"), [("p.read_text()", "nothing was changed"), ("' '", "is empty")])
async def test_a_text_that_is_not_changed_or_empty_is_not_sent(
    cli: Any, backstage: Any, settled: str, editor: Any, tmp_path: Path, new_text: str, words: str
) -> None:
    editor(new_text)

    done = await cli("edit", settled, "research", "--editor")

    assert done.exit_code == 0
    assert words in done.stderr
    assert backstage.received == []
    assert kept_files(tmp_path) == []


@pytest.mark.req("P9")
async def test_a_text_that_is_refused_because_another_came_meanwhile_is_not_lost(
    cli: Any, backstage: Any, settled: str, editor: Any, tmp_path: Path
) -> None:
    editor("'My own words.'")
    backstage.problems = (Problem(field="version", message="version 1 is not current; version 2 is"),)

    done = await cli("edit", settled, "research", "--editor")

    found = re.search(r"your text is kept in (\S+)", done.stderr)
    assert done.exit_code == 3
    assert "version 2 is" in done.stderr
    assert found is not None
    assert Path(found[1]).read_text() == "My own words."
    assert f"stemma edit {settled[:8]} research --file {found[1]} --version 1`" in done.stderr


@pytest.mark.req("H3", "L4")
async def test_what_came_while_a_person_wrote_is_merged_and_where_both_wrote_the_persons_words_stay(
    cli: Any, backstage: Any, settled: str, editor: Any, tmp_path: Path
) -> None:
    theirs = "# Research\n\nIt takes 14 weeks.\n\nThe ground is tested first.\n"

    async def come_first(request: requests.EditSection) -> None:
        draft = await backstage.text(settled, theirs)
        edited = events.SectionEdited(section_id="research", version=2, draft=draft, origin=Origin.WRITTEN)
        await backstage.append(settled, edited)

    editor("p.read_text().replace('12', '10')")
    backstage.on_request = come_first
    backstage.problems = (Problem(field="version", message="version 1 is not current; version 2 is"),)

    done = await cli("edit", settled, "research", "--editor")

    assert done.exit_code == 3
    assert kept_files(tmp_path) == ["# Research\n\nIt takes 10 weeks.\n\nThe ground is tested first.\n"]
    assert "what version 2 changed is merged into your text" in done.stderr
    assert 'both changed: "It takes 12 weeks."; yours stays: "It takes 10 weeks."' in done.stderr
    assert 'version 2 has: "It takes 14 weeks."' in done.stderr
    assert "--version 2`" in done.stderr


async def test_the_text_stays_when_the_editor_fails(
    cli: Any, backstage: Any, settled: str, editor: Any, tmp_path: Path
) -> None:
    editor("'Half a text.') and sys.exit(1")

    done = await cli("edit", settled, "research", "--editor")

    assert done.exit_code == 1
    assert kept_files(tmp_path) == ["Half a text."]
    assert backstage.received == []


@pytest.mark.parametrize("name", ["", "an-editor-that-is-not-there"])
async def test_no_editor_is_wrong_usage(cli: Any, settled: str, environment: dict[str, str], name: str) -> None:
    environment |= {"EDITOR": name, "VISUAL": ""}

    done = await cli("edit", settled, "research", "--editor")

    assert done.exit_code == 2
    assert "set EDITOR, or give --file" in done.stderr


@pytest.mark.req("P10")
async def test_refuses_version_0_in_a_decision_about_several_sections(cli: Any, backstage: Any, settled: str) -> None:
    done = await cli("keep", settled, "research=0", "solution=0")
    assert done.exit_code == 2
    assert "research: versions are counted from 1" in done.stderr
    assert backstage.received == []


@pytest.mark.req("P10")
async def test_a_section_that_cannot_be_written_yet_is_said_to_wait_and_for_what(
    cli: Any, backstage: Any, settled: str, drafted: Any
) -> None:
    async def queue(_: Any) -> None:
        for name in ("solution", "research"):
            asked = events.SectionRegenerationRequested(section_id=name, version=1, actor="ana")
            await backstage.append(settled, asked)

    await backstage.append(settled, drafted("solution"))
    backstage.on_request = queue
    done = await cli("regenerate", settled, "solution", "--version", "1")
    waits = "it waits for research, which is queued"
    assert done.stdout == f"queued solution, in place of version 1: {waits}\n"
    several = await cli("regenerate", settled, "solution=1", "research=1")
    assert several.stdout == "regenerating research version 1; queued solution version 1\n"
    assert f"solution is queued: {waits}\n" in several.stderr


@pytest.mark.req("P10")
async def test_at_a_terminal_the_text_is_shown_before_it_is_regenerated(
    on_a_terminal: Any, backstage: Any, a_persons: str
) -> None:
    seen, exit_code = await on_a_terminal("regenerate", a_persons, "research", typed="y\n")
    assert exit_code == 0
    assert seen.index("Mine.") < seen.index("Regenerate research version 2? [y/N]")
    assert [r.version for _, r in backstage.received] == [2]


@pytest.fixture
async def a_persons(backstage: Any, settled: str) -> str:
    draft = await backstage.text(settled, "Mine.\n")
    reason = StaleReason(upstream_section_id="research", accepted_version=1, current_version=2)
    mark = StaleMark(section_id="solution", reasons=(reason,))
    edited = events.SectionEdited(
        section_id="research", version=2, draft=draft, origin=Origin.WRITTEN, actor="ben", makes_stale=(mark,)
    )
    await backstage.append(settled, edited)
    return settled


@pytest.fixture
async def disputed(backstage: Any, a_persons: str, drafted: Any) -> str:
    """Version 3 is a new text merged with that of a person, with one conflict."""
    found = MergeConflicts(conflicts=(MergeConflict(start=0, end=5, base="It.", ours="Mine.", theirs="Anew."),))
    kept = await backstage.artifacts.put(
        "default", a_persons, found.model_dump_json().encode(), media_type="application/json", name="conflicts.json"
    )
    event = drafted("research", version=3)
    draft = await backstage.text(a_persons, "Mine. The end.\n")
    merge = Merge(theirs=event.draft, conflicts=kept, count=1)
    await backstage.append(a_persons, event.model_copy(update={"draft": draft, "merge": merge}))
    return a_persons


@pytest.mark.req("L4")
async def test_conflicts_are_shown_side_by_side_and_settled_as_a_text_of_the_person(
    cli: Any, backstage: Any, disputed: str
) -> None:
    shown = await cli("settle", disputed, "research")
    assert [line.split() for line in shown.stdout.splitlines()][-1] == ["1", "It.", "Mine.", "Anew."]
    assert "1 open conflict" in (await cli("show", disputed, "research")).stderr
    assert "1 open conflict with what people wrote" in (await cli("show", disputed)).stdout
    await backstage.append(disputed, review_requested("research", 3))
    await backstage.list_research(disputed, version=3)
    assert "review; 1 open conflict with what people wrote" in (await cli("inbox")).stdout
    wrong = await cli("settle", disputed, "research", "ours", "ours", "--version", "3")
    assert (wrong.exit_code, backstage.received) == (2, [])
    done = await cli("settle", disputed, "research", "both", "--version", "3")
    assert done.exit_code == 0, done.stderr
    [(_, request)] = backstage.received
    assert (request.version, request.text) == (3, "Mine. Anew. The end.\n")
