"""The systemd units: what they allow, and the exceptions that docs/service.md shows."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from places import ROOT

# The most exposure that `systemd-analyze security` may find, of 10.
EXPOSURE = {"nervous.service": 4.0, "nervous-system.service": 2.0}
EXAMPLE = re.compile(r"^```ini (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = EXAMPLE.findall((ROOT / "docs/service.md").read_text())


@unittest.skipUnless(shutil.which("systemd-analyze"), "needs systemd-analyze")
class UnitTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        shutil.copy("/bin/true", self.folder / "bin/nervous")

    def analyze(self, unit, *words):
        words = [*words, "--user"] if unit == "nervous.service" else words
        return subprocess.run(
            ["systemd-analyze", "--no-pager", *words, self.folder / unit], capture_output=True, text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder)})

    def write(self, unit, change=lambda text: text, **exceptions):
        """Writes a unit as it is installed, with the files of its folder for exceptions."""
        text = (ROOT / "Scripts" / unit).read_text().replace("@PREFIX@", str(self.folder))
        (self.folder / unit).write_text(change(text))
        others = self.folder / f"{unit}.d"
        shutil.rmtree(others, ignore_errors=True)
        others.mkdir()
        for name, lines in exceptions.items():
            (others / f"{name}.conf").write_text(lines)

    def exposure(self, unit):
        call = self.analyze(unit, "security", "--offline=true")
        return float(re.search(r"Overall exposure level for .*: ([0-9.]+)", call.stdout)[1])

    def test_systemd_knows_all_settings(self):
        for unit in EXPOSURE:
            with self.subTest(unit):
                self.write(unit)
                call = self.analyze(unit, "verify")
                self.assertEqual((call.returncode, call.stderr), (0, ""))
                self.write(unit, lambda text: text.replace("ProtectClock=", "ProtectClocks="))
                self.assertIn("ProtectClocks", self.analyze(unit, "verify").stderr)

    def test_the_exposure_is_within_its_limit(self):
        for unit, limit in EXPOSURE.items():
            with self.subTest(unit):
                self.write(unit)
                self.assertLessEqual(self.exposure(unit), limit)
                self.write(unit, lambda text: text.replace("CapabilityBoundingSet=\n", ""))
                self.assertGreater(self.exposure(unit), limit)

    def test_the_documentation_names_the_exposure(self):
        words = (ROOT / "docs/service.md").read_text()
        for unit in EXPOSURE:
            self.write(unit)
            self.assertIn(f" unit {self.exposure(unit)}", words.replace("\n", " "))

    def test_systemd_knows_the_settings_of_the_examples(self):
        self.assertGreaterEqual(len(EXAMPLES), 8)
        self.assertEqual({unit for unit, _ in EXAMPLES}, set(EXPOSURE))
        for unit, lines in [*EXAMPLES, (EXAMPLES[0][0], "[Service]\nPrivateUser=no\n")]:
            with self.subTest(lines):
                self.write(unit, example=lines)
                call = self.analyze(unit, "verify")
                is_wrong = "PrivateUser=" in lines
                self.assertEqual("PrivateUser" in call.stderr, is_wrong, call.stderr)
                if not is_wrong:
                    self.assertEqual((call.returncode, call.stderr), (0, ""))

    def test_the_host_may_make_the_calls_that_confine_apps(self):
        source = (ROOT / "Sources/System/CSandbox").glob("*.c")
        calls = set(re.findall(r"SYS_(landlock_\w+|seccomp|capset)\b", "".join(
            file.read_text() for file in source)))
        self.assertIn("landlock_restrict_self", calls)
        for unit in EXPOSURE:
            text = (ROOT / "Scripts" / unit).read_text()
            allowed = set(re.findall(r"^SystemCallFilter=([^~\n]*)$", text, re.MULTILINE))
            names = {name for line in allowed for name in line.split()}
            usual = subprocess.run(
                ["systemd-analyze", "syscall-filter", "@system-service"], capture_output=True,
                text=True).stdout.split()
            self.assertEqual(calls - names - set(usual), set())

    def test_both_units_confine_alike(self):
        def settings(unit):
            text = (ROOT / "Scripts" / unit).read_text()
            return set(re.findall(r"^((?:SystemCall|Restrict|Memory|Lock|NoNew)\w+=.*)$", text, re.MULTILINE))

        self.assertEqual(settings("nervous.service"), settings("nervous-system.service"))


if __name__ == "__main__":
    unittest.main()
