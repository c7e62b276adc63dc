"""A host under Valgrind, whose instructions are counted between two moments."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from browser.host import Host, HostFailed

HERE = Path(__file__).resolve().parent
PROGRAMS = ("nervous", "nervous-runner", "nervous-unpacker")


class CountedHost(Host):
    """`nervous serve` under Callgrind, with every sensor of the machine off.

    All threads of the host are counted, but not the processes of apps: their engine compiles code according to the
    time that passes.
    """

    def __init__(self, folder: Path, nervous: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._place = folder
        self._shim = folder / "shim.so"
        _done("clang", "-shared", "-fPIC", "-O2", "-o", self._shim, HERE / "shim.c")
        super().__init__(folder, self._stripped(nervous, folder / "programs"))
        for kind in sorted({item["id"].partition(".")[0] for item in self.call("GET", "/sensors")["items"]}):
            self.run("sensors", "set", kind, "off")

    @staticmethod
    def _stripped(nervous: Path, folder: Path) -> Path:
        """Copies the programs without debug information, which Valgrind cannot read."""
        folder.mkdir()
        for name in PROGRAMS:
            _done("strip", "--strip-debug", "-o", folder / name, nervous.parent / name)
        for resources in nervous.resolve().parent.glob("*.resources"):
            shutil.copytree(resources, folder / resources.name)
        return folder / "nervous"

    @property
    def serving(self) -> tuple[list[str | Path], dict[str, str]]:
        valgrind: list[str | Path] = [
            "valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={self._place}/counts"]
        arguments, environment = super().serving
        return valgrind + arguments, environment | {"LD_PRELOAD": str(self._shim)}

    def counted(self, work: Callable[[], object]) -> int:
        """How many instructions the host takes while `work` is done."""
        self.zero()
        work()
        return self.count()

    def zero(self) -> None:
        """Begins to count."""
        _done("vgdb", f"--pid={self.pid}", "zero")

    def count(self) -> int:
        """The instructions since `zero`."""
        before = set(self._place.glob("counts.*"))
        _done("vgdb", f"--pid={self.pid}", "dump")
        files = set(self._place.glob("counts.*")) - before
        counts = [
            int(count) for file in files
            for count in re.findall(r"^summary: (\d+)", file.read_text(), re.MULTILINE)]
        for file in files:
            file.unlink()
        if len(counts) != 1:
            raise HostFailed(f"Callgrind has written {len(counts)} counts instead of one")
        return counts[0]


def _done(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise HostFailed(f"{command[0]}: {(done.stderr or done.stdout).strip()}")
