"""The same question with speculation off and on: planned, run and judged alike by the window and the command line."""
