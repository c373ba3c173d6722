"""HTTP for callers without a NATS client: a client of the bus like any other, in the name of whoever calls."""
