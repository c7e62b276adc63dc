"""Packages of a build that consists of a few files: what they contain, and that they are reproducible."""

import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from places import MANUALS, ROOT, installable_build, patchelf


class PackageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.build = installable_build(cls.folder / "build")
        # A library of the toolchain, which needs a library of Debian.
        toolchain = cls.folder / "toolchain"
        toolchain.mkdir()
        shutil.copy(next(pathlib.Path("/lib").glob("*-linux-gnu/libz.so.1")), toolchain / "libswift.so")
        patchelf("--set-soname", "libswift.so", toolchain / "libswift.so")
        patchelf("--add-needed", "libswift.so", cls.build / "nervous")
        patchelf("--set-rpath", f"{toolchain}:$ORIGIN", cls.build / "nervous")
        cls.deb, cls.tarball = (cls.made(name, "packages", cls.build) for name in ["deb", "tarball"])

    @classmethod
    def made(cls, kind, folder, build, **variables):
        """A package, made as the environment says."""
        call = subprocess.run(
            [ROOT / f"Scripts/make-{kind}", cls.folder / folder], capture_output=True, text=True,
            env={**os.environ, "BUILD_FOLDER": str(build), **variables})
        assert call.returncode == 0, call.stderr
        return pathlib.Path(call.stdout.strip())

    def contents(self):
        """The files of the Debian package."""
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", self.deb], check=True, capture_output=True)
        return tarfile.open(fileobj=io.BytesIO(data.stdout))

    def control(self, name):
        return subprocess.run(
            ["dpkg-deb", "--info", self.deb, name], check=True, capture_output=True, text=True).stdout

    def test_another_folder_mask_time_zone_and_language_give_the_same_bytes(self):
        build = self.folder / "another folder/build"
        shutil.copytree(self.build, build)
        before = os.umask(0o077)
        try:
            for kind, first in [("deb", self.deb), ("tarball", self.tarball)]:
                second = self.made(kind, "others", build, TZ="Asia/Tokyo", LC_ALL="C", LANGUAGE="de")
                self.assertEqual(second.name, first.name)
                self.assertEqual(second.read_bytes(), first.read_bytes(), kind)
        finally:
            os.umask(before)

    def test_nothing_names_the_folders_of_the_build(self):
        with self.contents() as archive:
            for member in archive:
                if member.isfile():
                    content = archive.extractfile(member).read()
                    for place in [self.folder, ROOT]:
                        self.assertNotIn(f"{place}/".encode(), content, member.name)

    def test_files_are_where_debian_has_them_and_belong_to_root(self):
        with self.contents() as archive:
            members = {member.name.removeprefix("./"): member for member in archive}
        for name in [
            "usr/bin/nervous", "usr/libexec/nervous/nervous-runner", "usr/lib/nervous/libswift.so",
            "usr/lib/systemd/user/nervous.service", "usr/share/doc/nervous/copyright",
            "usr/share/applications/nervous.desktop",
            "usr/share/icons/hicolor/scalable/apps/nervous.svg",
            "usr/share/doc/nervous/changelog.gz", "usr/share/doc/nervous/changelog.Debian.gz",
            "usr/share/man/man1/nervous.1.gz", "usr/share/man/man5/nervous-config.5.gz",
            "usr/share/bash-completion/completions/nervous", "usr/share/zsh/vendor-completions/_nervous",
            "usr/share/fish/vendor_completions.d/nervous.fish",
            "usr/share/nervous/jsapps/hello-sensors/app.js",
            "usr/share/nervous/sensorpacks/phone/sensor.json",
        ]:
            self.assertIn(name, members)
        # The package manager has a list of its own.
        self.assertNotIn("usr/share/nervous/installed-files", members)
        times = {member.mtime for member in members.values()}
        self.assertEqual(len(times), 1)
        for name, member in members.items():
            self.assertEqual((member.uid, member.gid, member.uname), (0, 0, "root"), name)
            is_program = name.startswith(("usr/bin/", "usr/libexec/nervous/nervous-"))
            self.assertEqual(member.mode, 0o755 if member.isdir() or is_program else 0o644, name)

    def test_the_sums_are_those_of_all_files(self):
        sums = dict(reversed(line.split("  ", 1)) for line in self.control("md5sums").splitlines())
        with self.contents() as archive:
            found = {
                member.name.removeprefix("./"): hashlib.md5(archive.extractfile(member).read()).hexdigest()
                for member in archive if member.isfile()}
        self.assertEqual(sums, found)

    def test_the_package_depends_on_what_its_programs_and_libraries_load(self):
        fields = dict(re.findall(r"(?m)^(\S+): *(.*)", self.control("control")))
        self.assertRegex(fields["Depends"], r"^libc6 \(>= [\d.]+\)")
        for name in ["libjs-leaflet", "libjs-jquery", "libjs-chart.js", "ca-certificates"]:
            self.assertIn(name, fields["Recommends"].split(", "))
        self.assertEqual(self.deb.name, f"nervous_{fields['Version']}_{fields['Architecture']}.deb")
        self.assertGreater(int(fields["Installed-Size"]), 500)

    def test_the_version_grows_with_commits(self):
        version = re.search(
            r'static let version = "(.+)"', (ROOT / "Sources/RunnerProtocol/RunnerFrame.swift").read_text())[1]
        found = self.deb.name.split("_")[1]
        self.assertRegex(found, rf"^{re.escape(version)}(~\d{{14}})?-1$")
        # A release is newer than what came before it.
        before = subprocess.run(["dpkg", "--compare-versions", f"{version}~20260101000000-1", "lt", f"{version}-1"])
        self.assertEqual(before.returncode, 0)

    def test_the_changelog_has_the_version_and_the_time_of_the_source(self):
        with self.contents() as archive:
            file = archive.extractfile("./usr/share/doc/nervous/changelog.Debian.gz")
            text = gzip.decompress(file.read()).decode()
        self.assertTrue(text.startswith(f"nervous ({self.deb.name.split('_')[1]}) "), text)
        self.assertRegex(text, r"\n -- .+ <.+@.+>  \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000\n$")

    def test_scripts_of_the_package_are_valid_and_keep_the_data_of_users(self):
        for name in ["postinst", "prerm", "postrm"]:
            script = self.control(name)
            call = subprocess.run(["sh", "-n"], input=script, text=True, capture_output=True)
            self.assertEqual((call.returncode, call.stderr), (0, ""), name)
            self.assertNotRegex(script, r"rm -[a-z]*r")

    def test_an_unpacked_tarball_works_in_any_folder(self):
        with tempfile.TemporaryDirectory(prefix="any folder ") as folder:
            subprocess.run(["tar", "-xf", self.tarball, "-C", folder], check=True)
            root = next(pathlib.Path(folder).iterdir())
            self.assertEqual(f"{root.name}.tar.xz", self.tarball.name)
            for path in MANUALS.values():
                self.assertTrue((root / path).exists(), path)
            self.assertEqual(patchelf("--print-rpath", root / "bin/nervous"), "$ORIGIN/../lib/nervous")
            self.assertEqual(subprocess.run([root / "bin/nervous"]).returncode, 0)
            # To be completed with the folder.
            self.assertIn('"@PREFIX@/bin/nervous"', (root / "share/systemd/user/nervous.service").read_text())


if __name__ == "__main__":
    unittest.main()
