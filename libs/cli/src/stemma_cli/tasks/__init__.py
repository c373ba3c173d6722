"""What the verbs do; imported only when a verb runs, so that help is quick."""
