"""Of real requests that no prompt holds as a whole: are the passages that a section needs in what it is given?

The passages were chosen by reading the requests, before anything was measured. Their licences stand in
`tests/eval/requests.toml`. Of each a prompt holds at most half. Not given is the table of quantities of `subasta`,
which is half of it.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from generation_workshop import HEAD, Workshop, call_context
from stemma_contracts.v1.jobs import OutlineEntry
from stemma_generation_graph import handlers
from stemma_generation_graph.settings import INPUT_CHARS, ContextLimits
from stemma_generation_graph.sources import Library
from stemma_generation_graph.writing import load_material
from stemma_kinds import find_kinds
from stemma_testkit.scripted import ScriptedModel

pytestmark = pytest.mark.req("M2")
ROOT = Path(__file__).parents[3]


class Needed(NamedTuple):
    """A request, its language, how much of it a prompt holds, and by section the words of the passages it needs."""

    path: str
    language: str
    limit: int
    words: dict[str, tuple[str, ...]]


REQUESTS = {
    "alaska": Needed(
        "libs/evidence/tests/labelled/alaska-search-rfp.md",
        "en",
        INPUT_CHARS,
        {
            "timeline": ("November 27, 2017. Faxed", "for approximately 4 months", "1 business day after each sprint"),
            "budget": (
                "$300,000 dollars",
                "not to exceed\namount",
                "negotiated payment schedule",
                "purpose of the cost proposal",
            ),
        },
    ),
    "camp": Needed(
        "tests/eval/fr-ccp.md",
        "fr",
        4_000,
        {
            "timeline": ("période de 3 ans reconductible", "à partir du 01 septembre 2017"),
            "problem_statement": ("surveillance et de gardiennage des locaux du Site Mémorial",),
            "approach": ("Effectuer les rondes de surveillances",),
        },
    ),
    "subasta": Needed(
        "tests/eval/es-pliego.md",
        "es",
        4_600,
        {"budget": ("139.787.884", "CANT."), "timeline": ("El cronograma del proceso",)},
    ),
}


@cache
def _outline(language: str) -> tuple[OutlineEntry, ...]:
    """That of the shipped proposal, with its titles in the language."""
    folder = find_kinds()["proposal"].path
    sections = json.loads((folder / "blueprint.json").read_text("utf-8"))["sections"]
    told = folder / "titles" / f"{language}.json"
    titles = json.loads(told.read_text("utf-8"))["sections"] if told.exists() else {}
    known = OutlineEntry.model_fields
    return tuple(
        OutlineEntry(
            section_id=one["id"],
            **{name: value for name, value in one.items() if name in known} | {"title": _title(one, titles)},
        )
        for one in sections
    )


def _title(section: dict[str, str], titles: dict[str, dict[str, str]]) -> str:
    return titles.get(section["id"], section)["title"]


async def _given(workshop: Workshop, library: Library, needed: Needed, kind: str) -> str:
    [request] = await workshop.inputs({"request.md": (ROOT / needed.path).read_text("utf-8")})
    outline = _outline(needed.language)
    (entry,) = (one for one in outline if one.kind == kind)
    job = await workshop.job(
        kind,
        document=HEAD.model_copy(update={"language": needed.language}),
        inputs=(request.model_copy(update={"role": "request"}),),
        outline=outline,
    )
    about = {"title": entry.title, "purpose": entry.purpose, "collects": entry.collects}
    job = job.model_copy(update={"section": job.section.model_copy(update=about)})
    kinds = workshop.tools(ScriptedModel(script=[])).deps.kinds
    return await load_material(job, library, ContextLimits(inputs=needed.limit), kinds, call_context())


async def test_a_section_is_given_the_passages_that_it_needs_of_real_requests_in_three_languages(
    workshop: Workshop,
) -> None:
    """All but one; that something is missing is told to the model and in the outcome."""
    missing, every, library = list[tuple[str, str, str]](), 0, Library(workshop.artifacts)
    for name, needed in REQUESTS.items():
        for kind, words in needed.words.items():
            material = await _given(workshop, library, needed, kind)
            missing += [(name, kind, one) for one in words if one not in material]
            every += len(words)
            [told] = handlers.retrieved_context({"material": material}) or ()
            assert 0 < (told.given or 0) < (told.of or 0)
    print(f"{every - len(missing)} of {every} needed passages are given: {missing}")
    assert set(missing) <= {("subasta", "budget", "CANT.")}
