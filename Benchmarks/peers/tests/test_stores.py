"""A small run of every store that is installed, as a person would call it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EVERY = {
    "sqlite",
    "sqlite+index",
    "influxdb",
    "prometheus",
    "victoria",
    "duckdb",
    "chdb",
    "nervous",
}
ASKED = {
    "size",
    "mean",
    "mean+stddev",
    "min/max/count",
    "p99",
    "windows",
    "newest",
    "newest p50",
    "newest p99",
    "start",
    "memory",
}


class StoreTests(unittest.TestCase):
    def run_all(self, *more: str, environment: dict[str, str] | None = None) -> tuple:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "figures.json"
            arguments = [
                sys.executable,
                "-m",
                "harness",
                "--samples",
                "20000",
                "--rounds",
                "2",
                "--seconds",
                "1",
                "--json",
                str(place),
                "--folder",
                folder,
                *more,
            ]
            nervous = os.environ.get("NERVOUS")
            if nervous and "--nervous" not in more:
                arguments += ["--nervous", nervous]
            done = subprocess.run(
                arguments,
                capture_output=True,
                text=True,
                timeout=600,
                env=os.environ | (environment or {}),
            )
            document = json.loads(place.read_text()) if place.exists() else None
            self.assertEqual([path for path in Path(folder).iterdir() if path != place], [])
        self.assertEqual(list(_processes_in(folder)), [])
        return done, document

    def test_every_store_gives_the_right_answers(self) -> None:
        done, document = self.run_all()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(set(document["stores"]) | set(document["skipped"]), EVERY)
        self.assertEqual(
            [s["variant"] for s in document["sections"]], ["regular", "jitter", "axes"]
        )
        for section in document["sections"]:
            wanted = ASKED if section["variant"] == "regular" else {"size", "mean"}
            for store in document["stores"]:
                found = {
                    figure["work"]: figure
                    for figure in section["figures"]
                    if figure["peer"] == store and figure["rounds"]
                }
                self.assertEqual(wanted - set(found), set(), f"{store}, {section['variant']}")
                for figure in found.values():
                    self.assertIn(figure["verdict"].split()[0:1], (["right"], ["approximate,"], []))
                    self.assertGreater(figure["median"], 0)
        for store in document["stores"]:
            self.assertIn(store, done.stdout)

    def test_a_store_that_is_absent_is_skipped_by_name(self) -> None:
        done, document = self.run_all(
            "--peers",
            "nervous,influxdb,sqlite",
            "--variants",
            "regular",
            "--nervous",
            "/nowhere",
            environment={"PATH": "/nowhere"},
        )
        self.assertEqual(document["stores"].keys(), {"sqlite"})
        self.assertEqual(document["skipped"]["influxdb"], "influxd is not installed")
        self.assertIn("skipped nervous: /nowhere is not built", done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nothing_to_measure_is_an_error(self) -> None:
        done, _ = self.run_all("--peers", "nervous", "--nervous", "/nowhere")
        self.assertEqual(done.returncode, 2)


def _processes_in(folder: str):
    """Processes whose arguments name a folder: servers that were left behind."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if folder.encode() in words:
                yield words.replace(b"\0", b" ").decode(errors="replace")
