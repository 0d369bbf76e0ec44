"""For all tests."""

import os
import signal

# Rules files below `tests` are there to be read by tests, many of them broken: the plugin for pytest leaves them alone.
collect_ignore_glob = ["*.yaml", "*.yml"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # begun in the background: programs that the tests stop would not hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A test of an answer that was kept by an earlier run would test nothing.
os.environ["TABLELAW_NO_CACHE"] = "1"
