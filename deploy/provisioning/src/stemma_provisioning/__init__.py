"""Streams, consumers, buckets and permissions of Stemma, made by one command."""

from .bounds import BadBound, Bounds
from .permissions import PROVISIONER, client_user, inbox_prefix, users
from .provision import Drift, check, provision
from .server import NatsServer, ServerFailed
