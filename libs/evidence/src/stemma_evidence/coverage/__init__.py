"""What of the inputs a draft holds, and which of their places it rests on."""
