"""Reads lines of JSON `{file, agent, paths}` and writes what Protego allows, a list for each line."""

import json
import sys

from protego import Protego

for line in sys.stdin:
    case = json.loads(line)
    rules = Protego.parse(case["file"])
    allowed = [rules.can_fetch("http://foo.bar" + path, case["agent"]) for path in case["paths"]]
    print(json.dumps(allowed))
