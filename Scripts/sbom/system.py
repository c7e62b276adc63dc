"""Scripts, libraries and tools of Debian, and the libraries of the Swift toolchain."""

import fnmatch
import json
import os
import pathlib
import re
import shlex
import urllib.parse
from dataclasses import dataclass

from sbom.part import ROOT, Part, element, fail, license_of, output, read

# Where Debian installs the scripts that BundleLibraries bundles.
MODULES = pathlib.Path("/usr/share/nodejs")
# The short names of licenses in Debian's copyright files, as SPDX writes them.
DEBIAN_LICENSES = {"BSD-2-clause": "BSD-2-Clause", "Expat": "MIT", "W3C": "W3C"}


def debian_purl(package, version=""):
    """The package URL of a package of Debian."""
    words = [urllib.parse.quote(word, safe=":~") for word in (package, version) if word]
    return "pkg:deb/debian/" + "@".join(words)


def debian_owner(path):
    """The package that a file belongs to, and its version."""
    owner = output("dpkg-query", "--search", str(path)).partition(": ")[0].partition(":")[0]
    return owner, output("dpkg-query", "--show", "--showformat=${Version}", owner)


def debian_license(name, text, folder):
    """The licenses of the files in a folder, by the copyright file of their package."""
    rules = []
    for stanza in re.split(r"\n\s*\n", text):
        fields = dict(re.findall(r"^(\S+):((?:.*\n?)(?:[ \t].*\n?)*)", stanza, re.MULTILINE))
        if "Files" in fields and "License" in fields:
            rules.append((fields["Files"].split(), fields["License"].split("\n")[0].strip()))
    found = set()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        relative = str(path.relative_to(folder))
        names = [license for patterns, license in rules
                 if any(fnmatch.fnmatchcase(relative, pattern) for pattern in patterns)]
        found |= set(names[-1:])
    unknown = found - DEBIAN_LICENSES.keys()
    if unknown or not found:
        fail(f"the license of {name} is not known to this script: {', '.join(sorted(unknown))}")
    return " AND ".join(sorted(DEBIAN_LICENSES[license] for license in found))


def script(name):
    """A module that is bundled."""
    about = json.loads(read(MODULES / name / "package.json", name))
    owner, version = debian_owner(MODULES / name / "package.json")
    text = read(pathlib.Path("/usr/share/doc", owner, "copyright"), f"the license of {name}")
    source = re.search(r"^Source: (\S+)", text, re.MULTILINE)
    return Part(
        element("Script", name), name, about["version"], debian_license(name, text, MODULES / name),
        source[1] if source else "NOASSERTION", "Organization: Debian",
        debian_purl(owner, version), texts=(("copyright", text),))


def scripts(build):
    """The modules in the bundled scripts that the build has made."""
    found, left = set(), []
    for folder in sorted((ROOT / "Sources/Runner/Libraries").iterdir()):
        if not (build / f"nervous_Host.resources/{folder.name}.js").exists():
            continue
        for file in sorted(folder.glob("*.js")):
            text = read(file, file.name)
            left += re.findall(r'''^import\b[^"']*["']([^."'/][^"'/]*)''', text, re.MULTILINE)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += json.loads(read(MODULES / name / "package.json", name)).get("dependencies", {})
    return {script(name) for name in found}


def bundler():
    owner, version = debian_owner("/usr/bin/esbuild")
    return Part(
        element("Tool", owner), owner, version, supplier="Organization: Debian",
        purl=debian_purl(owner, version), purpose="APPLICATION",
        comment="Bundled document.js, modules.js and encodings.js.")


def dynamic(file, tag):
    return re.findall(rf"\({tag}\).*\[(.*)\]", output("readelf", "--dynamic", "--wide", str(file)))


def libraries(build, programs):
    """The packages of Debian whose libraries each program loads, and the runtime of Swift."""
    swift = shlex.split(os.environ.get("SWIFT") or "swift")
    target = json.loads(output(*swift, "-print-target-info"))
    folders = [pathlib.Path(path) for path in target["paths"]["runtimeLibraryPaths"]]
    found, runtime = {}, set()
    for program in programs:
        parts, left = found.setdefault(program, set()), [build / program]
        seen = set()
        while left:
            for name in dynamic(left.pop(), "NEEDED"):
                path = next((one / name for one in folders if (one / name).exists()), None)
                if path is None:
                    parts.add(debian_library(name))
                elif path not in seen:
                    seen.add(path)
                    left.append(path)
        runtime |= seen
    return found, Runtime.of(target, runtime, [build / program for program in programs])


@dataclass(frozen=True)
class Runtime:
    """The Swift runtime: its libraries, or what is linked into the programs."""

    part: Part
    # How programs relate to it.
    relation: str
    # The parts of others that it contains.
    contained: tuple

    @classmethod
    def of(cls, target, libraries, programs):
        resources = pathlib.Path(target["paths"]["runtimeResourcePath"])
        text = read(resources.parent.parent / "share/swift/LICENSE.txt", "the license of Swift")
        version = re.search(r"version (\S+)", target["compilerVersion"])[1]
        names = ", ".join(sorted(path.name for path in libraries))
        part = Part(
            element("Swift", "runtime"), "Swift runtime libraries", version, license_of("Swift", text),
            "git+https://github.com/swiftlang/swift", "Organization: swiftlang",
            f"pkg:github/swiftlang/swift@swift-{version}-RELEASE",
            comment=f"Installed with the programs: {names}." if libraries else "Linked into the programs.",
            texts=(("LICENSE.txt", text),))
        contained = {icu for file in libraries or programs if (icu := icu_in(file))}
        return cls(part, "DYNAMIC_LINK" if libraries else "STATIC_LINK", tuple(contained))


def icu_in(file):
    """ICU, if a program or library has its data, with the version that their names have."""
    found = re.search(rb"\bicudt(\d+)l/", file.read_bytes())
    if not found:
        return None
    version = found[1].decode()
    return Part(
        element("Swift", "runtime", "ICU"), "ICU", version, "Unicode-3.0",
        "https://github.com/unicode-org/icu", purl=f"pkg:github/unicode-org/icu@{version}",
        comment=f"In {file.name}.",
        texts=(("LICENSE", read(ROOT / "Scripts/licenses/ICU", "the license of ICU")),))


def debian_library(name):
    """The package of a library. The machine updates it by itself, so it has no version here."""
    lines = output("dpkg-query", "--search", f"*/{name}").splitlines()
    owners = {owner.partition(":")[0] for owner, _, path in (line.partition(": ") for line in lines)
              if re.match(r"(/usr)?/lib(32|64)?/([^/]+-linux-gnu[^/]*/)?[^/]+$", path)}
    if len(owners) != 1:
        fail(f"{name} is in no package of Debian, or in several: {', '.join(sorted(owners))}")
    owner = owners.pop()
    return Part(
        element("Debian", owner), owner, supplier="Organization: Debian", purl=debian_purl(owner),
        comment="Not part of the installation: loaded from the system.")
