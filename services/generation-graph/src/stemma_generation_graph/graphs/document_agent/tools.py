"""The tools of an agent, bound to one session: a model never names a session or a path."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from stemma_models import TokenSink

from stemma_generation_graph.tools import Tool, ToolRefused, tool_name

from .images import TABLES, as_code, as_tables, is_code, is_image, readable_markdown
from .session import DRAFT, INPUTS, Session, clean_label, headings_of

PAGE_CHARS = 10_000
MAX_DRAFT_CHARS = 2_000_000
MAX_LEFT_OUT = 200
MAX_HEADINGS = 30
READABLE = ("text/markdown", "text/plain", *TABLES)

Marks = dict[str, Any]


@dataclass
class ToolContext:
    """What the tools of one step work on. ``marks`` are the fields of the graph's state that they set.

    ``open_words`` tells in words what of the inputs the document lacks, nothing if it is complete.
    """

    session: Session
    decisions: Mapping[str, str]
    current_chapter: int
    now: datetime
    live: TokenSink
    open_words: Callable[[], Awaitable[str]]
    checkpoint_chapters: dict[str, int] = field(default_factory=dict)
    left_out: list[dict[str, str]] = field(default_factory=list)
    marks: Marks = field(default_factory=dict)

    def pause(self, marks: Marks) -> None:
        """Note what the graph pauses for; once in a message, so that each call gets its own answer."""
        if "validation_requested" in self.marks or "pending_question" in self.marks:
            raise ToolRefused("One validation or question at a time: call it again in your next message.")
        self.marks |= marks


class AgentTool(BaseModel):
    """A call of a tool with its arguments; anything else is refused."""

    model_config = ConfigDict(extra="forbid", model_title_generator=tool_name)

    async def run(self, bench: ToolContext) -> str | None:
        """What the agent is told, or nothing if its answer comes later; raises `ToolRefused`."""
        raise NotImplementedError


def get_tools(session_id: str) -> Mapping[str, Tool[ToolContext]]:
    """The tools by name, bound to one session: they refuse the workbench of another. No model names a session."""

    async def run(call: AgentTool, bench: ToolContext) -> str | None:
        if bench.session.session_id != session_id:
            raise ToolRefused("This tool belongs to another session.")
        return await call.run(bench)

    return {tool_name(tool): Tool(tool, run) for tool in TOOLS}


def readable_names(session: Session) -> dict[str, str]:
    """The inputs that can be read: by the bare name that the model uses, the name among the inputs."""
    found: dict[str, str] = {}
    for name in session.names(INPUTS):
        if session.media_type(INPUTS + name) in READABLE:
            bare = name.replace("/", "__")
            found[bare if bare not in found else f"{len(found)}__{bare}"] = name
    return found


async def shown_text(session: Session, name: str, decisions: Mapping[str, str]) -> str:
    text, media_type = await session.text(INPUTS + name), session.media_type(INPUTS + name)
    if media_type in TABLES:
        return await session.compute(as_tables, text, media_type)
    if is_code(name):
        return as_code(text)
    return await session.compute(readable_markdown, name, text, decisions)


def _page(text: str, first: int, *, numbered: bool) -> str:
    """Whole lines from ``first`` on, as many as fit, under a line that says which they are."""
    lines = text.rstrip("\n").split("\n")
    if first > len(lines):
        raise ToolRefused(f"from_line is beyond the end: there are {len(lines)} lines.")
    room, shown = PAGE_CHARS, list[str]()
    for line in lines[first - 1 :]:
        if shown and room < len(line):
            break
        shown.append(line[:PAGE_CHARS])
        room -= len(line) + 1
    last = first + len(shown) - 1
    body = [f"{number}: {line}" for number, line in enumerate(shown, first)] if numbered else shown
    return "\n".join([f"lines {first} to {last} of {len(lines)}", "", *body])


async def _write_draft(bench: ToolContext, text: str) -> None:
    if len(text) > MAX_DRAFT_CHARS:
        raise ToolRefused(f"The document would be longer than {MAX_DRAFT_CHARS} characters.")
    await bench.session.write(DRAFT, text)
    bench.marks["temp_md_path"] = DRAFT


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")


def _lines(text: str) -> int:
    return len(text.rstrip("\n").split("\n"))


def input_of(session: Session, shown: str) -> str:
    """The input that the model knows by a name. Raises `ToolRefused` for anything else."""
    known = {**{name: name for name in session.names(INPUTS)}, **readable_names(session)}
    if shown not in known:
        raise ToolRefused("There is no such file; list_files gives the names.")
    return known[shown]


class ListFiles(AgentTool):
    """List the input files: those that can be read, and the images."""

    async def run(self, bench: ToolContext) -> str:
        session = bench.session
        images = (name for name in session.names(INPUTS) if is_image(session.media_type(INPUTS + name)))
        lines = [f"{bare} (to read)" for bare in readable_names(session)] + [f"{name} (image)" for name in images]
        return "\n".join(lines) or "There are no input files."


class ReadFile(AgentTool):
    """Read an input file. Images stand in it as the document must show them, CSV and JSON as tables."""

    file_name: str = Field(min_length=1, max_length=255, description="a name that list_files gave")
    from_line: int = Field(default=1, ge=1, description="where to begin; a long file comes in parts")

    async def run(self, bench: ToolContext) -> str:
        known = readable_names(bench.session)
        if self.file_name not in known:
            raise ToolRefused("There is no such file to read; list_files gives the names.")
        text = await shown_text(bench.session, known[self.file_name], bench.decisions)
        return _page(text, self.from_line, numbered=False)


class ReadGeneratedFile(AgentTool):
    """Read the document as it is so far, with line numbers."""

    from_line: int = Field(default=1, ge=1, description="where to begin; a long document comes in parts")

    async def run(self, bench: ToolContext) -> str:
        text = await bench.session.text(DRAFT)
        return _page(text, self.from_line, numbered=True) if text else "Nothing is written yet."


class AppendToMarkdown(AgentTool):
    """Add Markdown to the end of the document."""

    content: str = Field(min_length=1, max_length=100_000)

    async def run(self, bench: ToolContext) -> str:
        content = _plain(self.content).strip("\n")
        if not content.strip():
            raise ToolRefused("content: there is no text in it.")
        text = await bench.session.text(DRAFT)
        if text.rstrip("\n").endswith(content):
            raise ToolRefused("The document ends with exactly this already; nothing was added.")
        written = (text.rstrip("\n") + "\n\n" if text.strip() else "") + content + "\n"
        await _write_draft(bench, written)
        await bench.live(content + "\n\n")
        return f"Added; the document has {_lines(written)} lines."


class EditMarkdownLine(AgentTool):
    """Replace one line of the document by other lines; without content the line is removed."""

    line_number: int = Field(ge=1, description="as read_generated_file shows it")
    new_content: str = Field(max_length=20_000)

    async def run(self, bench: ToolContext) -> str:
        lines = (await bench.session.text(DRAFT)).rstrip("\n").split("\n")
        number = self.line_number
        if lines == [""] or number > len(lines):
            raise ToolRefused(f"line_number: the document has {0 if lines == [''] else len(lines)} lines.")
        content = _plain(self.new_content)
        lines[number - 1 : number] = content.split("\n") if content else []
        await _write_draft(bench, "\n".join(lines).rstrip("\n") + "\n")
        return f"Line {number} replaced; the document has {len(lines)} lines."


class CreateCheckpoint(AgentTool):
    """Save the document at the end of a chapter; it is then checked, and the next chapter begins."""

    label: str = Field(min_length=1, max_length=100, description="letters, digits and _")

    async def run(self, bench: ToolContext) -> str:
        if not clean_label(self.label):
            raise ToolRefused("label: it must have letters or digits.")
        checkpoint_id = await bench.session.snapshot(self.label, bench.now)
        bench.checkpoint_chapters[checkpoint_id] = bench.current_chapter
        bench.marks |= {"last_checkpoint_id": checkpoint_id, "checkpoint_created": True}
        return f"Saved as {checkpoint_id}; the document is checked now."


class RollbackToCheckpoint(AgentTool):
    """Bring the document back to a checkpoint."""

    checkpoint_id: str = Field(min_length=1, max_length=100, description="an id that create_checkpoint gave")

    async def run(self, bench: ToolContext) -> str:
        session = bench.session
        if not session.restore_from_checkpoint(session.session_id, self.checkpoint_id):
            raise ToolRefused("Checkpoint not found")
        bench.current_chapter = bench.checkpoint_chapters.get(self.checkpoint_id, bench.current_chapter)
        bench.marks |= {"rolled_back_to": self.checkpoint_id, "last_checkpoint_id": self.checkpoint_id}
        return f"Restored {self.checkpoint_id}"


class ValidateMarkdown(AgentTool):
    """Have the document checked as it is now, without saving it."""

    async def run(self, bench: ToolContext) -> None:
        bench.pause({"validation_requested": True})


class RequestHumanInput(AgentTool):
    """Ask the person a question and wait for the answer."""

    question: str = Field(min_length=1, max_length=4_000)

    async def run(self, bench: ToolContext) -> None:
        if not self.question.strip():
            raise ToolRefused("question: there are no words in it.")
        bench.pause({"pending_question": self.question, "question_about": "agent"})


class LeaveOut(AgentTool):
    """Leave a chapter of an input, or a whole input, out of the document, and say why; it is shown to the person."""

    file: str = Field(min_length=1, max_length=255, description="a name that list_files gave")
    heading: str = Field(max_length=300, description="a heading of that file; empty: the whole file")
    reason: str = Field(min_length=1, max_length=1_000)

    async def run(self, bench: ToolContext) -> str:
        name = input_of(bench.session, self.file)
        if not self.reason.strip():
            raise ToolRefused("reason: there are no words in it.")
        heading = " ".join(self.heading.split())
        if heading:
            found = headings_of(await shown_text(bench.session, name, bench.decisions))
            heading = next((title for title in found if title.casefold() == heading.casefold()), "")
            if not heading:
                raise ToolRefused(
                    f"heading: the file has none of these words; it has: {'; '.join(found[:MAX_HEADINGS])}"
                )
        kept = [entry for entry in bench.left_out if (entry["file"], entry["heading"]) != (name, heading)]
        if len(kept) >= MAX_LEFT_OUT and not heading:
            kept = [entry for entry in kept if entry["file"] != name]
        if len(kept) >= MAX_LEFT_OUT:
            raise ToolRefused(
                f"At most {MAX_LEFT_OUT} chapters can be left out; leave a whole file out, or ask the person."
            )
        bench.left_out = [*kept, {"file": name, "heading": heading, "reason": _plain(self.reason).strip()}]
        bench.marks["left_out"] = bench.left_out
        return f"Left out: {heading or 'the whole file'}. The person is told, with the reason."


class Finish(AgentTool):
    """Say that the document is complete."""

    async def run(self, bench: ToolContext) -> str:
        if {"checkpoint_created", "validation_requested", "pending_question"} & bench.marks.keys():
            raise ToolRefused(
                "Not yet: first see what comes of the other call of this message, then call finish by itself."
            )
        if words := await bench.open_words():
            raise ToolRefused(words)
        bench.marks["generation_complete"] = True
        return "The document is complete."


TOOLS: Sequence[type[AgentTool]] = (
    ListFiles,
    ReadFile,
    ReadGeneratedFile,
    AppendToMarkdown,
    EditMarkdownLine,
    CreateCheckpoint,
    RollbackToCheckpoint,
    ValidateMarkdown,
    RequestHumanInput,
    LeaveOut,
    Finish,
)
FINISH = tool_name(Finish)
