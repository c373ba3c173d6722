"""The servers of the tests run in containers where an engine answers, else from packaged binaries, and it is said."""

import re
import subprocess

import pytest
from stemma_provisioning.server import find_binary
from stemma_testkit.containers import image
from stemma_testkit.postgres import BINARIES
from stemma_testkit.server_choice import VARIABLE, Servers, choose, engine_answers
from stemma_testkit.serving import free_port

pytestmark = pytest.mark.req("E6")


def asked() -> bool:
    raise AssertionError("what the variable says needs no engine")


@pytest.mark.parametrize(("answers", "choice"), [(True, Servers.CONTAINERS), (False, Servers.PACKAGED)])
def test_an_engine_that_answers_decides(answers: bool, choice: Servers) -> None:
    assert choose({}, lambda: answers) is choice


@pytest.mark.parametrize("choice", Servers)
def test_the_variable_decides_without_an_engine(choice: Servers) -> None:
    assert choose({VARIABLE: str(choice)}, asked) is choice


def test_another_word_in_the_variable_is_refused_by_its_name() -> None:
    with pytest.raises(pytest.UsageError, match=f"{VARIABLE} is 'podman', not one of containers, packaged"):
        choose({VARIABLE: "podman"}, asked)


def test_an_address_where_no_engine_listens_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{free_port()}")
    assert not engine_answers()


def test_the_packaged_servers_have_the_versions_of_the_images() -> None:
    told = subprocess.run([find_binary(), "--version"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"v(\d+\.\d+)\.\d+", told)
    assert found is not None
    assert image("nats") == f"nats:{found[1]}-alpine"
    major = BINARIES.parts[1].removeprefix("pginstall")
    assert image("postgres").partition("@")[0] == f"postgres:{major}-alpine"
