"""For all tests."""

import signal

# Rules files below `tests` are there to be read by tests, many of them broken: the plugin for pytest leaves them alone.
collect_ignore_glob = ["*.yaml", "*.yml"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # begun in the background: programs that the tests stop would not hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)
