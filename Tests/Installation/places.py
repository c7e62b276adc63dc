"""Where the tests find what they test, and a build that consists of a few files."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD_FOLDER") or ROOT / ".build/debug").resolve()
PROGRAMS = ["nervous", "nervous-runner", "nervous-unpacker"]
# What Scripts/make-manuals makes, and where it is installed.
MANUALS = {
    "man1/nervous.1": "share/man/man1/nervous.1",
    "man1/nervous-run.1": "share/man/man1/nervous-run.1",
    "man5/nervous-config.5": "share/man/man5/nervous-config.5",
    "bash/nervous": "share/bash-completion/completions/nervous",
    "zsh/_nervous": "share/zsh/site-functions/_nervous",
    "fish/nervous.fish": "share/fish/vendor_completions.d/nervous.fish",
}


def scratch_folder():
    """The folder of a build that has its packages."""
    return next(folder for folder in BUILD.parents if (folder / "workspace-state.json").exists())


def resolved_packages():
    """The Swift packages that the build resolved."""
    return json.loads((scratch_folder() / "workspace-state.json").read_text())["object"]["dependencies"]


def make_sbom(build, folder, **variables):
    """Runs Scripts/make-sbom."""
    return subprocess.run(
        [ROOT / "Scripts/make-sbom", build, folder], capture_output=True, text=True,
        env={**os.environ, **variables})


def patchelf(*words):
    return subprocess.run(["patchelf", *words], check=True, capture_output=True, text=True).stdout.strip()


def installable_build(build):
    """A build folder in which each program is /bin/true, with all that an installation needs."""
    for name in [
        *PROGRAMS, "nervous_Host.resources/document.js", "nervous_Host.resources/modules.js",
        "nervous_Host.resources/encodings.js",
        "doc/nervous.spdx.json", "doc/THIRD-PARTY-NOTICES", "doc/copyright",
    ]:
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        # Systemd checks that the program of a unit can be executed.
        shutil.copy("/bin/true", build / name)
    for name in MANUALS:
        page = build / "manuals" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(name)
    return build


def squeezed(text):
    """A text with one space between its words."""
    return " ".join(text.split())


class SmallBuild:
    """A build folder whose programs link one package, with a target in Swift and one in C."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.build = self.root / ".build/debug"
        self.checkout = self.root / ".build/checkouts/swift-nio"
        for program in PROGRAMS:
            self.write(f".build/debug/{program}.product/Objects.LinkFileList", "".join(
                shlex.quote(f"{self.build}/{name}") + "\n"
                for name in ["NIOCore.build/a.swift.o", "CNIOPosix.build/b.c.o"]))
            shutil.copy("/bin/true", self.build / program)
        self.write(".build/debug/NIOCore.build/sources", f"{self.checkout}/Sources/NIOCore/a.swift\n")
        self.linked_c("CNIOPosix")
        self.write(".build/workspace-state.json", json.dumps({"object": {"dependencies": [{
            "packageRef": {
                "identity": "swift-nio", "name": "swift-nio",
                "location": f"file://{self.root}/mirror/swift-nio.git"},
            "state": {"checkoutState": {"revision": "0" * 40, "version": "2.101.2"}},
            "subpath": "swift-nio"}]}}))
        self.license = self.checkout / "LICENSE.txt"
        self.write(self.license, "Apache License\nVersion 2.0, January 2004\n")

    def linked_c(self, target):
        """Makes a target the C code that is linked."""
        source = str(self.checkout / "Sources" / target / "b.c").replace(" ", "\\ ")
        self.write(
            f".build/debug/{target}.build/b.c.d",
            f"dependencies: \\\n  {source} \\\n  /usr/include/a.h\n")
        for file in self.build.glob("*.product/Objects.LinkFileList"):
            file.write_text(file.read_text().replace("CNIOPosix", target))

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
