"""Answers a NATS server that asks whom to admit."""
