@echo off
rem The command line of Outpace: the engine's program, without a role.
"%~dp0outpace-engine.exe" %*
