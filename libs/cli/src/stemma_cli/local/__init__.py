"""All of Stemma on one machine: the packaged NATS server and every service as a process."""
