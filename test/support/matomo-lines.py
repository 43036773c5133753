"""What Matomo's log importer makes of each line of a log, as JSON: matomo-lines.py FOLDER LOG."""

import json
import sys

sys.path.insert(0, sys.argv[1])
import import_logs  # noqa: E402


class Options:
    def __getattr__(self, _name):
        return None


class Config:
    options = Options()


import_logs.config = Config()
lines = []
with open(sys.argv[2], encoding="latin-1") as log:
    form = import_logs.Parser.detect_format(log)
    if form is not None:
        log.seek(0)
        for number, line in enumerate(log, 1):
            try:
                if form.match(line):
                    lines.append({"line": number, **form.get_all()})
            except Exception as problem:  # What it can't read is no fact.
                print(problem, file=sys.stderr)
print(json.dumps({"format": form and form.name, "lines": lines}, default=str))
