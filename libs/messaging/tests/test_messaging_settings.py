from pathlib import Path
from typing import Literal

import pytest
from pydantic import Field, SecretStr
from stemma_messaging import BadSettings, Service, WorkerSettings, config_dir, load_settings


class LinterSettings(WorkerSettings):
    engine: Literal["rumdl", "markdownlint-cli"] = "rumdl"
    api_key: SecretStr | None = None
    dsn: SecretStr | None = Field(default=None, min_length=5, validation_alias="STEMMA_CHECKPOINT_DSN")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def _load(file: Path) -> LinterSettings:
    return load_settings("validator", LinterSettings, file)


@pytest.mark.req("P16")
def test_defaults_count_then_the_file_then_the_environment_then_arguments(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What all services share has its plain name in the file and in arguments."""
    assert _load(file).engine == "rumdl"
    lines = ('engine = "markdownlint-cli"', "slots = 4", 'log_level = "error"', 'dsn = "postgresql://file"')
    file.write_text("\n".join([*lines, 'nats_url = "nats://file:1"', 'nats_user = "file"']))
    for name, value in (("VALIDATOR_SLOTS", "8"), ("NATS_URL", "nats://environment:1"), ("NATS_USER", "environment")):
        monkeypatch.setenv(f"STEMMA_{name}", value)
    settings = load_settings("validator", LinterSettings, file, nats_url="nats://argument:1")
    assert (settings.engine, settings.slots, settings.log_level) == ("markdownlint-cli", 8, "error")
    assert (settings.nats_url, settings.nats_user) == ("nats://argument:1", "environment")
    assert settings.dsn is not None
    assert settings.dsn.get_secret_value() == "postgresql://file"


@pytest.mark.req("P16")
def test_the_connection_is_the_same_for_every_service(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEMMA_NATS_PASSWORD", "hidden")
    monkeypatch.setenv("STEMMA_CHECKPOINT_DSN", "postgresql://db")
    settings = _load(file)
    assert settings.nats_password is not None
    assert settings.nats_password.get_secret_value() == "hidden"
    assert settings.dsn is not None
    assert "hidden" not in repr(settings)


OTHERS = """CONVERTER_NATS_PASSWORD CONVERTER_ANYTHING DATA_DIR PASSWORD_VALIDATOR PASSWORD_CLIENT_DEFAULT PASSWORD_SYS
    PASSWORD_POSTGRES TENANT ACTOR TEST_SERVERS NATS_PORT NATS_SERVICE_HOST""".split()


@pytest.mark.req("P16")
def test_a_variable_of_others_or_without_our_prefix_is_none_of_ours(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*LinterSettings.model_fields, *(f"STEMMA_{name}" for name in OTHERS)):
        monkeypatch.setenv(name.upper(), "x")
    assert _load(file).model_dump() == LinterSettings().model_dump()


BAD_FILES = {
    "engine": 'engine = "other"',
    "slots": "slots = 0",
    "enginee": 'enginee = "rumdl"',
    "health_port": "health_port = 70000",
    "retry_base_s": 'retry_base_s = "soon"',
}


@pytest.mark.req("P16")
def test_a_bad_value_in_the_file_is_refused_by_name_and_a_file_that_is_not_toml_by_its_own(file: Path) -> None:
    for name, line in BAD_FILES.items():
        file.write_text(line)
        with pytest.raises(BadSettings) as refused:
            _load(file)
        assert [problem.split(":")[0] for problem in refused.value.problems] == [name]
    file.write_text("engine: rumdl")
    with pytest.raises(BadSettings, match=r"settings\.toml"):
        _load(file)


SHARED = ("STEMMA_NATS_URL", "STEMMA_LOG_LEVEL", "STEMMA_LOG_JSON", "STEMMA_CHECKPOINT_DSN")


@pytest.mark.req("P16")
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("STEMMA_VALIDATOR_SLOTS", "many", "STEMMA_VALIDATOR_SLOTS"),
        ("STEMMA_VALIDATOR_SLOT", "8", "STEMMA_VALIDATOR_SLOT"),
        *((name, "foo", rf"\(settings\.toml or {name}\)$") for name in SHARED[1:]),
        *((f"{name}{name[-1]}", "x", rf"^{name}{name[-1]}: no such setting; {name} is one$") for name in SHARED),
    ],
)
def test_a_bad_variable_is_refused_by_its_name(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(BadSettings, match=words):
        _load(file)


NO_SERVERS = ["", "nats://", "NATS://there", "http://there", "nats://me:hidden@there:port", "nats://one,", "one two"]
SERVERS = ["there:4222", "nats://one,nats://me:pass@two:4223", "tls://[::1]:4222", "wss://x"]


@pytest.mark.req("P16")
def test_addresses_are_all_that_a_nats_client_takes_and_another_is_refused_without_its_password(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for servers in SERVERS:
        monkeypatch.setenv("STEMMA_NATS_URL", servers)
        assert _load(file).nats_url == servers
    for servers in NO_SERVERS:
        monkeypatch.setenv("STEMMA_NATS_URL", servers)
        with pytest.raises(BadSettings, match=r"^nats_url: .* \(settings\.toml or STEMMA_NATS_URL\)$") as refused:
            _load(file)
        assert "hidden" not in str(refused.value)


@pytest.mark.req("P16", "E8")
def test_a_refusal_does_not_tell_the_value(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("[api_key]\nvalue = 'sk-very-secret'\n")
    monkeypatch.setenv("STEMMA_VALIDATOR_HEALTH_PORT", "sk-very-secret")
    with pytest.raises(BadSettings) as refused:
        _load(file)
    assert len(refused.value.problems) == 2
    assert "sk-very-secret" not in str(refused.value)


def test_finds_the_config_of_a_checkout_and_of_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout, wheel = tmp_path / "checkout", tmp_path / "wheel"
    for folder in (checkout / "src/stemma_checkout", checkout / "config", wheel / "stemma_wheel/config"):
        folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(checkout / "src"))
    monkeypatch.syspath_prepend(str(wheel))
    assert config_dir("stemma_checkout") == checkout / "config"
    assert config_dir("stemma_wheel") == wheel / "stemma_wheel/config"
    with pytest.raises(ModuleNotFoundError):
        config_dir("stemma_nothing")


@pytest.mark.req("P16")
def test_a_variable_names_another_config_folder_and_one_that_is_none_is_refused_by_name(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEMMA_VALIDATOR_CONFIG_DIR", str(file.parent))
    assert config_dir("stemma_validator") == file.parent
    assert _load(file).engine == "rumdl"
    file.touch()
    for name in ("nothing", "settings.toml"):
        monkeypatch.setenv("STEMMA_VALIDATOR_CONFIG_DIR", str(file.parent / name))
        with pytest.raises(BadSettings, match=r"^STEMMA_VALIDATOR_CONFIG_DIR: no such folder$"):
            config_dir("stemma_validator")


@pytest.mark.req("P16")
def test_a_process_with_a_bad_setting_ends_with_one_line(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("slots = 0")
    monkeypatch.setattr("sys.argv", ["stemma-demo"])
    monkeypatch.setenv("STEMMA_DEMO_CONFIG_DIR", str(file.parent))
    with pytest.raises(SystemExit) as ended:
        Service("demo", WorkerSettings, lambda _: None).main()
    line = "slots: Input should be greater than or equal to 1 (settings.toml or STEMMA_DEMO_SLOTS)"
    assert (ended.value.code, capsys.readouterr()) == (2, ("", f"stemma-demo: {line}\n"))
