"""A site behind NTLM, whose server is pyspnego. Prints its port, then one line a request: connection, path, the name that it is signed in by."""

import base64
import http.server
import sys

import spnego

PAGES = {
    "/": '<title>{user}</title><a href="/a">a</a><a href="/b">b</a><a href="/close">c</a><a href="/away">d</a>',
    "/a": "<title>{user}</title>",
    "/b": "<title>{user}</title>",
    "/close": "<title>{user}</title>",
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.context = None
        self.user = None

    def log_message(self, *words):
        pass

    def answer(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        print(self.client_address[1], self.path, status, self.user, flush=True)

    def do_GET(self):
        if self.user is None and not self.signs_in():
            return
        if self.path == "/away":
            self.answer(302, [("Location", sys.argv[1])])
        elif self.path in PAGES:
            closing = [("Connection", "close")] if self.path == "/close" else []
            page = PAGES[self.path].format(user=self.user).encode()
            self.answer(200, [("Content-Type", "text/html"), *closing], page)
        else:
            self.answer(404)

    def signs_in(self):
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        if kind != "NTLM":
            self.answer(401, [("WWW-Authenticate", "Negotiate"), ("WWW-Authenticate", "NTLM")], b"x" * 3000)
            return False
        if self.context is None:
            self.context = spnego.server(protocol="ntlm", options=spnego.NegotiateOptions.use_ntlm)
        try:
            reply = self.context.step(base64.b64decode(token))
        except spnego.exceptions.SpnegoError:
            self.context = None
            self.answer(401, [("WWW-Authenticate", "NTLM")])
            return False
        if self.context.complete:
            self.user = self.context.client_principal
            return True
        self.answer(401, [("WWW-Authenticate", "NTLM " + base64.b64encode(reply).decode())])
        return False


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
