"""Random calls with wrong types, closed and foreign objects, NAN, huge arrays: exceptions only.

FOOTFALL_FUZZ sets the number of calls (2,000 by default); each block runs in a process of its own,
so that a crash is seen as one.
"""
import os
import subprocess
import sys

import pytest

CALLS = int(os.environ.get("FOOTFALL_FUZZ", "2000"))
BLOCK = 10000


@pytest.mark.parametrize("block", range(max(1, CALLS // BLOCK)))
def test_random_calls(block):
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    folder = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-X", "faulthandler", os.path.join(folder, "fuzz.py"),
                           str(block), str(min(CALLS, BLOCK))],
                          env=env, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "calls" in done.stdout
