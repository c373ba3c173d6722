"""What the ways to tell somebody have in common."""

from __future__ import annotations

import ssl

import certifi


def trusted_ssl_context() -> ssl.SSLContext:
    """Trusts the authorities of this machine and those that browsers trust."""
    trust = ssl.create_default_context()
    trust.load_verify_locations(certifi.where())
    return trust


class NotSent(Exception):
    """The receiver did not take it; it may later. Its words hold nothing that the receiver said."""


class Refused(NotSent):
    """It is not sent there, now or later: the address is not allowed, or the receiver wants no more."""
