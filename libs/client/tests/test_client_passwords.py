"""Passwords of people: a login that can be typed in."""

from __future__ import annotations

import pytest
from stemma_client import InvalidLoginError
from stemma_client.bearer import bearer_of
from stemma_client.logins import login_of, new_password
from stemma_client.settings import ServerAddress


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
