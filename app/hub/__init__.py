"""Model files: which there are, which fit together, what they need, and how to get them."""
