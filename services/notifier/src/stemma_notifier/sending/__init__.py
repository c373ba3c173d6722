"""The ways to tell somebody."""

from .base import NotSent, Refused, known_authorities
from .guard import Guard
from .mail import Mail, MailServer
from .webhook import Webhook

__all__ = ["Guard", "Mail", "MailServer", "NotSent", "Refused", "Webhook", "known_authorities"]
