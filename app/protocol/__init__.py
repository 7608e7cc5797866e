"""Everything that crosses the pipe between the window and its child processes."""
