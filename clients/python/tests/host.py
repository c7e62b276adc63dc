"""A real host with a temporary data directory. Its program is that in NERVOUS."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Scripts"))

from browser import host as hosts  # noqa: E402


class Host(hosts.Host):
    """`nervous serve` on a free port, with the token of an owner in `token`."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="nervous-python-")
        super().__init__(Path(self.folder), hosts.program()[0])

    def __exit__(self, *_: object) -> None:
        self.close()

    def client(self, name: str, *allow: str) -> str:
        """A token of a program that may use some privileges."""
        return self.run("token", "create", name, *(f"--allow={privilege}" for privilege in allow))

    def close(self) -> None:
        """Ends the host, and removes its data."""
        self.stop()
        shutil.rmtree(self.folder)
