import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from stemma_telemetry import annotate, bind, get_logger
from stemma_telemetry.logs import MAX_VALUE_CHARACTERS, configure_logs

Lines = Callable[[], list[dict[str, Any]]]
TRACER = TracerProvider().get_tracer("test")


@pytest.fixture
def lines() -> Iterator[Lines]:
    """Reads what was logged since the start of the test."""
    root, stream = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers, root.level
    configure_logs(json=True, level="info", stream=stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    structlog.reset_defaults()
    root.handlers = handlers
    root.setLevel(level)


@pytest.mark.req("E8")
def test_a_line_carries_what_is_bound_and_the_ids_of_its_span(lines: Lines) -> None:
    with TRACER.start_as_current_span("work") as span, bind(document_id="d1", section_id=None):
        get_logger().info("section_drafted", version=3)
    get_logger().info("after")
    [line, after] = lines()
    context = span.get_span_context()
    assert line["event"] == "section_drafted"
    assert line["document_id"] == "d1"
    assert line["version"] == 3
    assert line["trace_id"] == trace.format_trace_id(context.trace_id)
    assert line["span_id"] == trace.format_span_id(context.span_id)
    assert {"timestamp", "level"} <= line.keys()
    assert "section_id" not in line
    assert not {"document_id", "trace_id"} & after.keys()


def test_what_is_annotated_stays_on_later_lines_until_the_block_ends(lines: Lines) -> None:
    with bind(document_id="d1"):
        annotate(job_id="j1")
        get_logger().info("one")
        get_logger().info("two", job_id="j2")
    get_logger().info("three")
    assert [line.get("job_id") for line in lines()] == ["j1", "j2", None]


SECRET = "The budget of the secret project is 4 million."


@pytest.mark.req("E8")
@pytest.mark.parametrize(
    "value",
    [
        SECRET * 10,
        f"# Budget\n{SECRET}",
        [SECRET * 10],
        {"body": SECRET},
        ValueError(SECRET),
        SECRET.encode(),
    ],
    ids=["long", "several lines", "in a list", "in a dict", "an exception", "bytes"],
)
def test_a_value_that_could_be_text_is_not_logged(lines: Lines, value: object) -> None:
    get_logger().info("section_drafted", detail=value)
    assert "secret project" not in json.dumps(lines())


@pytest.mark.req("E8")
@pytest.mark.parametrize("key", ["text", "content", "prompt", "brief", "feedback", "draft", "password", "message"])
def test_under_a_name_for_content_nothing_is_logged(lines: Lines, key: str) -> None:
    get_logger().info("section_drafted", **{key: SECRET})
    assert lines()[0][key] == f"<{len(SECRET)} characters>"


def test_ids_and_counts_are_logged_as_they_are(lines: Lines) -> None:
    get_logger().info(
        "x", digest="a" * 64, count=2, ok=True, ratio=0.5, rules=["MD001"], edge="b" * MAX_VALUE_CHARACTERS
    )
    line = lines()[0]
    assert (line["digest"], line["count"], line["ok"], line["ratio"], line["rules"]) == (
        "a" * 64,
        2,
        True,
        0.5,
        ["MD001"],
    )
    assert line["edge"] == "b" * MAX_VALUE_CHARACTERS


@pytest.mark.req("E8")
def test_an_exception_is_logged_by_class_and_place_only(lines: Lines) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        get_logger().error("failed", error=error)
        get_logger().exception("failed")
    for line in lines():
        assert line["error_type"] == "ValueError"
        assert line["error_at"][0].split(":")[1] == "test_an_exception_is_logged_by_class_and_place_only"
        assert "secret project" not in json.dumps(line)
        assert __file__ not in json.dumps(line)


@pytest.mark.req("E8")
def test_a_library_may_say_where_but_not_what(lines: Lines) -> None:
    logging.getLogger("some.library").warning("sent %s", SECRET)
    [line] = lines()
    assert (line["event"], line["logger"], line["level"]) == ("library_log", "some.library", "warning")
    assert "secret project" not in json.dumps(line)


def test_chatter_of_libraries_is_dropped(lines: Lines) -> None:
    logging.getLogger("some.library").info("hello")
    assert lines() == []


@pytest.mark.req("F4")
def test_the_reason_of_a_server_is_told_in_its_words_however_long_they_are(lines: Lines) -> None:
    get_logger().warning("outage", reason="no space left\non device, " + "x" * 300)
    [line] = lines()
    assert line["reason"].startswith("no space left on device, x")
    assert len(line["reason"]) == MAX_VALUE_CHARACTERS
