"""Content-addressed artifacts and uploads on JetStream."""
