"""Outpace: a desktop chat app that answers faster by speculative decoding."""

__version__ = "0.1.0"
