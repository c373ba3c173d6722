"""What code can see of a draft, whoever wrote it; never a judgement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from stemma_contracts import problems
from stemma_contracts.v1.evaluation import ProgramCheck
from stemma_languages import detect, is_instruction
from stemma_markdown import Document
from stemma_models.prompting import Block, parse_blocks

DETAIL_CHARS = 300


def checked(material: str, draft: str, *, answers_form: bool = False) -> tuple[ProgramCheck, ...]:
    """The checks of a draft against the blocks that it was written from; answers in a form name no inputs."""
    blocks, document = parse_blocks(material), Document(draft)
    names = [block.attributes.get("name", "") for block in blocks if block.tag == "input"]
    return (
        _required_headings(_listed(blocks, "headings"), document),
        *(() if answers_form else (_inputs_cited(names, draft),)),
        _no_instruction("\n\n".join(block.text for block in blocks if block.tag == "brief"), document),
    )


def _required_headings(required: Sequence[str], draft: Document) -> ProgramCheck:
    """Headings are taken as they are written, and read for their words only if one is missing: that costs three times
    as much, and most drafts have them all."""
    as_written = (block.content.strip("# ") for block in draft.blocks if block.kind == "heading")
    missing = _absent(required, as_written) and _absent(required, (heading.text for heading in draft.headings))
    if not missing:
        return ProgramCheck(check="required_headings", passed=True)
    headings = ", ".join(missing)[:DETAIL_CHARS]
    return coded("required_headings", False, "headings_missing", headings=headings)


def _absent(required: Iterable[str], headings: Iterable[str]) -> list[str]:
    present = {" ".join(heading.split()).casefold() for heading in headings}
    return [heading for heading in required if heading.casefold() not in present]


def _inputs_cited(names: Sequence[str], draft: str) -> ProgramCheck:
    cited = sum(name in draft for name in dict.fromkeys(names))
    return coded("inputs_cited", cited > 0 or not names, "inputs_named", named=cited, all=len(set(names)))


def _no_instruction(brief: str, draft: Document) -> ProgramCheck:
    """Whether no sentence of the brief that asks something of the writer stands in the text word for word."""
    asked = _instructions(brief)
    written = _words(draft.plain) if asked else ""
    repeated = sum(sentence in written for sentence in asked)
    return coded("no_instruction", repeated == 0, "instructions_repeated", repeated=repeated, all=len(asked))


@lru_cache(maxsize=256)
def _instructions(brief: str) -> tuple[str, ...]:
    """What a brief asks of its writer; all sections of a document have the same brief."""
    language = detect(brief)
    sentences = Document(brief).sentences(language)
    return tuple(_words(sentence.text) for sentence in sentences if is_instruction(sentence.text, language))


def _words(text: str) -> str:
    return " ".join(text.split())


def coded(name: str, passed: bool, code: str, **params: problems.Param) -> ProgramCheck:
    """A check with the words of a problem code."""
    detail = problems.message(code, params)[:DETAIL_CHARS]
    return ProgramCheck(check=name, passed=passed, detail=detail, code=code, params=params)


def _listed(blocks: Sequence[Block], tag: str) -> list[str]:
    lines = (line for block in blocks if block.tag == tag for line in block.text.splitlines())
    return [line.removeprefix("- ").strip() for line in lines if line.strip()]
