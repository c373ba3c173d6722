"""A text that would be made otherwise today is shown so."""

import json
from typing import Any

import pytest
from stemma_contracts import subjects
from stemma_contracts.v1.capabilities import Capabilities
from stemma_contracts.v1.provenance import Provenance
from stemma_contracts.v1.references import ArtifactRef

OLD, NEW = "0" * 64, "1" * 64
TEXT = ArtifactRef(digest="b" * 64, size=1, media_type="text/markdown", name="x.md")
MADE = Provenance(model="offline", prompt_digest=OLD, criteria_digest=OLD, agent_version="generation-graph/1.0")


@pytest.mark.req("P9")
async def test_show_marks_an_outdated_recipe_until_the_text_is_made_anew_and_nothing_is_stale(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any
) -> None:
    bucket = await backstage.js.key_value(subjects.CAPABILITIES_BUCKET)
    today = MADE.model_copy(update={"prompt_digest": NEW})
    told = Capabilities(recipes={"section": {"research": today}})
    await bucket.put(subjects.GENERATION, told.model_dump_json().encode())
    made = drafted("research").model_copy(update={"provenance": MADE})
    await backstage.append(document_id, requested.model_copy(update={"document_id": document_id}), made)

    assert "outdated recipe (prompt)" in (await cli("show", document_id)).stdout
    assert await research(cli, document_id) == (["prompt"], None)
    await backstage.append(document_id, made.model_copy(update={"version": 2, "draft": TEXT, "provenance": today}))
    assert await research(cli, document_id) == ([], None)


async def research(cli: Any, document_id: str) -> tuple[list[str], object]:
    shown = json.loads((await cli("show", document_id, "--json")).stdout)
    section = shown["sections"][0]
    return section["outdated_recipe"], section["stale"]
