"""Netdata of Debian, on loopback and with files of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.request
from pathlib import Path

from harness.process import Server, free_port

PROGRAM = "/usr/sbin/netdata"
WEB = "/usr/share/netdata/web"

CONFIGURATION = """
[global]
    run as user = {user}
[directories]
    cache = {folder}/cache
    config = {folder}
    home = {folder}
    lib = {folder}/lib
    log = {folder}/log
    web = {web}
[db]
    mode = ram
[web]
    bind to = 127.0.0.1:{port}
    web files owner = root
    web files group = root
[plugins]
    apps = no
    charts.d = no
    ebpf = no
    go.d = no
    python.d = no
[health]
    enabled = no
"""


def version() -> str | None:
    """The installed version; nothing if there is none."""
    if not shutil.which(PROGRAM) or not Path(WEB).is_dir():
        return None
    said = subprocess.run([PROGRAM, "-v"], capture_output=True, text=True).stdout
    return match[1] if (match := re.search(r"v?([0-9][0-9.]*)", said)) else "of unknown version"


class Netdata:
    """A server that collects this machine once a second, with its own settings for everything else."""

    def __init__(self, folder: Path, user: str) -> None:
        for name in ("cache", "lib", "log"):
            (folder / name).mkdir(parents=True)
        port = free_port()
        file = folder / "netdata.conf"
        file.write_text(CONFIGURATION.format(folder=folder, port=port, web=WEB, user=user))
        self.origin = f"http://127.0.0.1:{port}"
        self._server = Server([PROGRAM, "-D", "-c", str(file)], {"HOME": str(folder)}, folder / "output")
        self._server.wait(self._answers)

    def __enter__(self) -> Netdata:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    def _answers(self) -> bool:
        with urllib.request.urlopen(f"{self.origin}/api/v1/info", timeout=5) as answer:
            return answer.status == 200
