"""Runs a command and prints what it and its children took, as one JSON document: `measure.py SECONDS COMMAND...`."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

# A sample of a browser's processes takes 20 ms.
SAMPLE_SECONDS = float(os.environ.get("SAMPLE_SECONDS", "0.05"))
TICKS = os.sysconf("SC_CLK_TCK")


def resident(pid):
    """Bytes of a process and its children; what two of them share counts once. Notes their processor time."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as rollup:
            own = next(int(line.split()[1]) for line in rollup if line.startswith("Pss:")) * 1024
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rpartition(") ")[2].split()
        used[pid, fields[19]] = (int(fields[11]) + int(fields[12])) / TICKS
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
used = {}
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
# The first lacks what a child of a child left to nobody, as a browser does; the second what came after the last sample.
cpu = max(usage.ru_utime + usage.ru_stime, sum(used.values()))
took = {"seconds": seconds, "cpu": cpu, "rss": round(peak / 1e6)}
print(json.dumps({**took, "status": command.returncode, "output": output}))
