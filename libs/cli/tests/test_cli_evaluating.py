import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from stemma_cli.evaluation.asked import Asked, EvaluationError, read_set
from stemma_cli.evaluation.measuring import MEASURES, Run, by_code, unsupported_in, write_reports
from stemma_cli.evaluation.running import SHIPPED, combinations
from stemma_cli.main import app
from stemma_client.findings import Finding
from stemma_contracts.v1.validation import ValidationSummary
from typer.testing import CliRunner

pytestmark = pytest.mark.req("M5")
REQUESTS = Path(__file__).parents[3] / "tests" / "eval" / "requests.toml"
REQUEST = '[requests.one]\nbrief = "Write."\nlicence = "CC0-1.0"\n'
HOSTILE = "<script>\x00\x1b[2J\udc80</script>"


def written(folder: Path, text: str) -> Path:
    file = folder / "set.toml"
    file.write_text(text)
    return file


def run_of(**told: Any) -> Run:
    return Run("one", "offline", SHIPPED, "completed", **told)


def test_ten_public_requests_ship_each_with_its_licence() -> None:
    found = read_set(REQUESTS, MEASURES)
    assert len(found.requests) == 10
    assert all(one.licence and one.source for one in found.requests.values())
    assert len({one.language for one in found.requests.values()}) >= 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "requests: Field required"),
        ("[requests", "is no TOML"),
        (REQUEST + 'files.evidence = ["gone.md"]', "requests.one.files.evidence: there is no gone.md"),
        (REQUEST + "[thresholds.default]\nbeauty = 1", "thresholds.default.beauty: no such measure"),
        ('[requests.one]\nbrief = "Write."', "requests.one.licence: Field required"),
    ],
)
def test_a_set_that_cannot_be_used_is_refused_by_its_field(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(EvaluationError, match=words):
        read_set(written(tmp_path, text), MEASURES)


def test_the_verb_names_what_is_wrong_before_anything_is_started(tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["eval", str(tmp_path / "none.toml")])
    assert (told.exit_code, "No such file" in told.output) == (2, True)
    file = written(tmp_path, REQUEST)
    told = CliRunner().invoke(app, ["eval", str(file), "--only", "two"])
    assert (told.exit_code, "no such request: two" in told.output) == (2, True)
    told = CliRunner().invoke(app, ["eval", str(file), "--only", "two", "--prompts", str(tmp_path / "gone")])
    assert (told.exit_code, "does not exist" in told.output) == (2, True)


def test_a_model_has_its_own_thresholds_before_those_of_all(tmp_path: Path) -> None:
    text = REQUEST + "[thresholds.default]\nleaks = 0\nscore = 0.7\n[thresholds.small]\nscore = 0.2\n"
    found = read_set(written(tmp_path, text), MEASURES)
    assert found.thresholds_of("small") == {"leaks": 0, "score": 0.2}
    assert found.thresholds_of("large") == {"leaks": 0, "score": 0.7}


def test_a_value_misses_its_threshold_on_its_own_side_and_none_misses_nothing() -> None:
    run = run_of(values={"score": 0.6, "leaks": 1.0, "language": 1.0})
    missed = run.missed({"score": 0.7, "leaks": 0, "language": 1, "demands": 1})
    assert missed == {"score": "score is 0.6, at least 0.7", "leaks": "leaks is 1, at most 0"}


def test_code_counts_leaks_limits_issues_and_languages(tmp_path: Path) -> None:
    (tmp_path / "note.eml").write_text("Our lowest price for the ferry is EUR 87,650 and no less.")
    asked = Asked(brief="Write.", licence="ours", files={"internal": (tmp_path,)}, language="en")
    texts = {
        "a": "# A\n\nThe ferry runs all day. Our lowest price for the ferry is EUR 87,650 and no less.",
        "b": "# B\n\nDie Fähre fährt jeden Morgen um halb acht mit vierzig Personen und neun Fahrrädern zur Insel.",
    }
    findings = [
        Finding("lint", "words/request"),
        Finding("lint", "STEMMA014"),
        Finding("lint", "STEMMA016"),
        Finding("lint", "limits/answer"),
        Finding("lint", "MD022", count=2),
        Finding("lint", "STEMMA013"),
        Finding("grounding", "grounding/amount"),
        Finding("judgement", "clarity"),
    ]
    assert by_code(asked, texts, findings, unsupported=3) == {
        "unsupported": 3.0,
        "language": 0.5,
        "leaks": 4.0,
        "lapses": 1.0,
        "over_limit": 1.0,
        "format": 2.0,
    }


def test_as_much_is_unsupported_as_the_gate_counts() -> None:
    rules = {"grounding/amount": 1, "grounding/statement": 2, "MD022": 4}
    told = {"passed": False, "issue_count": 7, "engine": "rumdl", "engine_version": "1", "unsupported": {"amount": 1}}
    assert unsupported_in([ValidationSummary.model_validate(told | {"rules": rules}), None]) == 3


def test_results_hold_hostile_text_as_text(tmp_path: Path) -> None:
    run = run_of(values={"leaks": 1.0}, findings={"a": (HOSTILE,)}, texts={"a": HOSTILE})
    page, cases, told = write_reports(tmp_path / "out", [run], {"offline": {"leaks": 0.0, "score": 0.7}})
    assert "<script>" not in page.read_text()
    root = ElementTree.parse(cases).getroot()
    assert [(case.get("name"), case[0].tag) for case in root.iter("testcase")] == [
        ("leaks", "failure"),
        ("score", "skipped"),
    ]
    assert [(suite.get("tests"), suite.get("failures")) for suite in root.iter("testsuite")] == [("2", "1")]
    assert json.loads(told.read_text())[0]["values"] == {"leaks": 1.0}


def test_each_model_writes_with_each_version_and_a_version_replaces_files_alone(tmp_path: Path) -> None:
    prompts = tmp_path / "shorter"
    changed = prompts / "section" / "generate" / "timeline.md"
    changed.parent.mkdir(parents=True)
    changed.write_text("Say when.")
    same = {"recordings": tmp_path / "kept", "judge": "judge/one", "api_base": "http://localhost:1"}
    writings = combinations(["offline", "other"], [prompts], **same)
    assert [writing.model for writing in writings] == ["offline", "offline", "other", "other"]
    assert writings[0].version == SHIPPED
    before = writings[1].version
    assert before.startswith("shorter@")
    told = writings[1].environment(tmp_path)
    config = Path(told["STEMMA_GENERATION_GRAPH_CONFIG_DIR"])
    assert (config / "prompts/section/generate/timeline.md").read_text() == "Say when."
    assert (config / "settings.toml").exists()
    assert told["STEMMA_GENERATION_GRAPH_NODES"] == '{"evaluate": {"model": "judge/one"}}'
    changed.write_text("Say when, and how.")
    assert writings[1].version != before
