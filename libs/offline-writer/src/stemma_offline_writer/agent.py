"""The offline writer as an agent that works by tools: it copies the inputs chapter by chapter and mends what is found.

What it does next follows from the messages alone, so that the same thread gives the same call each time. A chapter
goes into the document with the same words, in the form that the document has.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import ToolCall
from stemma_markdown import fences, split, without_html, without_inner_links
from stemma_models.prompting import Block, parse_blocks

from .markdown import in_words

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_CLOSING = re.compile(r"(?:^|(?<=[ \t]))#++$")
_LIST = re.compile(r"^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+\S")
_TABLE = re.compile(r"^\s{0,3}\|.*\|\s*$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
# A paragraph in bold would pass for a heading.
_EMPHASISED = re.compile(r"^(\*{2,3}|_{2,3})(?!\s)([^*_]+[^*_.,;:!?\s])\1$")
_BLOCKS = ("list", "table", "fence", "rule")


def composed(lines: Sequence[str], shift: int, under: int = 0) -> str:
    """The lines with their headings ``shift`` levels deeper and blank lines where Markdown wants them.

    ``under`` is the level of the heading above them, 0 if that is not known: no level is left out.
    """
    written: list[str] = []
    kind = ""
    # The line end before them keeps lines between two rules from being read as front matter.
    text = without_inner_links("\n" + "\n".join(lines))
    marked = "".join(block.as_heading(block.level) if block.kind == "heading" else block.text for block in split(text))
    for line, new in _without_html(marked.split("\n")[1:], shift, under):
        apart = new == "heading" or (new != kind and (new in _BLOCKS or kind in ("heading", "table", "fence", "rule")))
        if apart and written and written[-1]:
            written.append("")
        if line or (written and written[-1]):
            written.append(line)
        kind = new if line else ""
    return "\n".join(written).strip("\n")


def safe_cut(lines: Sequence[str]) -> int:
    """How many lines may be written by themselves: up to the last blank one outside of code, or all."""
    code = _code(lines)
    return max((at + 1 for at, line in enumerate(lines) if not line.strip() and at not in code), default=len(lines))


def _without_html(lines: Sequence[str], shift: int, under: int) -> Iterator[tuple[str, str]]:
    """Each line as it is written, and what it is."""
    code, level, last = _code(lines), under, ""
    for at, line in enumerate(lines):
        if at in code:
            yield line, code[at]
            continue
        last = _kind(line, last)
        if last == "heading":
            level, text = _heading(line, shift, level)
            yield text, last
        else:
            yield _chapter_line(line, last), last


def _chapter_line(line: str, kind: str) -> str:
    match kind:
        case "rule":
            return "---"
        case "code":
            return line.expandtabs(4).rstrip()
        case "list":
            return without_html(line.expandtabs(4).rstrip())
        case _:
            return without_html(_EMPHASISED.sub(r"\2", line.expandtabs(4).rstrip()))


def _heading(line: str, shift: int, before: int) -> tuple[int, str]:
    """The level of a heading, which leaves none out, and its line."""
    found = _HEADING.match(line)
    assert found is not None
    level = max(2, min(len(found.group(1)) + shift, before + 1 if before else 6, 6))
    words = _CLOSING.sub("", found.group(2).rstrip())
    title = without_html(words.expandtabs(1)).strip().rstrip(".,;:!\\")
    return level, f"{'#' * level} {title}" if title else ""


def _kind(line: str, before: str) -> str:
    if not line.strip():
        return before if before == "list" else "text"
    if _HEADING.match(line):
        return "heading"
    if _RULE.match(line):
        return "rule"
    if _LIST.match(line) or (before == "list" and line.startswith((" ", "\t"))):
        return "list"
    if line.startswith(("    ", "\t")):
        return "code"
    return "table" if _TABLE.match(line) else "text"


def _code(lines: Sequence[str]) -> dict[int, str]:
    """The places of the lines of fenced code, and what they are: in a quote they are text like the rest of it."""
    found = fences("\n" + "\n".join(line.replace("\r", " ") for line in lines))
    opening = {fence: lines[fence.line - 2].lstrip() for fence in found}
    return {
        number - 2: "text" if opening[fence].startswith(">") else "fence"
        for fence in found
        for number in range(fence.line, fence.last_line + 1)
    }


TOP = 2
"""The level of the highest headings, below the title."""
_ISSUE = re.compile(r"line (\d+): .*\(([\w/-]+)\)$")


@dataclass(frozen=True)
class Chapter:
    """The chapter to be written: its lines in its file, the level of that file's highest heading, here and there.

    ``heading`` stands above the chapter if it opens a file without such a heading.
    """

    number: int
    file: str
    level: int
    depth: int
    heading: str
    from_line: int
    to_line: int


@dataclass(frozen=True)
class Issue:
    """What a checker found; line 0 is the whole text."""

    line: int
    rule: str


@dataclass(frozen=True)
class Situation:
    """The document's title and length, the chapter that is current, and what is to be put right."""

    title: str
    lines: int
    current: Chapter | None
    issues: tuple[Issue, ...]


_WHERE = "\n<document "
"""With this block begins the situation at the end of the last message; nothing in its blocks reads like it."""


def read_situation(messages: Sequence[BaseMessage]) -> Situation:
    """The situation that the last message ends with, and the section of the first one of a person."""
    first = next((str(message.text) for message in messages if isinstance(message, HumanMessage)), "")
    last = str(messages[-1].text)
    blocks = {block.tag: block for text in (first, _parted(last)[1]) for block in parse_blocks(text)}
    nothing = Block("", "")
    found = (_ISSUE.match(line) for line in blocks.get("issues", nothing).text.splitlines())
    return Situation(
        title=blocks.get("section", nothing).attributes.get("title", "") or "Document",
        lines=_number(blocks.get("document", nothing), "lines"),
        current=_current(blocks.get("outline", nothing)),
        issues=tuple(Issue(int(match.group(1)), match.group(2)) for match in found if match),
    )


def _parted(text: str) -> tuple[str, str]:
    """The last message without the situation, and the situation."""
    said, where, situation = text.rpartition(_WHERE)
    return (said.rstrip("\n"), where + situation) if where else (text, "")


def _current(outline: Block) -> Chapter | None:
    for entry in outline.children:
        if entry.attributes.get("status") == "current":
            number, file = _number(entry, "number"), entry.attributes.get("file", "")
            lines = _number(entry, "from_line"), _number(entry, "to_line")
            depth, heading = _number(entry, "depth") or TOP, entry.attributes.get("heading", "")
            return Chapter(number, file, _number(entry, "level"), depth, heading, *lines)
    return None


def _number(block: Block, name: str) -> int:
    value = block.attributes.get(name, "")
    return int(value) if value.isdigit() else 0


RESTORED = "The document is as it was at "
_LINES = re.compile(r"lines (\d+) to (\d+) of \d+\n\n")
_NUMBERED = re.compile(r"(\d+): (.*)")
_LACKING = re.compile(r'- `([^`]+)`, (?:"(.*)"|before the first heading), lines? \d+(?: to \d+)?: (.+)')


@dataclass(frozen=True)
class Act:
    """One tool call and what it was answered; a rollback that the agent was told of is an act, too."""

    name: str
    arguments: dict[str, Any]
    answer: str
    failed: bool

    def shown_lines(self) -> Iterator[tuple[int, str]]:
        """The numbered lines of a file that a reading tool answered with."""
        header = _LINES.match(self.answer)
        if header:
            yield from enumerate(self.answer[header.end() :].split("\n"), int(header.group(1)))

    def lacking(self) -> list[tuple[str, str, str]]:
        """The file, the heading and what is said of each chapter that an answer names as missing; headings first.

        What stands under no heading comes last, for it is named with its file.
        """
        found = filter(None, map(_LACKING.fullmatch, self.answer.splitlines() if self.failed else ()))
        return sorted(((f.group(1), f.group(2) or "", f.group(3)) for f in found), key=lambda entry: not entry[1])

    def numbered_lines(self) -> dict[int, str]:
        """The lines of the document, where each bears its number."""
        lines = (_NUMBERED.fullmatch(line) for _, line in self.shown_lines())
        return {int(found.group(1)): found.group(2) for found in lines if found}


def acts_of(messages: Sequence[BaseMessage]) -> list[Act]:
    """The acts in their order; a call without an answer yet is none."""
    last = messages[-1].model_copy(update={"content": _parted(str(messages[-1].text))[0]})
    messages = [*messages[:-1], last]
    answers = [message for message in messages if isinstance(message, ToolMessage)]
    taken = iter(answers)
    acts = []
    for message in messages:
        if isinstance(message, AIMessage):
            acts += [_act(call, next(taken, None)) for call in message.tool_calls]
        elif isinstance(message, HumanMessage) and RESTORED in str(message.text):
            acts.append(Act("create_checkpoint", {}, "", failed=False))
    return acts


def _act(call: Any, answer: ToolMessage | None) -> Act:
    text = str(answer.content) if answer else ""
    return Act(call["name"], dict(call["args"]), text, answer is None or answer.status == "error")


def since(acts: Sequence[Act], names: Collection[str]) -> Sequence[Act]:
    """The acts after the last of certain ones."""
    last = max((place for place, act in enumerate(acts) if act.name in names), default=-1)
    return acts[last + 1 :]


_TARGET = r"\[([^\[\]]*+)\]\((?:[^()]++|\([^()]*+\))*+\)"
_IMAGE = re.compile(f"!{_TARGET}")
_LINK = re.compile(f"(?<!!){_TARGET}")
_REFERENCE = re.compile(r"!?\[([^\[\]\n]*)\]\[[^\[\]\n]*\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]+\]:?")
_REVERSED = re.compile(r"\(([^()\n]{1,500})\)\[([^\[\]\s]{1,2000})\]")
_NO_WORDS = re.compile(r"(?<!!)\[((?:click )?here|link|more|read more|this)\]\(<?([^()<>\s]+)>?\)", re.IGNORECASE)

_MENDS: Mapping[str, Callable[[str], str]] = {
    "MD011": lambda line: _REVERSED.sub(r"[\1](\2)", line),
    "MD014": lambda line: re.sub(r"^(\s*)\$ +", r"\1", line),
    "MD026": lambda line: line.rstrip(" .,;:!。，；：！"),
    "MD036": lambda line: re.sub(r"^(\s*)(\*{1,3}|_{1,3})(.+)\2\s*$", r"\1\3", line),
    "MD040": lambda line: f"{line.rstrip()}text",
    "MD045": lambda line: line.replace("![](", "![Image]("),
    "MD051": lambda line: _LINK.sub(r"\1", line),
    "MD052": lambda line: _REFERENCE.sub(r"\1", line),
    "MD059": lambda line: _NO_WORDS.sub(r"\1 (<\2>)", line),
    "STEMMA005": lambda line: _IMAGE.sub(r"\1", line),
    "STEMMA006": lambda line: _IMAGE.sub(r"\1", line),
    "STEMMA007": lambda line: _REFERENCE.sub(r"\1", line),
    "STEMMA008": lambda line: _FOOTNOTE.sub("", line),
    "STEMMA009": lambda line: _LINK.sub(r"\1", line),
    "STEMMA010": lambda line: _LINK.sub(r"\1", line),
    "STEMMA011": in_words,
}
_CELL_WALL = re.compile(r"(?<!\\)\|")
_WIDTH = "MD056"


def can_mend(rule: str) -> bool:
    """Whether something is known about a rule."""
    return rule in _MENDS or rule == _WIDTH


def mended(rules: Sequence[str], before: str, line: str) -> str:
    """The line as the rules want it; ``before`` is the line above it."""
    for rule in rules:
        line = _MENDS.get(rule, str)(line)
    return _as_wide_as(before, line) if _WIDTH in rules else line


def _as_wide_as(model: str, row: str) -> str:
    """A table row with as many cells as the row above; what is too much moves into the last one."""
    wanted, cells = len(_cells(model)), _cells(row)
    last = " ".join(filter(None, cells[wanted - 1 :]))
    kept = [*cells[: wanted - 1], last]
    return f"| {' | '.join([*kept, *[''] * (wanted - len(kept))])} |"


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|")
    return [cell.strip() for cell in _CELL_WALL.split(inner.removesuffix("|"))]


WRITING_TOOL = "append_to_markdown"
FINISHING_TOOL = "finish"
LEAVING_TOOL = "leave_out"
CHECKS = ("create_checkpoint", "validate_markdown")
PART_CHARS = 40_000
MENDED_AT_ONCE = 12


def next_call(messages: Sequence[BaseMessage]) -> ToolCall:
    """The tool call that comes next."""
    situation, acts = read_situation(messages), acts_of(messages)
    name, arguments = _next(situation, acts)
    return ToolCall(name=name, args=arguments, id=f"call_{len(acts) + 1}_{name}", type="tool_call")


def _next(situation: Situation, acts: Sequence[Act]) -> tuple[str, dict[str, Any]]:
    if not acts and situation.lines == 0:
        return "list_files", {}
    if situation.issues and (mending := _mend(situation, since(acts, CHECKS))):
        return mending
    chapter = situation.current
    if chapter is None:
        checked = any(act.name in ("validate_markdown", FINISHING_TOOL) for act in acts)
        return _finish(acts) if checked else ("validate_markdown", {})
    save = ("create_checkpoint", {"label": f"chapter_{chapter.number}"})
    return save if situation.issues else _write(situation, chapter, since(acts, CHECKS)) or save


def _finish(acts: Sequence[Act]) -> tuple[str, dict[str, Any]]:
    """Say that all is written; what is said to be missing then is named, once, before it is said again.

    Once no more chapters can be named, their files are: there are fewer of those than may be named.
    """
    told = next((act for act in reversed(acts) if act.name == FINISHING_TOOL), None)
    named = [act.arguments for act in since(acts, (FINISHING_TOOL,)) if act.name == LEAVING_TOOL]
    is_full = any(act.name == LEAVING_TOOL and act.failed for act in acts)
    for file, chapter, why in told.lacking() if told else ():
        heading = "" if is_full else chapter
        if not any((entry.get("file"), entry.get("heading")) == (file, heading) for entry in named):
            return LEAVING_TOOL, {"file": file, "heading": heading, "reason": _reason(heading, why)}
    return FINISHING_TOOL, {}


def _reason(heading: str, why: str) -> str:
    """Why something is left out, with the words of the check; without a heading it is not the file as a whole."""
    part = "A part of this chapter" if heading else "A part of this file"
    return f"{part} could not be carried over as it is ({why})."


@dataclass(frozen=True)
class _Part:
    """Lines of a chapter that were read and not written yet; ``after`` is the line behind them."""

    lines: list[str]
    after: int


def _write(situation: Situation, chapter: Chapter, acts: Sequence[Act]) -> tuple[str, dict[str, Any]] | None:
    """Read on, or write what was read; nothing if the chapter is written."""
    part = _unwritten(chapter, acts)
    if part is None:
        return None
    whole = part.after > chapter.to_line
    if not whole and sum(map(len, part.lines)) < PART_CHARS:
        return "read_file", {"file_name": chapter.file, "from_line": part.after}
    lines = part.lines if whole else part.lines[: safe_cut(part.lines)]
    opens = chapter.heading and not any(act.name == WRITING_TOOL for act in acts)
    above = [f"# {chapter.heading}", ""] if opens else []
    text = "\n\n".join(filter(None, [composed(above, TOP - 1), _composed(chapter, lines, opens=bool(opens))]))
    if not text:
        return None
    title = f"# {situation.title}\n\n" if situation.lines == 0 else ""
    return WRITING_TOOL, {"content": title + text}


def _composed(chapter: Chapter, lines: Sequence[str], *, opens: bool) -> str:
    return composed(lines, chapter.depth - chapter.level, TOP if opens else 0)


def _unwritten(chapter: Chapter, acts: Sequence[Act]) -> _Part | None:
    """What the acts of this chapter leave to be written; none when all of it was written or cannot be read."""
    lines, after = list[str](), chapter.from_line
    for act in acts:
        if act.name == "read_file" and not act.failed:
            shown = dict(act.shown_lines())
            new = [shown[number] for number in range(after, chapter.to_line + 1) if number in shown]
            lines, after = lines + new, after + len(new)
        elif act.name == "read_file":
            return None
        elif act.name == WRITING_TOOL:
            if after > chapter.to_line:
                return None
            lines = lines[safe_cut(lines) :]
    return _Part(lines, after)


def _mend(situation: Situation, acts: Sequence[Act]) -> tuple[str, dict[str, Any]] | None:
    """The next line to put right, from the end on, so that the numbers of the others stay right."""
    rules = _mendable(situation)
    shown: dict[int, str] = {}
    for act in acts:
        if act.name == "read_generated_file":
            shown |= act.numbered_lines()
    unread = [line for line in rules if line not in shown]
    asked = {act.arguments.get("from_line") for act in acts if act.name == "read_generated_file"}
    if unread and max(1, unread[0] - 1) not in asked:
        return "read_generated_file", {"from_line": max(1, unread[0] - 1)}
    tried = {int(act.arguments.get("line_number", 0)) for act in acts if act.name == "edit_markdown_line"}
    for line in sorted(set(rules) & set(shown) - tried, reverse=True):
        text = mended(rules[line], shown.get(line - 1, ""), shown[line])
        if text != shown[line]:
            return "edit_markdown_line", {"line_number": line, "new_content": text}
    return None


def _mendable(situation: Situation) -> dict[int, list[str]]:
    """The rules that lines break and that something is known about, by line; no more than one round may take."""
    found: dict[int, list[str]] = {}
    for issue in sorted(situation.issues, key=lambda issue: issue.line):
        if issue.line > 0 and can_mend(issue.rule):
            found.setdefault(issue.line, []).append(issue.rule)
    return dict(list(found.items())[:MENDED_AT_ONCE])
