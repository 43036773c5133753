"""Runs a command and prints what it and its children took, as one JSON document: `measure.py SECONDS COMMAND...`."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

SAMPLE_SECONDS = 0.05


def resident(pid):
    """Bytes of a process and its children; what two of them share counts once."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as rollup:
            own = next(int(line.split()[1]) for line in rollup if line.startswith("Pss:")) * 1024
        children = []
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as listed:
                children += listed.read().split()
    except (OSError, StopIteration):
        return 0
    return own + sum(resident(child) for child in children)


def sample():
    global peak
    while not ended.wait(SAMPLE_SECONDS):
        peak = max(peak, resident(command.pid))


limit = float(sys.argv[1])
peak = 0
ended = threading.Event()
begun = time.perf_counter()
command = subprocess.Popen(
    sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", start_new_session=True
)
sampler = threading.Thread(target=sample)
sampler.start()
try:
    output, _ = command.communicate(timeout=limit)
except subprocess.TimeoutExpired:
    os.killpg(command.pid, signal.SIGKILL)
    output, _ = command.communicate()
    output += f"\nkilled after {limit:.0f} s"
seconds = time.perf_counter() - begun
ended.set()
sampler.join()
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
took = {"seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "rss": round(peak / 1e6)}
print(json.dumps({**took, "status": command.returncode, "output": output}))
