"""Whether a request that a browser sends with its cookie comes from a page of this gateway, or from another site's."""

from __future__ import annotations

from hmac import compare_digest

from starlette.requests import Request
from stemma_contracts.v1.answers import Problem

from .cookies import SignedIn
from .problems import FromElsewhere

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
PROOF = "x-csrf-token"


def check_origin(request: Request) -> bool:
    """Whether the browser says that the request comes from here; raises `FromElsewhere` where it says otherwise."""
    if site := request.headers.get("sec-fetch-site"):
        is_own = site == "same-origin"
    elif origin := request.headers.get("origin"):
        is_own = origin.lower() == f"{request.url.scheme}://{request.url.netloc}".lower()
    else:
        return False
    if not is_own:
        raise FromElsewhere(Problem.of("cross_site_request"))
    return True


def check_visit(request: Request) -> None:
    """A page is not visited from one of another site, but by its address; raises `FromElsewhere`."""
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise FromElsewhere(Problem.of("cross_site_link"))


def check_change(request: Request, signed_in: SignedIn) -> None:
    """A change that comes with a cookie shows where it comes from, or what only this session knows.

    Raises `FromElsewhere`.
    """
    if request.method in SAFE_METHODS or check_origin(request):
        return
    if not compare_digest(request.headers.get(PROOF, "").encode(), signed_in.proof.encode()):
        raise FromElsewhere(Problem.of("origin_needed", header=PROOF))
