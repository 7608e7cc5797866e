"""The chats at the left, and what the window does with the history."""
