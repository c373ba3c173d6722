"""What every graph writes with: the material of a prompt, the form of a draft, its checks and its evaluation."""
