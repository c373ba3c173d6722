"""What lies in NATS: rules, notices that wait, summaries of documents, and what became of attempts."""
