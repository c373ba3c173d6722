"""Real servers, scripted models and waiting with a deadline, for tests only."""
