"""How many tokens to propose. An explicit registry."""
