"""Foundations: the standard library, and platformdirs for the folders of each system."""
