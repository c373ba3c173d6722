"""Where the review desk is, and a link that signs a browser in there."""

import json
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from stemma_client.settings import STATE_FILE, data_dir

from stemma_cli.exit_codes import CliError, ExitCode

WITHIN_S = 20.0
MAX_BYTES = 64 * 1024


def gateway_at(given: str | None) -> str:
    """The address of the gateway: the given one, else that of ``stemma up``. Raises `CliError`.

    A token is sent there, so it is an encrypted one, or one of this machine.
    """
    url = given or _of_state()
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise CliError(ExitCode.USAGE, f"--gateway: {url!r} is no address", "give one such as https://stemma.example")
    if parts.scheme == "http" and not _is_here(parts.hostname):
        raise CliError(ExitCode.USAGE, f"--gateway: a token is not sent to {url} unencrypted", "use its https address")
    return url.rstrip("/")


def link_to(gateway: str, token: str, path: str) -> str:
    """An address that signs one browser in, soon, and leads to a page of the desk. Raises `CliError`."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    body = json.dumps({"next": path or "/desk"}).encode()
    made = _answer(Request(f"{gateway}/sign-in/links", body, headers))  # noqa: S310
    return f"{gateway}{made['path'][len(urlsplit(gateway).path) :]}"


def _of_state() -> str:
    file = data_dir() / STATE_FILE
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["gateway"])
    except (OSError, ValueError, KeyError):
        hint = "start one with `stemma up`, or name one by --gateway"
        raise CliError(ExitCode.NO_SERVER, f"{file} tells of no gateway", hint) from None


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _answer(request: Request) -> dict[str, Any]:
    try:
        with urlopen(request, timeout=WITHIN_S) as response:  # noqa: S310
            return dict(json.loads(response.read(MAX_BYTES)))
    except HTTPError as error:
        raise CliError(ExitCode.FAILED, f"the gateway says: {_detail(error)}", _next(error.code)) from None
    except (URLError, OSError, ValueError) as error:
        where = f"{request.type}://{request.host}"
        raise CliError(ExitCode.NO_SERVER, f"no gateway answers at {where}: {error}", "start `stemma up`") from None


def _detail(error: HTTPError) -> str:
    try:
        return str(json.loads(error.read(MAX_BYTES))["detail"])
    except (OSError, ValueError, KeyError, TypeError):
        return str(error.reason)


def _next(status: int) -> str:
    return "see `stemma login`" if status == HTTPStatus.UNAUTHORIZED else ""
