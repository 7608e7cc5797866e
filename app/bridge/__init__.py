"""Python objects made QObjects. QtCore only."""
