"""The Models page: what is on this computer, what fits together, and how to get more."""
