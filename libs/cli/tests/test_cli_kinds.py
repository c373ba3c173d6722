"""What can be asked for, as the command line tells it."""

import json
from typing import Any

from stemma_contracts import subjects
from stemma_contracts.v1.capabilities import Capabilities, DocumentKind, KindSection
from stemma_contracts.v1.review import ReviewMode

SECTIONS = (
    KindSection(section_id="draft", title="Draft", graph="section", review=ReviewMode.NONE),
    KindSection(section_id="end", title="End", graph="formatter", depends_on=("draft",)),
    KindSection(section_id="extra", title="Extra", graph="section", required=False),
)
KINDS = (
    DocumentKind(kind="memo", title="Memo", description="Short.", sections=SECTIONS),
    DocumentKind(kind="note", title="Note", sections=SECTIONS[:1]),
    DocumentKind(
        kind="paper", title="Paper", sections=(SECTIONS[1].model_copy(update={"needs_input": ("text/markdown",)}),)
    ),
)


async def test_kinds_are_listed_with_their_sections_and_who_settles_them(cli: Any, backstage: Any) -> None:
    told = Capabilities(kinds=KINDS).model_dump_json(exclude_defaults=True).encode()
    await backstage.js.publish(f"$KV.{subjects.CAPABILITIES_BUCKET}.{subjects.ORCHESTRATOR}", told)
    shown = await cli("kinds")
    assert shown.exit_code == 0
    memo, note, paper = shown.stdout.splitlines()
    assert [" ".join(line.split()) for line in (memo, note, paper)] == [
        "memo Memo draft, end end a brief Short.",
        "note Note draft nothing, unless a check fails a brief",
        "paper Paper end every section a brief and a file of text/markdown",
    ]
    kinds = json.loads((await cli("kinds", "--json")).stdout)
    assert [kind["kind"] for kind in kinds] == ["memo", "note", "paper"]
    assert kinds[0]["sections"][1]["depends_on"] == ["draft"]
