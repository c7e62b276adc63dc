"""The life of the package: installed, used by somebody, removed."""

import os
import pathlib
import re
import subprocess
import time
import unittest

from system import CHROOTS, MIRROR, ROOT, System, Terminal, archive

# The oldest and the newest release that it is for.
SUITES = ["bookworm", "trixie"]
MIB = 1024 * 1024


def package():
    if given := os.environ.get("PACKAGE"):
        return pathlib.Path(given).resolve()
    made = sorted((ROOT / ".build/packages").glob("*.deb"), key=lambda file: file.stat().st_mtime)
    assert made, "there is no package: run make deb"
    return made[-1]


class LifeTests(unittest.TestCase):
    def setUp(self):
        self.package = package()

    def test_it_is_installed_used_and_purged(self):
        for suite in SUITES:
            with self.subTest(suite):
                system = System(suite)
                try:
                    self.live(system)
                finally:
                    system.remove()

    def live(self, system):
        before = system.files()
        start = time.monotonic()
        system.install(self.package)
        self.first_prompt_of_a_user(system, start)
        self.demo(system)
        self.doctor(system)
        self.libraries(system)
        # As an update does.
        system.run("dpkg", "--install", f"/var/tmp/{self.package.name}")
        state = system.folder / "var/lib/nervous"
        state.mkdir()
        purged = system.run("apt-get", "purge", "-qq", "nervous")
        data = f"home/{system.user}/.local/share/nervous"
        for kept in [data, "var/lib/nervous"]:
            self.assertIn(f"Kept: /{kept}, ", purged)
        state.rmdir()
        left = {path for path in system.files() - before if "nervous" in path}
        own = {path for path in left if path.startswith(f"home/{system.user}/")}
        self.assertIn(data, own)
        # The file that was installed, what dpkg knows of every package that it has seen, and a control socket.
        expected = ("var/tmp/", "var/lib/dpkg/", "tmp/")
        self.assertEqual({path for path in left - own if not path.startswith(expected)}, set())

    def first_prompt_of_a_user(self, system, start):
        # No network: nothing is needed from elsewhere.
        terminal = Terminal(system.command(
            ["nervous", "run", "/usr/share/nervous/jsapps/hello-sensors"], system.user, "none"))
        terminal.read_until(r"\n[\w/?]+> $")
        seconds = time.monotonic() - start
        print(f"{system.folder.name}: from apt to the first prompt {seconds:.0f} s", flush=True)
        self.assertLess(seconds, 60)
        self.allow(terminal, 3)
        terminal.read_until(r"% busy")
        self.assertEqual(terminal.end(), 0, terminal.text)

    def demo(self, system):
        terminal = Terminal(system.command(["nervous", "demo", "--no-serve"], system.user, "none"))
        terminal.read_until(r"\n[\w/?]+> $")
        self.allow(terminal, 3)
        terminal.read_until(r"% busy")
        self.assertEqual(terminal.end(120), 0, terminal.text)

    def allow(self, terminal, count):
        """Answers questions, the first of which is open."""
        for number in range(1, count + 1):
            # What is typed before a question can be read is dropped.
            time.sleep(1)
            terminal.type("a")
            if number < count:
                terminal.read_until(rf"\({number + 1} of {count}\)[^>]*\n[\w/?]+> $")

    def doctor(self, system):
        text = system.run("nervous", "doctor", user=system.user)
        self.assertIn("All checks passed.", text)
        blocked, tried = re.search(r"(\d+) of (\d+) escape attempts are blocked", text).groups()
        self.assertEqual(blocked, tried)
        for name in ["jquery", "leaflet", "chart.js"]:
            self.assertRegex(text, rf"ok +libraries +{re.escape(name)},")
        # And for the person's own data, which exist now.
        self.assertRegex(text, r"ok +data +\S+/.local/share/nervous is accessible only to you")

    def libraries(self, system):
        self.assertFalse((system.folder / "opt/swift").exists())
        for program in ["bin/nervous", "libexec/nervous/nervous-runner", "libexec/nervous/nervous-unpacker"]:
            text = system.run("ldd", f"/usr/{program}")
            self.assertNotIn("not found", text)
            for path in re.findall(r"libswift\S+ => (\S+)", text):
                self.assertEqual(os.path.normpath(path).rpartition("/")[0], "/usr/lib/nervous")


class FileTests(unittest.TestCase):
    def test_it_can_be_downloaded_in_a_minute(self):
        self.assertLess(package().stat().st_size, 30 * MIB)

    def test_nothing_names_the_folder_of_the_build(self):
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", package()], check=True, capture_output=True)
        self.assertNotIn(f"{ROOT}/".encode(), data.stdout)

    def test_piuparts_finds_nothing(self):
        for suite in SUITES:
            with self.subTest(suite):
                call = subprocess.run(
                    # With mounts of its own, so that none is left.
                    ["unshare", "--mount", "--propagation", "private", "piuparts", "--no-eatmydata",
                     "--distribution", suite, "--basetgz", archive(suite), "--mirror", f"{MIRROR} main",
                     # Of debconf, which this version of piuparts is too old to know.
                     "--ignore-regex", "/var/cache/debconf/tmp.ci.*", "--tmpdir", CHROOTS, package()], capture_output=True, text=True)
                self.assertEqual(call.returncode, 0, call.stdout[-4000:])

    def test_lintian_finds_nothing(self):
        call = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error,warning", package()], capture_output=True, text=True)
        self.assertEqual((call.returncode, call.stdout), (0, ""), call.stderr)


if __name__ == "__main__":
    unittest.main()
