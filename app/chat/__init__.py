"""The conversation and its session, plain Python: nothing here knows of Qt, processes or files."""
