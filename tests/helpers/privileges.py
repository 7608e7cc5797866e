"""Runs a program without what lets an administrator read and write everything: `python -c CODE PROGRAM ...`."""

WITHOUT_PRIVILEGES = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: what lets root read everything
    if os.geteuid() == 0 and libc.prctl(24, capability, 0, 0, 0):
        sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
"""
