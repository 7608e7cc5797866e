"""Between the window and everything that is no window: processes, timers, settings. QtCore only."""
