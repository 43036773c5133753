"""A second reader of access logs, by the manuals of what writes them and the standard library alone.

    read-log.py NAME < log

Prints hits by URL, status and day (UTC) as JSON: [[url, status, day, hits], ...].
"""

import collections
import datetime
import json
import re
import sys

SITE = ("https", "www.example.com")
UTC = datetime.timezone.utc
QUOTED = r'"((?:[^"\\]|\\.)*)"'
COMMON = r"\S+ \S+ \S+ \[([^\]]+)\] " + QUOTED + r" (\d{3}) (?:\d+|-)"
COMBINED = COMMON + " " + QUOTED + " " + QUOTED


def unescaped(text):
    """Undoes what Apache and nginx write for a byte."""
    return re.sub(r'\\x([0-9A-Fa-f]{2})|\\(["\\])', lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)


def octet(byte):
    return "%%%02X" % ord(byte)


def spelled(target):
    """https://url.spec.whatwg.org/#url-parsing, then RFC 3986, section 6.2.2."""
    path, mark, query = target.partition("?")
    kept = []
    parts = path.split("/")[1:]
    for index, part in enumerate(parts):
        plain = re.sub("%2e", ".", part, flags=re.I)
        if plain == "..":
            kept = kept[:-1]
        elif plain != ".":
            kept.append(part)
            continue
        if index == len(parts) - 1:
            kept.append("")
    path = re.sub(r'[\x00-\x20"<>^`{}#\x7f-\xff]', lambda m: octet(m[0]), "/" + "/".join(kept).replace("\\", "/"))
    query = re.sub(r'[\x00-\x20"#<>\'\x7f-\xff]', lambda m: octet(m[0]), query)
    text = path + mark + query

    def plain(match):
        one = chr(int(match[1], 16))
        return one if re.match(r"[A-Za-z0-9._~-]", one) else match[0].upper()

    return re.sub(r"%([0-9A-Fa-f]{2})", plain, text)


def encoded(text):
    """A path that the server has decoded."""
    path, mark, query = text.partition("?")
    return path.replace("%", "%25") + mark + query


def clf(text):
    return datetime.datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z")


def iso(text):
    text = re.sub(r"(\.\d{6})\d*", r"\1", text.replace("Z", "+00:00"))
    time = datetime.datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def epoch(seconds):
    return datetime.datetime.fromtimestamp(float(seconds), UTC)


def request(line):
    return line.split(" ")[1]


def scheme_of(port):
    return {"443": "https", "80": "http"}.get(port, SITE[0])


def by_expression(expression, take):
    pattern = re.compile(expression)

    def read(lines):
        for line in lines:
            found = pattern.match(line)
            if found:
                yield take(found)
            else:
                print("not read:", line[:200], file=sys.stderr)

    return read


def of_request(found, host=SITE[1], scheme=SITE[0]):
    time, first, status = found[1], found[2], found[3]
    return clf(time), scheme, host, unescaped(request(first)), status


def behind(prefix, expression=COMBINED):
    return by_expression(prefix + expression, of_request)


def with_host(expression):
    return by_expression(r"([\w.-]+)(?::(\d+))? " + expression, lambda m: (
        clf(m[3]), scheme_of(m[2]), m[1], unescaped(request(m[4])), m[5]))


def alb(found):
    time, status, first = found.groups()
    scheme, host, target = re.match(r"(https?)://([^/:]+)(?::\d+)?(.*)", request(first)).groups()
    return iso(time), scheme, host, unescaped(target), status


def w3c(lines):
    for line in lines:
        if line.startswith("#"):
            if line.startswith("#Fields:"):
                names = line.split()[1:]
                tabs = "x-edge-location" in names
            continue
        if tabs:
            cells = line.split("\t")
        else:
            cells = [a or b for a, b in re.findall(r'"([^"]*)"|([^ ]+)', line)]
        row = dict(zip(names, cells, strict=True))
        target, query = row["cs-uri-stem"], row["cs-uri-query"]
        if tabs:
            target, query = (re.sub(r"%([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), one) for one in (target, query))
        if query not in ("-", ""):
            target += "?" + query
        time = row["BeginRequest-UTC"] if "BeginRequest-UTC" in row else row["date"] + " " + row["time"]
        host = row.get("x-host-header") or row.get("cs-host") or row["cs(Host)"]
        scheme = row.get("cs-protocol") or scheme_of(row.get("s-port"))
        yield iso(time), scheme, host, target, row["sc-status"]


def json_lines(take):
    def read(lines):
        for line in lines:
            yield take(json.loads(line))

    return read


def cloudflare(row):
    return (iso(row["EdgeStartTimestamp"]), row["ClientRequestScheme"], row["ClientRequestHost"],
            row["ClientRequestURI"], row["EdgeResponseStatus"])


def caddy(row):
    asked = row["request"]
    return epoch(row["ts"]), "https" if "tls" in asked else "http", asked["host"], asked["uri"], row["status"]


def traefik(row):
    return iso(row["StartUTC"]), row["RequestScheme"], row["RequestHost"], row["RequestPath"], row["DownstreamStatus"]


def vercel(row):
    asked = row["proxy"]
    return epoch(asked["timestamp"] / 1000), asked["scheme"], asked["host"], asked["path"], asked["statusCode"]


def netlify(row):
    scheme, host, target = re.match(r"(https?)://([^/]+)(.*)", row["url"]).groups()
    return iso(row["timestamp"]), scheme, host, target, row["status_code"]


def mapped(row):
    return iso(row["time"]), SITE[0], row["http.host"], row["http"]["url"], row["http"]["status_code"]


def message(key):
    inner = behind("")
    return lambda lines: inner(json.loads(line)[key].rstrip("\n") for line in lines)


def cri(lines):
    """Records whose mark is P go on in the next one."""
    def whole():
        text = ""
        for line in lines:
            _, _, mark, rest = line.split(" ", 3)
            text += rest
            if mark == "F":
                yield text
                text = ""

    return behind("")(whole())


READERS = {
    "combined of nginx": behind(""),
    "combined of Apache": behind(""),
    "combined with offsets": behind(""),
    "common": behind("", COMMON),
    "vhost_combined": with_host(COMBINED),
    "vhost_more": with_host(COMBINED),
    "host_combined": with_host(COMBINED),
    "host_common": with_host(COMMON),
    "nginx_forwarded": behind(""),
    "common of Traefik": behind(""),
    "alb": by_expression(r"\S+ (\S+) \S+ \S+ \S+ \S+ \S+ \S+ (\d{3}) \S+ \S+ \S+ " + QUOTED, alb),
    "W3C of IIS": w3c,
    "Advanced Logging of IIS": w3c,
    "CloudFront": w3c,
    "cloudflare": json_lines(cloudflare),
    "cloudflare as an array": lambda lines: (cloudflare(row) for row in json.loads("\n".join(lines))),
    "caddy": json_lines(caddy),
    "traefik": json_lines(traefik),
    "vercel": json_lines(vercel),
    "netlify": json_lines(netlify),
    "json by a map": json_lines(mapped),
    "syslog of RFC 3164": behind(r"\w{3} [ \d]\d [\d:]{8} \S+ nginx: "),
    "syslog of RFC 5424": behind(r"<\d+>1 \S+ \S+ nginx \S+ - - "),
    "docker": message("log"),
    "cri in parts": cri,
    "journald": message("MESSAGE"),
    "compose": behind(r"[\w-]+ +\| "),
    "timestamp": behind(r"\S+Z "),
    "nginx with a time of ISO 8601": by_expression(
        r"\S+ \[([^\]]+)\] " + QUOTED + r" (\d{3}) ", lambda m: (iso(m[1]), *SITE, unescaped(request(m[2])), m[3])),
    "nginx with bars": by_expression(
        r"([\d.]+)\|([^|]+)\|[A-Z]+\|([^|]*)\|(\d{3})$", lambda m: (epoch(m[1]), SITE[0], m[2], unescaped(m[3]), m[4])),
    "Apache with strftime": by_expression(
        r'\S+ "([^"]+)" ' + QUOTED + r" (\d{3}) ", lambda m: (iso(m[1]), *SITE, unescaped(request(m[2])), m[3])),
    "Apache in parts": by_expression(
        r"([\w.-]+):(\d+) (\S+)\.\d{3} [A-Z]+ " + QUOTED + r" (\d{3}) ", lambda m: (
            clf(m[3] + " +0000"), scheme_of(m[2]), m[1], encoded(unescaped(m[4])), m[5])),
}


def main():
    lines = sys.stdin.buffer.read().decode("latin1").split("\n")
    lines = [line for line in lines if line != ""]
    hits = collections.Counter()
    for time, scheme, host, target, status in READERS[sys.argv[1]](lines):
        day = time.astimezone(UTC).strftime("%Y-%m-%d")
        hits[(scheme + "://" + host + spelled(target), int(status), day)] += 1
    json.dump([[*key, count] for key, count in hits.items()], sys.stdout)


main()
