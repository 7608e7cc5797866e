"""Widgets. The only place for them."""
