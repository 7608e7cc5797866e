"""Servers the person connects to."""
