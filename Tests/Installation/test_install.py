"""Copying into a prefix and deleting again, without a build."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from places import MANUALS, ROOT, installable_build, patchelf

PREFIXES = [
    "plain", "with space", "dollar$HOME", "${HOME}", "$(id)", "`id`", "per%cent%h", "hash#", "*", "~",
    "semicolon; pipe| and & more", "comma,colon:", "ümläut", "-rf", "@PREFIX@",
]
# Systemd starts no program whose path contains one of these characters.
WITHOUT_SERVICE = ["the owner's", 'a "quoted" word', "back\\slash\\n"]
SERVICE = "share/systemd/user/nervous.service"
ENTRY = "share/applications/nervous.desktop"


def files_of(folder, *omitted):
    """The paths of all files in a folder of the source, without those of some folders in it."""
    return {
        path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.relative_to(ROOT / folder).parts[0] not in omitted}


SERVICES = {
    f"lib/systemd/system/{unit.name}" if unit.stem.endswith("-system") else f"share/systemd/user/{unit.name}"
    for unit in (ROOT / "Scripts").glob("*.service")}
INTEGRATION = {*SERVICES, ENTRY}
INSTALLED_PROGRAMS = {
    "bin/nervous", "libexec/nervous/nervous-runner", "libexec/nervous/nervous-unpacker"}
FILES = {
    *INTEGRATION, "share/icons/hicolor/scalable/apps/nervous.svg", *MANUALS.values(), *INSTALLED_PROGRAMS,
    "libexec/nervous/document.js", "libexec/nervous/modules.js", "libexec/nervous/encodings.js",
    "share/doc/nervous/CHANGELOG.md", "share/doc/nervous/LICENSE", "share/doc/nervous/README.md",
    "share/doc/nervous/THIRD-PARTY-NOTICES", "share/doc/nervous/nervous.spdx.json",
    "share/nervous/installed-files",
    *(f"share/doc/nervous/docs/{path}" for path in files_of("docs", "man")),
    *(f"share/nervous/jsapps/{path}" for path in files_of("jsapps")),
    *(f"share/nervous/sensorpacks/{path}" for path in files_of("sensorpacks")),
}


class InstallationTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "prefixes")
        self.folder.mkdir()
        self.build = installable_build(pathlib.Path(folder.name, 'the builder\'s "folder" $HOME'))

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
                    self.assertIn("no service and no desktop entry are installed", call.stderr)
                    self.assertEqual(self.installed(prefix), FILES - INTEGRATION)
                elif "%" in name:
                    self.assertIn("no desktop entry is installed", call.stderr)
                    self.assertEqual(self.installed(prefix), FILES - {ENTRY})
                else:
                    self.assertEqual(call.stderr, "")
                    self.assertEqual(self.installed(prefix), FILES)
                if name not in WITHOUT_SERVICE:
                    self.assertEqual(self.unit_program(prefix), f"{prefix}/bin/nervous")
                for file in self.installed(prefix):
                    mode = (prefix / file).stat().st_mode & 0o777
                    self.assertEqual(mode, 0o755 if file in INSTALLED_PROGRAMS else 0o644, file)
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

    @unittest.skipUnless(shutil.which("gio"), "needs gio")
    def test_a_desktop_starts_the_program_of_the_entry(self):
        for name in PREFIXES:
            if "%" in name:
                continue
            with self.subTest(name):
                prefix = self.folder / name
                self.assertEqual(self.make("install-files", prefix=prefix).returncode, 0)
                (prefix / "bin/nervous").write_text(
                    '#!/bin/sh\nprintf "%s\\n" "$0" "$@" > "$MARK.new" && mv "$MARK.new" "$MARK"\n')
                mark = self.folder / "mark"
                call = subprocess.run(
                    ["gio", "launch", prefix / ENTRY], env={**os.environ, "MARK": str(mark)},
                    capture_output=True, text=True)
                self.assertEqual((call.returncode, call.stderr), (0, ""))
                # It does not wait for the program.
                for _ in range(3000):
                    if mark.exists():
                        break
                    time.sleep(0.01)
                self.assertEqual(mark.read_text(), f"{prefix}/bin/nervous\nopen\n--start\n")
                mark.unlink()

    @unittest.skipUnless(shutil.which("desktop-file-validate"), "needs desktop-file-validate")
    def test_the_desktop_entry_is_valid(self):
        prefix = self.folder / "plain"
        self.assertEqual(self.make("install-files", prefix=prefix).returncode, 0)
        call = subprocess.run(
            ["desktop-file-validate", "--warn-kde", prefix / ENTRY], capture_output=True, text=True)
        self.assertEqual((call.returncode, call.stdout, call.stderr), (0, "", ""))

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
        others = {
            "bin/other", "share/doc/nervous/notes", "share/systemd/user/other.service",
            "share/nervous/jsapps/mine/app.js"}
        for file in others:
            (prefix / file).parent.mkdir(parents=True, exist_ok=True)
            (prefix / file).write_text("other")
        self.assertEqual(self.make("uninstall", prefix=prefix).returncode, 0)
        self.assertEqual(self.installed(prefix), others)
        for folder in ["libexec/nervous", "share/nervous/jsapps/hello-sensors", "share/doc/nervous/docs"]:
            self.assertFalse((prefix / folder).exists(), folder)
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

    def test_the_list_of_installed_files_deletes_nothing_outside_of_the_prefix(self):
        prefix, other = self.folder / "prefix", self.folder / "other"
        self.assertEqual(self.make("install-files", prefix=prefix).returncode, 0)
        other.write_text("other")
        for name in ["../other", str(other), "bin/../../other"]:
            (prefix / "share/nervous/installed-files").write_text(name + "\n")
            self.assertEqual(self.make("uninstall", prefix=prefix).returncode, 0)
        self.assertTrue(other.exists())

    def test_everybody_can_read_what_is_installed_whatever_the_mask_of_the_builder_is(self):
        prefix = self.folder / "new/prefix"
        before = os.umask(0o077)
        try:
            self.assertEqual(self.make("install-files", prefix=prefix).returncode, 0)
        finally:
            os.umask(before)
        for path in [prefix, *prefix.rglob("*")]:
            is_open = path.is_dir() or str(path.relative_to(prefix)) in INSTALLED_PROGRAMS
            self.assertEqual(path.stat().st_mode & 0o777, 0o755 if is_open else 0o644, path)

    def test_what_the_build_lacks_is_an_error_that_names_it(self):
        for name in ["doc/nervous.spdx.json", "manuals/man1", "nervous-unpacker"]:
            with self.subTest(name):
                moved = self.folder / "moved"
                (self.build / name).rename(moved)
                call = self.make("install-files", prefix=self.folder / "prefix")
                self.assertNotEqual(call.returncode, 0)
                self.assertIn(name, call.stderr)
                self.assertNotIn("Traceback", call.stderr)
                moved.rename(self.build / name)

    def test_stripped_programs_keep_their_protection_and_have_an_identifier_of_their_content(self):
        # As if it were built elsewhere: the linker's identifier differs.
        other = bytearray((self.build / "nervous-runner").read_bytes())
        place = other.index(b"GNU\0", other.index(b"\x14\0\0\0\x03\0\0\0GNU\0")) + 4
        other[place] ^= 0xFF
        (self.build / "nervous-unpacker").write_bytes(other)
        prefix = self.folder / "prefix"
        self.assertEqual(self.make("install-files", prefix=prefix).returncode, 0)
        first, second = (prefix / f"libexec/nervous/{name}" for name in ["nervous-runner", "nervous-unpacker"])
        self.assertEqual(first.read_bytes(), second.read_bytes())
        text = subprocess.run(
            ["readelf", "--wide", "--notes", "--program-headers", "--symbols", first], check=True,
            capture_output=True, text=True).stdout
        self.assertIn("GNU_RELRO", text)
        self.assertNotIn(".symtab", text)
        self.assertRegex(text, r"Build ID: (?!0{8})[0-9a-f]{40}")

    def test_libraries_of_the_toolchain_are_installed_and_found_without_it(self):
        toolchain = self.folder / "a toolchain/lib"
        toolchain.mkdir(parents=True)
        first, second = toolchain / "libfirst.so", toolchain / "libsecond.so"
        for library in [first, second]:
            shutil.copy(next(pathlib.Path("/lib").glob("*-linux-gnu/libz.so.1")), library)
            patchelf("--set-soname", library.name, library)
        # Loaded by a library only.
        patchelf("--add-needed", second.name, first)
        program = self.build / "nervous-runner"
        patchelf("--add-needed", first.name, program)
        patchelf("--set-rpath", f"{toolchain}:$ORIGIN", program)
        prefix = self.folder / "prefix"
        call = self.make("install-files", prefix=prefix)
        self.assertEqual((call.returncode, call.stderr), (0, ""))
        libraries = {f"lib/nervous/{library.name}" for library in [first, second]}
        self.assertEqual(self.installed(prefix), FILES | libraries)
        shutil.rmtree(toolchain)
        moved = self.folder / "moved"
        prefix.rename(moved)
        installed = moved / "libexec/nervous/nervous-runner"
        self.assertEqual(patchelf("--print-rpath", installed), "$ORIGIN/../../lib/nervous")
        self.assertEqual(subprocess.run([installed]).returncode, 0)
        for library in libraries:
            self.assertEqual(patchelf("--print-rpath", moved / library), "$ORIGIN")
        # It loads nothing of the toolchain.
        self.assertEqual(patchelf("--print-rpath", moved / "bin/nervous"), "")

    def test_a_line_break_in_a_prefix_is_refused(self):
        call = self.make("install-files", prefix=self.folder / "two\nlines")
        self.assertNotEqual(call.returncode, 0)
        self.assertIn("line break", call.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
