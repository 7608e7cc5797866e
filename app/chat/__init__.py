"""What a conversation is. Pure Python, no Qt."""
