"""A page that only draws a line: what the browser takes by itself."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>A line</title>
<canvas></canvas>
<script>
  const context = document.querySelector("canvas").getContext("2d");
  context.beginPath();
  for (let x = 0; x < 60; x++) context.lineTo(5 * x, x % 2 * 50);
  context.stroke();
</script>
</html>
"""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        is_page = self.path == "/"
        body = PAGE if is_page else b""
        self.send_response(200 if is_page else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class BarePage:
    """A server of the page on loopback."""

    def __enter__(self) -> BarePage:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
