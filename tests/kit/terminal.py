"""The command line on a terminal, as a person has it."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from contextlib import contextmanager

PATIENCE_S = 60.0  # what does not come by then never comes


@contextmanager
def in_a_terminal(*arguments, status):
    """Run the command line on a terminal of its own until it is interrupted; give the screen.

    It must end with `status` then, and without a traceback.
    """
    screen, inner = pty.openpty()
    command = [sys.executable, "-m", "streamguard", *arguments]
    running = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner)
    os.close(inner)
    try:
        yield screen
        running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE_S) == status
        assert b"Traceback" not in rest(screen)
    finally:
        running.kill()
        running.wait()
        os.close(screen)


def until(screen, pattern):
    """Read the screen until the pattern is on it; return the match."""
    seen_so_far = b""
    while not (found := re.search(pattern + rb"[^\d]", seen_so_far)):
        assert select.select([screen], [], [], PATIENCE_S)[0], seen_so_far[-500:]
        seen_so_far += os.read(screen, 65_536)
    return found


def rest(screen):
    """Return what is left on the screen of a process that ended."""
    left = b""
    while select.select([screen], [], [], 0)[0]:
        try:
            piece = os.read(screen, 65_536)
        except OSError:  # Linux says EIO once nobody holds the other end
            break
        left += piece
    return left
