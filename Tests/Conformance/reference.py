"""Runs test files in Chromium, from the same pages as in a headless run."""

import functools
import http.server
import pathlib
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Scripts"))

from browser import chromium  # noqa: E402

# A file that takes longer is ended, as in a headless run.
SECONDS = 60
# Tabs in the background must not be slower than a run.
FLAGS = ["--disable-background-timer-throttling", "--disable-renderer-backgrounding",
         "--disable-backgrounding-occluded-windows"]
# `harness.js` calls this with the lines that it prints. It comes before every other script of the page, so it has
# the functions as they are before a test replaces them. Suites close the page at their end, which would cut off the report.
REPORT = """
{
    const { fetch } = globalThis;
    globalThis.close = () => {};
    globalThis.conformanceEnded = (lines) => { fetch("/conformance-report", { method: "POST", body: lines.join("\\n") }); };
}
"""
TAG = b'<script src="/conformance-reference.js"></script>'


class Browser:
    """A Chromium that loads each file in a tab of its own. Same methods as the host of headless runs."""

    def __init__(self, folder, _programs):
        if not chromium.is_installed():
            sys.exit("conformance: Chromium is missing; install the package chromium")
        self.folder = folder
        self.chromium = chromium.Chromium(pathlib.Path(folder, "profile"), FLAGS)
        # One thread at a time may speak to it.
        self.lock = threading.Lock()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.chromium.close()

    def run(self, folder, _privileges):
        """Loads the page of a folder; returns 0 and the lines of its report, or -1 and what went wrong."""
        with Site(folder) as site:
            tab = self.call("createTarget", url=site.address)["targetId"]
            try:
                lines = site.report(SECONDS)
            finally:
                self.call("closeTarget", targetId=tab)
        return (0, lines) if lines is not None else (-1, f"error: no end after {SECONDS} seconds")

    def call(self, command, **parameters):
        with self.lock:
            return self.chromium.call(f"Target.{command}", **parameters)


class Site:
    """An origin with the files of an app, for as long as its page runs."""

    def __init__(self, folder):
        self.lines, self.ended = None, threading.Event()
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, self, directory=str(folder)))
        self.server.daemon_threads = True
        # Browsers regard the loopback interface as secure, which Web Cryptography needs.
        self.address = f"http://127.0.0.1:{self.server.server_port}/app.html"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def report(self, seconds):
        self.ended.wait(seconds)
        return self.lines


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the files, and receives the report."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript", ".mjs": "text/javascript"}

    def __init__(self, site, *rest, **named):
        self.site = site
        super().__init__(*rest, **named)

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/conformance-reference.js":
            return self.answer(REPORT.encode(), "text/javascript")
        if path == "/app.html":
            page = pathlib.Path(self.directory, "app.html").read_bytes()
            start = page.lower().find(b"<script")
            # A page without scripts is that of `app.js`.
            page = page[:start] + TAG + page[start:] if start >= 0 else page + TAG + b'<script src="/app.js"></script>'
            return self.answer(page, "text/html")
        return super().do_GET()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.answer(b"", "text/plain")
        if self.path == "/conformance-report":
            self.site.lines = body
            self.site.ended.set()

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
