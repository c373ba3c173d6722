import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from stemma_models import ModelSettings
from stemma_models.prompting import block
from stemma_models.providers import cached_start, chat_model, with_cache_hints

pytestmark = pytest.mark.req("M1")
SHARED, OWN = block("brief", "A ferry.") + "\n", block("section", "Why.", id="approach")
MESSAGES = [SystemMessage("Rules."), HumanMessage(SHARED + OWN), AIMessage("No."), HumanMessage("Again.")]
BORDER = {"cache_control": {"type": "ephemeral"}}


def settings(name: str, api_base: str | None = None) -> ModelSettings:
    return ModelSettings(name=name, api_base=api_base)


@pytest.mark.parametrize("name", ["anthropic/claude-sonnet-4-5", "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0"])
def test_claude_is_told_where_what_all_sections_share_ends(name: str) -> None:
    hinted, parameters = with_cache_hints(settings(name), MESSAGES, "doc")
    assert hinted[0].content == [{"type": "text", "text": "Rules.", **BORDER}]
    assert hinted[1].content == [{"type": "text", "text": SHARED, **BORDER}, {"type": "text", "text": OWN}]
    assert (hinted[2:], parameters) == (MESSAGES[2:], {})
    assert [str(message.text) for message in hinted] == [str(message.text) for message in MESSAGES]


def test_claude_is_told_where_the_rules_of_a_task_and_what_tools_answered_end_too() -> None:
    """A judge begins with the same material and has other rules behind it; the next step has all of this one."""
    claude = settings("anthropic/claude-sonnet-4-5")
    hinted, _ = with_cache_hints(claude, [MESSAGES[0], HumanMessage(f"{SHARED}\nYou judge.\n\n{OWN}")], "doc")
    borders = [{"type": "text", "text": text, **BORDER} for text in (SHARED.strip(), "\n\nYou judge.\n\n")]
    assert hinted[1].content == [*borders, {"type": "text", "text": OWN}]
    thread = [*MESSAGES[:2], *(one for n in "ab" for one in (AIMessage("", id=n), ToolMessage(n, tool_call_id=n)))]
    hinted, _ = with_cache_hints(claude, thread, "doc")
    assert hinted[3].content == [{"type": "text", "text": "a", **BORDER}]
    assert (hinted[2], hinted[4:]) == (thread[2], thread[4:])
    hinted, _ = with_cache_hints(claude, [MESSAGES[0], MESSAGES[3]], "doc")
    assert hinted[1] == MESSAGES[3], "without a section only the rules have a border"


@pytest.mark.parametrize(
    ("name", "api_base", "parameters"),
    [
        ("openai/gpt-4o", None, {"prompt_cache_key": "doc"}),
        ("nobody-knows-it", None, {}),
        ("openai/local", "http://127.0.0.1:1/v1", {}),
        ("mistral/mistral-large-latest", None, {}),
        ("offline", None, {}),
    ],
)
def test_the_calls_of_a_document_have_a_key_where_openai_takes_one(
    name: str, api_base: str | None, parameters: dict[str, str]
) -> None:
    assert with_cache_hints(settings(name, api_base), MESSAGES, "doc") == (MESSAGES, parameters)


def test_another_server_whose_address_the_environment_has_gets_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, "http://127.0.0.1:1/v1")
            assert with_cache_hints(settings("openai/local"), MESSAGES, "doc") == (MESSAGES, {})


@pytest.mark.parametrize(
    ("name", "words", "waits"),
    [
        ("openai/gpt-4.1", 1500, True),
        ("openai/gpt-4.1", 9, False),
        ("openai/local", 1500, False),
        ("offline", 1500, False),
    ],
)
def test_calls_wait_for_the_first_where_a_cache_will_hold_what_they_share(name: str, words: int, waits: bool) -> None:
    chosen = settings(name, "http://127.0.0.1:1/v1")
    model, shared = chat_model(chosen), block("brief", "ferry " * words) + "\n"
    starts = [
        cached_start(model, chosen, [MESSAGES[0], HumanMessage(shared + block("section", own))], document)
        for own, document in (("Why.", "doc"), ("How.", "doc"), ("Why.", "other"))
    ]
    assert [bool(start) for start in starts] == [waits] * 3
    assert (starts[0] == starts[1], len(set(starts))) == (True, 2 if waits else 1)
