from pathlib import Path

import pytest
from stemma_confinement import Limits
from stemma_messaging import BadSettings
from stemma_validator.app import ValidatorSettings, open_engine, service


@pytest.mark.req("V3")
def test_an_engine_that_there_is_not_refuses_start_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEMMA_VALIDATOR_ENGINE", "vale")
    with pytest.raises(BadSettings, match="engine"):
        service.load_settings()


@pytest.mark.req("V3")
async def test_a_setting_selects_the_other_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEMMA_VALIDATOR_ENGINE", "markdownlint")
    settings = service.load_settings()
    assert isinstance(settings, ValidatorSettings)
    engine = open_engine(settings, Limits())
    assert (engine.name, engine.version) == ("markdownlint", "0.50.0")
    assert [issue.rule_names[0] for issue in await engine.lint("# A\n\n<b>x</b>\n")] == ["MD033"]


@pytest.mark.req("P16")
@pytest.mark.parametrize(
    ("engine", "file", "content", "problem"),
    [
        ("rumdl", "rumdl.toml", None, r"^rumdl\.toml: file is missing$"),
        ("rumdl", "rumdl.toml", "[global", r"^rumdl\.toml: .+ \(at"),
        ("markdownlint", "markdownlint.json", None, r"^markdownlint\.json: file is missing$"),
        ("markdownlint", "markdownlint.json", "{", r"^markdownlint\.json: .+ line 1"),
        ("markdownlint", "markdownlint.json", "[]", r"^markdownlint\.json: an object is needed$"),
    ],
)
def test_rules_that_cannot_be_read_refuse_start_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str, file: str, content: str | None, problem: str
) -> None:
    (tmp_path / "settings.toml").write_text(f'engine = "{engine}"\n')
    if content is not None:
        (tmp_path / file).write_text(content)
    monkeypatch.setenv("STEMMA_VALIDATOR_CONFIG_DIR", str(tmp_path))
    settings = service.load_settings()
    assert isinstance(settings, ValidatorSettings)
    with pytest.raises(BadSettings, match=problem):
        open_engine(settings, Limits())
