"""What proposes tokens. An explicit registry."""
