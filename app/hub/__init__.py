"""Models: which exist, which fit together, how to get them."""
