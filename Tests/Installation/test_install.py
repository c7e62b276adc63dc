"""Copying into a prefix and deleting again, without a build."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from places import PROGRAMS, ROOT

PREFIXES = [
    "plain", "with space", "dollar$HOME", "${HOME}", "$(id)", "`id`", "per%cent%h", "hash#", "*", "~",
    "semicolon; pipe| and & more", "comma,colon:", "ümläut", "-rf", "@PREFIX@",
]
# Systemd starts no program whose path contains one of these characters.
WITHOUT_SERVICE = ["the owner's", 'a "quoted" word', "back\\slash\\n"]
SERVICE = "share/systemd/user/nervous.service"
FILES = {
    SERVICE,
    "bin/nervous", "libexec/nervous/nervous-runner", "libexec/nervous/nervous-unpacker",
    "libexec/nervous/document.js", "libexec/nervous/modules.js",
    "share/doc/nervous/LICENSE", "share/doc/nervous/THIRD-PARTY-NOTICES",
    "share/doc/nervous/nervous.spdx.json",
}


class InstallationTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "prefixes")
        self.folder.mkdir()
        self.build = pathlib.Path(folder.name, 'the builder\'s "folder" $HOME')
        (self.build / "nervous_Host.resources").mkdir(parents=True)
        (self.build / "doc").mkdir()
        for name in [
            *PROGRAMS, "nervous_Host.resources/document.js", "nervous_Host.resources/modules.js",
            "doc/nervous.spdx.json", "doc/THIRD-PARTY-NOTICES",
        ]:
            # Systemd checks that the program of a unit can be executed.
            shutil.copy("/bin/true", self.build / name)

    def make(self, *words, prefix=None, **variables):
        """Runs make with nothing that could build."""
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.folder), "SWIFT": "/bin/false",
            "BUILD_FOLDER": str(self.build), "LC_ALL": "C.UTF-8", **variables}
        if prefix is not None:
            environment["PREFIX"] = str(prefix)
        return subprocess.run(
            ["make", "--no-print-directory", *words], cwd=ROOT, env=environment, capture_output=True,
            text=True)

    def installed(self, folder):
        return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}

    def unit_program(self, folder):
        """The program in the unit, as systemd reads it."""
        words = re.findall(
            r'^Exec(?:Start|Reload)="([^"\\]*)" (?:serve|reload)$', (folder / SERVICE).read_text(),
            re.MULTILINE)
        self.assertEqual(len(words), 2)
        self.assertEqual(len(set(words)), 1)
        return words[0].replace("%%", "%")

    def test_any_prefix_gets_all_files_and_is_named_in_the_unit(self):
        for name in PREFIXES + WITHOUT_SERVICE:
            with self.subTest(name):
                prefix = self.folder / name
                call = self.make("install-files", prefix=prefix)
                self.assertEqual(call.returncode, 0, call.stderr)
                if name in WITHOUT_SERVICE:
                    self.assertIn("no service is installed", call.stderr)
                    self.assertEqual(self.installed(prefix), FILES - {SERVICE})
                else:
                    self.assertEqual(call.stderr, "")
                    self.assertEqual(self.installed(prefix), FILES)
                    self.assertEqual(self.unit_program(prefix), f"{prefix}/bin/nervous")
                for file in self.installed(prefix):
                    mode = (prefix / file).stat().st_mode & 0o777
                    is_program = pathlib.Path(file).name in PROGRAMS
                    self.assertEqual(mode, 0o755 if is_program else 0o644, file)
        # Nothing outside of them.
        self.assertEqual({path.name for path in self.folder.iterdir()}, {*PREFIXES, *WITHOUT_SERVICE})

    @unittest.skipUnless(shutil.which("systemd-analyze"), "needs systemd-analyze")
    def test_systemd_finds_the_program_of_the_unit(self):
        # The path of a unit has fewer possible characters than that of a program.
        unit = self.folder / "unit/nervous.service"
        unit.parent.mkdir()
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder)}
        for name in PREFIXES:
            with self.subTest(name):
                prefix = self.folder / name
                self.assertEqual(self.make("install-files", prefix=prefix).returncode, 0)
                shutil.copy(prefix / SERVICE, unit)
                for is_there in (True, False):
                    call = subprocess.run(
                        ["systemd-analyze", "verify", "--user", unit], env=environment,
                        capture_output=True, text=True)
                    self.assertEqual("nervous.service" not in call.stderr, is_there, call.stderr)
                    self.assertEqual(call.returncode == 0, is_there, call.stderr)
                    (prefix / "bin/nervous").unlink(missing_ok=True)

    def test_a_prefix_on_the_command_line_follows_the_rules_of_make(self):
        prefix = self.folder / "costs $HOME"
        word = "PREFIX=" + str(prefix).replace("$", "$$")
        call = self.make("install-files", word)
        self.assertEqual((call.returncode, call.stderr), (0, ""))
        self.assertEqual(self.installed(prefix), FILES)
        self.assertEqual(self.make("uninstall", word).returncode, 0)
        self.assertEqual(self.installed(prefix), set())

    def test_the_default_is_below_the_home_folder(self):
        self.assertEqual(self.make("install-files").returncode, 0)
        self.assertEqual(self.installed(self.folder / ".local"), FILES)

    def test_a_relative_prefix_is_named_completely_in_the_unit(self):
        prefix = self.folder / "prefix"
        call = self.make("install-files", prefix=os.path.relpath(prefix, ROOT) + "/")
        self.assertEqual((call.returncode, call.stderr), (0, ""))
        self.assertEqual(self.unit_program(prefix), f"{prefix}/bin/nervous")

    def test_a_folder_for_a_package_is_not_named_in_the_unit(self):
        for name in ["package", "the packager's $folder"]:
            with self.subTest(name):
                folder = self.folder / name
                call = self.make("install-files", prefix="/opt/costs $1", DESTDIR=str(folder))
                self.assertEqual((call.returncode, call.stderr), (0, ""))
                self.assertEqual(self.installed(folder), {f"opt/costs $1/{file}" for file in FILES})
                self.assertEqual(
                    self.unit_program(folder / "opt/costs $1"), "/opt/costs $1/bin/nervous")
        self.assertFalse(pathlib.Path("/opt/costs $1").exists())

    def test_uninstalling_deletes_what_was_installed_and_nothing_else(self):
        prefix = self.folder / "owner's or not"
        self.assertEqual(self.make("install-files", prefix=prefix).returncode, 0)
        others = {"bin/other", "share/doc/nervous/notes", "share/systemd/user/other.service"}
        for file in others:
            (prefix / file).parent.mkdir(parents=True, exist_ok=True)
            (prefix / file).write_text("other")
        self.assertEqual(self.make("uninstall", prefix=prefix).returncode, 0)
        self.assertEqual(self.installed(prefix), others)
        self.assertFalse((prefix / "libexec/nervous").exists())
        # Also if there is nothing left, or there was nothing.
        for folder in [prefix, self.folder / "never"]:
            call = self.make("uninstall", prefix=folder)
            self.assertEqual((call.returncode, call.stderr), (0, ""))

    def test_a_script_that_was_not_built_does_not_stay_from_an_earlier_installation(self):
        prefix = self.folder / "prefix"
        self.assertEqual(self.make("install-files", prefix=prefix).returncode, 0)
        (self.build / "nervous_Host.resources/modules.js").unlink()
        self.assertEqual(self.make("install-files", prefix=prefix).returncode, 0)
        self.assertEqual(self.installed(prefix), FILES - {"libexec/nervous/modules.js"})

    def test_programs_are_not_installed_without_their_list(self):
        (self.build / "doc/nervous.spdx.json").unlink()
        call = self.make("install-files", prefix=self.folder / "prefix")
        self.assertNotEqual(call.returncode, 0)
        self.assertIn("nervous.spdx.json", call.stderr)

    def test_a_line_break_in_a_prefix_is_refused(self):
        call = self.make("install-files", prefix=self.folder / "two\nlines")
        self.assertNotEqual(call.returncode, 0)
        self.assertIn("line break", call.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
