"""What code can see of a draft, whoever wrote it; never a judgement."""

from __future__ import annotations

from collections.abc import Sequence

from stemma_contracts.v1.values import ProgramCheck
from stemma_languages import detect, is_instruction
from stemma_markdown import Document, headings
from stemma_models.prompting import Block, parse_blocks

DETAIL_CHARS = 300


def checked(material: str, draft: str) -> tuple[ProgramCheck, ...]:
    """The checks of a draft against the blocks that it was written from."""
    blocks = parse_blocks(material)
    return (
        _required_headings(_listed(blocks, "headings"), draft),
        _inputs_cited([block.attributes.get("name", "") for block in blocks if block.tag == "input"], draft),
        _no_instruction("\n\n".join(block.text for block in blocks if block.tag == "brief"), draft),
    )


def _required_headings(required: Sequence[str], draft: str) -> ProgramCheck:
    present = {" ".join(heading.text.split()).casefold() for heading in headings(draft)}
    missing = [heading for heading in required if heading.casefold() not in present]
    return _check("required_headings", not missing, f"missing: {', '.join(missing)}" if missing else "")


def _inputs_cited(names: Sequence[str], draft: str) -> ProgramCheck:
    cited = sum(name in draft for name in dict.fromkeys(names))
    return _check("inputs_cited", cited > 0 or not names, f"{cited} of {len(set(names))} inputs are named")


def _no_instruction(brief: str, draft: str) -> ProgramCheck:
    """Whether no sentence of the brief that asks something of the writer stands in the text word for word."""
    language, written = detect(brief), _words(Document(draft).plain)
    asked = [s.text for s in Document(brief).sentences(language) if is_instruction(s.text, language)]
    repeated = sum(_words(sentence) in written for sentence in asked)
    return _check("no_instruction", repeated == 0, f"{repeated} of {len(asked)} instructions stand in the text")


def _words(text: str) -> str:
    return " ".join(text.split())


def _check(name: str, passed: bool, detail: str) -> ProgramCheck:
    return ProgramCheck(check=name, passed=passed, detail=detail[:DETAIL_CHARS])


def _listed(blocks: Sequence[Block], tag: str) -> list[str]:
    lines = (line for block in blocks if block.tag == tag for line in block.text.splitlines())
    return [line.removeprefix("- ").strip() for line in lines if line.strip()]
