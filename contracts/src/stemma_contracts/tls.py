"""Encrypted connections with certificates of one's own: which are trusted, and which one is shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

CA_VARIABLE = "STEMMA_NATS_CA_FILE"
CERTIFICATE_VARIABLE = "STEMMA_NATS_CERT_FILE"
KEY_VARIABLE = "STEMMA_NATS_KEY_FILE"


class BadCertificates(ValueError):
    """Files that cannot be used; the message names the variables that name them, and quotes nothing of them."""


def tls_options(ca: Path | None, certificate: Path | None = None, key: Path | None = None) -> dict[str, Any]:
    """What a connection of nats-py is told; without files it is encrypted if the server says so, and not held to it.

    With them the handshake comes first: who is no server with a certificate that is trusted hears nothing, no password
    either. Raises `BadCertificates`.
    """
    if not (ca or certificate or key):
        return {}
    import ssl

    if key and not certificate:
        raise BadCertificates(f"{KEY_VARIABLE} is nothing without {CERTIFICATE_VARIABLE}")
    try:
        context = ssl.create_default_context(cafile=ca)
    except OSError as error:
        raise BadCertificates(f"{CA_VARIABLE} names no file of certificates: {error.strerror}") from None
    try:
        if certificate:
            context.load_cert_chain(certificate, key)
    except OSError as error:
        words = f"{CERTIFICATE_VARIABLE} and {KEY_VARIABLE} name no certificate with its key"
        raise BadCertificates(f"{words}: {error.strerror}") from None
    return {"tls": context, "tls_handshake_first": True}


def tls_of(environ: Mapping[str, str]) -> dict[str, Any]:
    """The same by the variables of the environment."""
    ca, certificate, key = (environ.get(name) for name in (CA_VARIABLE, CERTIFICATE_VARIABLE, KEY_VARIABLE))
    return tls_options(*(Path(given) if given else None for given in (ca, certificate, key)))
