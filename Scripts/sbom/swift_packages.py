"""Swift packages, and the C code of others that is in them."""

import json
import pathlib
import re
import shlex
from dataclasses import dataclass

from sbom.part import ROOT, Part, element, fail, license_of, read


@dataclass(frozen=True)
class Vendored:
    """C code of another project in a target of a Swift package.

    `version` is a file and an expression that finds the version in it. `text` is a file with the license; of
    a source, its first comment is used. `None` stands for the copyright notices of all sources, under the
    license of the package.
    """

    name: str
    location: str
    purl: str
    version: tuple
    license: str
    text: str | pathlib.Path | None


BORINGSSL = Vendored(
    "BoringSSL", "https://boringssl.googlesource.com/boringssl", "pkg:generic/boringssl",
    ("hash.txt", r"revision (\w{40})"), "Apache-2.0", None)
VENDORED = {
    "CCryptoBoringSSL": BORINGSSL,
    "CNIOBoringSSL": BORINGSSL,
    "CNIOAtomics": Vendored(
        "uSHET", "https://github.com/18sg/uSHET", "pkg:github/18sg/ushet",
        ("src/cpp_magic.h", r"blob/(\w{40})"), "MIT", ROOT / "Scripts/licenses/uSHET"),
    "CNIOLLHTTP": Vendored(
        "llhttp", "https://github.com/nodejs/llhttp", "pkg:github/nodejs/llhttp",
        ("include/c_nio_llhttp.h", r"VERSION_(?:MAJOR|MINOR|PATCH) (\d+)"), "MIT", "LICENSE"),
    "CNIOSHA1": Vendored(
        "SHA-1 of KAME", "https://github.com/freebsd/freebsd-src", "pkg:github/freebsd/freebsd-src",
        ("c_nio_sha1.c", r"sha1\.c,v ([\d.]+)"), "BSD-3-Clause", ROOT / "Scripts/licenses/sha1"),
    "CXKCP": Vendored(
        "XKCP", "https://github.com/XKCP/XKCP", "pkg:github/xkcp/xkcp",
        ("vendored-sources.txt", r"-g(\w+)\)"), "CC0-1.0", "FIPS202-opt64/KeccakHash.c"),
}
# C code that belongs to the Swift package that it is in.
OWN_C = {
    "CCryptoBoringSSLShims", "CNIOBoringSSLShims", "CNIODarwin", "CNIOFreeBSD",
    "CNIOLinux", "CNIOOpenBSD", "CNIOPosix", "CNIOWASI", "CNIOWindows", "CSystem", "CXKCPShims",
    "_AtomicsShims", "_NumericsShims",
}


def linked(build, program):
    """The targets that are linked into a program: their folders of objects, and whether they are C."""
    lists = build / f"{program}.product/Objects.LinkFileList"
    targets = {}
    for line in read(lists, f"{program} is not built").splitlines():
        for path in map(pathlib.Path, shlex.split(line)):
            folder = next((one.name for one in path.parents if one.suffix == ".build"), None)
            if folder is not None:
                is_c = re.search(r"\.(c|cc|cpp|s|S)\.o$", path.name) is not None
                targets[folder] = is_c or targets.get(folder, False)
    return targets


def first_source(folder):
    """The path of a source of a target, as the compiler noted it."""
    if (folder / "sources").exists():
        return read(folder / "sources", "sources").partition("\n")[0]
    for notes in sorted(folder.rglob("*.d")):
        paths = read(notes, "dependencies").partition(":")[2].replace("\\\n", " ").lstrip()
        return re.match(r"(?:\\.|\S)*", paths)[0]
    return ""


def linked_packages(build, programs):
    """The parts of each program that come from Swift packages."""
    scratch = next((one for one in build.parents if (one / "workspace-state.json").exists()), None)
    if scratch is None:
        fail(f"no workspace-state.json above {build}")
    state = json.loads(read(scratch / "workspace-state.json", "packages"))
    known = {one["subpath"]: one for one in state["object"]["dependencies"]}
    origins = upstream([ROOT, *sorted((scratch / "checkouts").iterdir())])
    found = {}
    for program in programs:
        parts = found[program] = set()
        for target, is_c in sorted(linked(build, program).items()):
            source = first_source(build / target)
            if not source:
                fail(f"{build} does not contain what {target} in {program} was made of; build again")
            names = re.findall(r"/checkouts/([^/]+)(?=/)", source)
            package = next((known[name] for name in names if name in known), None)
            if package is None:
                continue  # Our own.
            checkout = scratch / "checkouts" / package["subpath"]
            parts.add(swift_package(package, checkout, origins))
            name = target.removesuffix(".build")
            if name in VENDORED:
                parts.add(vendored(VENDORED[name], name, package["packageRef"]["identity"], checkout))
            elif is_c and name not in OWN_C:
                fail(f"the origin of the C code in {name} of {package['subpath']} is not known")
    return found


def upstream(folders):
    """The addresses of packages as manifests name them, by identity: this machine may use a mirror."""
    found = {}
    for folder in folders:
        if (folder / "Package.swift").exists():
            text = read(folder / "Package.swift", folder.name)
            for address in re.findall(r'url:\s*"(https://[^"]+?)(?:\.git)?/?"', text):
                found.setdefault(address.rpartition("/")[2].lower(), address)
    return found


def license_texts(name, checkout):
    """The license files and notices of a Swift package, the license first."""
    files = sorted(
        path for path in checkout.iterdir()
        if re.match(r"(LICEN[CS]E|COPYING|NOTICE)", path.name, re.IGNORECASE) and path.is_file())
    if not any(not path.name.upper().startswith("NOTICE") for path in files):
        fail(f"{name} has no license file")
    return tuple((path.name, read(path, name)) for path in files)


def swift_package(package, checkout, origins):
    identity, name = package["packageRef"]["identity"], package["packageRef"]["name"]
    version = package["state"].get("checkoutState", {}).get("version")
    if version is None:
        fail(f"{name} has no version")
    if identity not in origins:
        fail(f"no manifest names the address of {name}")
    texts = license_texts(name, checkout)
    path = origins[identity].removeprefix("https://")
    return Part(
        element("Swift", identity), name, version, license_of(name, texts[0][1]),
        f"git+https://{path}", f"Organization: {path.split('/')[1]}", f"pkg:swift/{path}@{version}",
        texts=texts)


def vendored(code, target, package, checkout):
    folder = checkout / "Sources" / target
    versions = re.findall(code.version[1], read(folder / code.version[0], code.name))
    if not versions:
        fail(f"the version of {code.name} in {package} was not found")
    if code.text is None:
        lines = set()
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".c", ".cc", ".h", ".inc", ".S"}:
                lines |= set(re.findall(r"Copyright (?:\(c\) )?\d{4}.*", read(path, code.name)))
        texts = [("Copyright notices", "".join(line.rstrip(" */") + "\n" for line in sorted(lines)))]
        texts.append(license_texts(package, checkout)[0])
        if license_of(package, texts[-1][1]) != code.license:
            fail(f"{code.name} has another license than {package}, in which it is")
    else:
        text = read(folder / code.text, f"the license of {code.name}")
        comment = re.match(r"\s*/\*(.*?)\*/", text, re.DOTALL)
        texts = [("LICENSE", comment[1] if comment else text)]
    version = ".".join(versions)
    return Part(
        element("Vendored", package, code.name), code.name, version, code.license, code.location,
        purl=f"{code.purl}@{version}", comment=f"Source code in {target} of {package}.",
        texts=tuple(texts))
