import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from generation_workshop import HEAD, Workshop
from langgraph.checkpoint.memory import InMemorySaver
from stemma_artifacts.store import MemoryArtifactStore
from stemma_confinement import Limits
from stemma_confinement.computing import SHORT
from stemma_contracts.v1.coverage import LeftOut
from stemma_contracts.v1.jobs import EvaluateDraft
from stemma_contracts.v1.outcomes import InputsMissing
from stemma_evidence import InputText, coverage
from stemma_generation_graph.graphs.document_agent.images import as_tables, readable_markdown
from stemma_generation_graph.graphs.document_agent.session import headings_above, outline_of
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.handlers import Tools, on_evaluate_draft, on_generate_section
from stemma_generation_graph.passages import read_source
from stemma_generation_graph.reading import Text
from stemma_generation_graph.runner import Runner
from stemma_generation_graph.sources import QUICK_CHARACTERS, Library, Reading, UnreadableInputs, computing
from stemma_testkit.counting import UNITS, text_of
from stemma_testkit.scripted import ScriptedModel
from stemma_testkit.servers import eventually

LONG = "# Harbour\n\n" + "The quay is 40 m long.\n\n" * (QUICK_CHARACTERS // 20) + "![plan](plan.png)\n"
LONGER = LONG[-SHORT - 100 :]
HARD = text_of(UNITS["half links"], 1024 * 1024)
AT_ONCE = Limits(seconds=0.2)


def _impatient(tools: Tools, workshop: Workshop) -> Tools:
    runner = Runner(find_graphs(), tools.deps, InMemorySaver())
    return replace(tools, library=Library(workshop.artifacts, Reading(AT_ONCE)), runner=runner)


@pytest.mark.req("S6")
async def test_a_long_text_gives_elsewhere_what_it_gives_here() -> None:
    texts = [Text("a.md", LONG), Text("b.md", "Short.")]
    assert await Reading().sources("default", texts) == [read_source("a.md", LONG), read_source("b.md", "Short.")]
    left_out = [LeftOut(file="a.md", heading="Harbour", reason="old")]
    ours: list[tuple[Callable[..., object], Any]] = [
        (readable_markdown, ("a.md", f"{LONGER}{{{{ x }}}}", {"plan.png": "skip"})),
        (outline_of, ({"a.md": LONGER, "b.md": "B."},)),
        (headings_above, (LONGER,)),
        (as_tables, ("a,b\n1,2\n" * 3000, "text/csv")),
        (coverage, ([InputText("a.md", LONGER)], LONGER, left_out)),
    ]
    library = Library(MemoryArtifactStore())
    for function, given in ours:
        assert await library.compute(function, *given) == function(*given), function


@pytest.mark.req("S5", "S6")
@pytest.mark.parametrize("graph", ["section", "document_agent"])
async def test_inputs_that_cannot_be_read_are_named_by_a_section_and_its_judge(workshop: Workshop, graph: str) -> None:
    tools = _impatient(workshop.tools(ScriptedModel(script=[])), workshop)
    job = await workshop.job("research", files={"easy.md": "Easy.", "hard.md": HARD})
    job = job.model_copy(update={"section": job.section.model_copy(update={"graph": graph})})
    outcome = await on_generate_section(job, tools=tools)
    if graph == "section":
        as_given = {name: value for name, value in job if name in EvaluateDraft.model_fields}
        judged = EvaluateDraft(**as_given, version=1, draft=await workshop.store("Text."))
        assert await on_evaluate_draft(judged, tools=tools) == outcome
    assert isinstance(outcome, InputsMissing)
    assert outcome.detail == "hard.md could not be read: more than 0.2 s of CPU time"


@pytest.mark.req("S6")
async def test_inputs_of_too_many_pieces_and_a_text_that_takes_too_long_to_show_are_refused() -> None:
    refusal = r"^b.md could not be read: .* more than 150 passages and images; give fewer or shorter inputs$"
    for piece in ("# a\n\nb\n", "![](a.png) "):
        with pytest.raises(UnreadableInputs, match=refusal):
            await Reading(most=150).sources(
                "default", [Text("a.md", LONG), Text("b.md", piece * 100), Text("c.md", "C.")]
            )
    library = Library(MemoryArtifactStore(), calls=computing(AT_ONCE))
    assert (await library.compute(outline_of, {"a.md": "# A\n"}))[0].title == "A"  # a short one runs in a thread
    with pytest.raises(UnreadableInputs, match="too long or too hard to read"):
        await library.compute(outline_of, {"a.md": HARD})


@pytest.mark.req("S6")
async def test_a_reading_ends_when_the_last_section_that_waits_for_it_is_cancelled(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def is_read() -> bool:
        return any(file.read_text() == "hard.md" for file in tmp_path.glob("stemma-read-*/at.txt"))

    async def is_over() -> bool:
        return not any(tmp_path.glob("stemma-read-*"))

    library, inputs = Library(workshop.artifacts), await workshop.inputs({"hard.md": HARD})
    for _ in range(2):  # one that came to its end is not begun again
        section = asyncio.create_task(library.corpus(HEAD, inputs))
        await eventually(is_read)
        section.cancel()
        await eventually(is_over)


@pytest.mark.req("S6")
async def test_a_reading_goes_on_for_the_other_sections_and_is_begun_again_for_a_later_one(workshop: Workshop) -> None:
    library, inputs = Library(workshop.artifacts), await workshop.inputs({"long.md": LONG})
    for _ in range(2):
        cancelled, other = (asyncio.create_task(library.corpus(HEAD, inputs)) for _ in range(2))
        await asyncio.sleep(0)
        cancelled.cancel()
        assert (await other).size > QUICK_CHARACTERS // 2
    alone = asyncio.create_task(library.corpus(HEAD, await workshop.inputs({"other.md": LONG})))
    await asyncio.sleep(0)
    alone.cancel()
    assert (await library.corpus(HEAD, await workshop.inputs({"other.md": LONG}))).size > QUICK_CHARACTERS // 2
