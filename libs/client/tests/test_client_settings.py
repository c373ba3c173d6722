import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from stemma_client import InvalidAddressError, InvalidLoginError
from stemma_client.bearer import bearer_of
from stemma_client.logins import Login, login_file, login_of, new_password, new_seed, write_login
from stemma_client.settings import STATE_FILE, ServerAddress, find_server
from stemma_contracts.tokens import InvalidToken

STATE_URL = "nats://127.0.0.1:5"
STATE = {"url": STATE_URL, "tenant": "team", "user": "client-team", "password": "secret", "pid": 7}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "stemma.json").write_text(json.dumps(STATE))
    return {"STEMMA_DATA_DIR": str(tmp_path)}


@pytest.mark.req("E3", "P16")
def test_the_state_file_is_enough_the_environment_wins_over_it_and_arguments_over_both(environ: dict[str, str]) -> None:
    found = find_server(environ=environ)
    assert (found.url, found.tenant, found.user, found.password) == (STATE_URL, "team", "client-team", "secret")
    elsewhere = find_server("nats://elsewhere:4222", environ=environ)
    assert (elsewhere.user, elsewhere.password) == (None, None), "the password goes to no other server"
    environ |= {"STEMMA_NATS_URL": "nats://there:4222", "STEMMA_TENANT": "two", "STEMMA_NATS_PASSWORD": "p"}
    found = find_server(environ=environ)
    assert (found.url, found.user) == ("nats://there:4222", "client-two")
    assert find_server("nats://here:4222", tenant="one", environ=environ).tenant == "one"


def test_a_damaged_state_file_is_no_state_file(tmp_path: Path) -> None:
    for content in ("", "[]", "{", '{"url": 5}'):
        (tmp_path / "stemma.json").write_text(content)
        assert find_server(environ={"STEMMA_DATA_DIR": str(tmp_path)}).url == "nats://127.0.0.1:4222"


@pytest.mark.parametrize(
    "url",
    "nonsense://x http://127.0.0.1:4222 NATS://there nats:// nats://:4222 nats://there:notaport nats://there:99999 "
    "nats://[::1 nats://one, not\xa0there".split(" "),
)
def test_what_is_no_address_is_refused_by_the_name_of_what_gave_it(url: str, tmp_path: Path) -> None:
    (tmp_path / "stemma.json").write_text(json.dumps({"url": url}))

    with pytest.raises(InvalidAddressError, match="STEMMA_NATS_URL must be an address"):
        find_server(environ={"STEMMA_NATS_URL": url})
    with pytest.raises(InvalidAddressError, match="url must be an address"):
        find_server(url, environ={})
    with pytest.raises(InvalidAddressError, match=STATE_FILE):
        find_server(environ={"STEMMA_DATA_DIR": str(tmp_path)})


@pytest.mark.parametrize(
    "url",
    "there there:4222 nats://there tls://there:4222/ wss://there nats://[::1]:4222 nats://a@b nats://one,two:1".split(),
)
def test_an_address_may_be_given_in_every_way_that_a_nats_client_takes(url: str) -> None:
    assert find_server(url, environ={}).url == url


@pytest.mark.req("P16")
def test_a_password_is_not_shown_not_even_that_in_a_wrong_address(environ: dict[str, str]) -> None:
    assert "secret" not in repr(find_server(environ=environ))
    with pytest.raises(InvalidAddressError) as refused:
        find_server("nats://me:secret", environ={})
    assert "secret" not in str(refused.value)
    assert find_server("nats://me:secret@one,me:secret@two:1", environ={}).shown == "nats://one,two:1"


def test_a_wrong_tenant_is_refused_by_the_name_of_what_gave_it(tmp_path: Path) -> None:
    (tmp_path / "stemma.json").write_text(json.dumps({"tenant": "a*b"}))

    with pytest.raises(InvalidToken, match="STEMMA_TENANT must match"):
        find_server(environ={"STEMMA_TENANT": "a*b"})
    with pytest.raises(InvalidToken, match=STATE_FILE):
        find_server(environ={"STEMMA_DATA_DIR": str(tmp_path)})


@pytest.fixture
def login(tmp_path: Path, environ: dict[str, str]) -> Login:
    """The one who is logged in at the server of the state file."""
    environ["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    made = Login(STATE_URL, "team", "ada", "author", new_seed(), new_seed())
    write_login(login_file(environ), made)
    return made


@pytest.mark.req("S4")
def test_who_is_logged_in_is_a_person_at_that_server_and_nowhere_else(environ: dict[str, str], login: Login) -> None:
    assert find_server(environ=environ).login == login
    assert find_server(login.url, environ=environ).login == login
    assert find_server("nats://elsewhere:4222", environ=environ).login is None
    assert find_server(tenant="other", environ=environ).login is None
    assert find_server(user="client-team", password="p", environ=environ).login is None
    assert find_server(environ={**environ, "STEMMA_NATS_PASSWORD": "p"}).login is None


@pytest.mark.req("S4")
def test_a_login_follows_its_installation_to_another_address(environ: dict[str, str], login: Login) -> None:
    write_login(login_file(environ), replace(login, url="nats://127.0.0.1:9", installation="i1"))
    state_file = Path(environ["STEMMA_DATA_DIR"]) / STATE_FILE
    assert find_server(environ=environ).login is None
    state_file.write_text(json.dumps({**STATE, "installation": "i1"}))
    found = find_server(environ=environ)
    assert (found.url, found.login and found.login.person, found.inbox) == (STATE_URL, "ada", "_INBOX.ada")


@pytest.mark.req("S4")
def test_a_login_that_is_named_counts_wherever_one_is(tmp_path: Path, environ: dict[str, str], login: Login) -> None:
    bob = replace(login, person="bob", url="nats://there:4222")
    write_login(tmp_path / "bob.login", bob)
    named = {**environ, "STEMMA_LOGIN": str(tmp_path / "bob.login")}
    assert find_server(environ=named).login == bob
    assert find_server(environ=named).url == "nats://there:4222"
    assert find_server(login=tmp_path / "bob.login", environ={**environ, "STEMMA_NATS_PASSWORD": "p"}).login == bob


@pytest.mark.req("S4", "S7")
def test_a_login_is_its_owners_alone_and_not_shown(environ: dict[str, str], login: Login) -> None:
    file = login_file(environ)
    file.parent.chmod(0o755)
    write_login(file, login)
    assert file.stat().st_mode & 0o077 == 0
    assert not any(seed in repr(find_server(environ=environ)) for seed in (login.reading_seed, login.asking_seed))


@pytest.mark.req("S4")
@pytest.mark.parametrize(
    "changed",
    [{"person": "a.*"}, {"tenant": ">"}, {"url": "no address"}, {"asking_seed": "SUX"}, {"reading_seed": ""}],
)
def test_what_is_no_login_is_refused_by_its_file_and_not_quoted(
    environ: dict[str, str], login: Login, changed: dict[str, str]
) -> None:
    file = login_file(environ)
    file.write_text(json.dumps({**asdict(login), **changed}))
    with pytest.raises(InvalidLoginError) as refused:
        find_server(environ=environ)
    assert str(refused.value) == f"{file} is no login of Stemma: ask for a new one"


@pytest.mark.req("H1", "S4")
def test_a_password_makes_the_same_keys_however_it_is_written_and_others_for_another_person() -> None:
    password = new_password()
    login = login_of("nats://x", "default", "ada", password)
    assert login_of("nats://x", "default", "ada", f" {password.upper().replace('-', '')} ") == login
    assert login_of("nats://x", "default", "ada", password.replace("0", "o").replace("1", "l")) == login
    others = [login_of("nats://x", *who, password) for who in (("default", "bob"), ("garden", "ada"))]
    seeds = {seed for each in (login, *others) for seed in (each.reading_seed, each.asking_seed)}
    assert len(seeds) == 6
    token = bearer_of(ServerAddress("nats://x", "default", "ada", login=login))
    assert password not in token


@pytest.mark.req("S4")
@pytest.mark.parametrize("wrong", ["", "secret", "7" * 19, "7" * 21, "u" * 20])
def test_what_somebody_chose_is_no_password(wrong: str) -> None:
    with pytest.raises(InvalidLoginError, match="no password") as told:
        login_of("nats://x", "default", "ada", wrong)
    assert not wrong or wrong not in str(told.value)
