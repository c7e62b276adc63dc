"""Programs without debug information, and the libraries of the toolchain that they load."""

import hashlib
import pathlib
import re
import tempfile

from release.source import output


def dynamic(file, tag):
    """The values of a tag of the dynamic section."""
    return re.findall(rf"\({tag}\).*\[(.*)\]", output("readelf", "--dynamic", "--wide", str(file)))


def libraries(program):
    """The libraries that a program loads from a folder that the linker noted, and those that they load.

    That folder belongs to the toolchain; a program that contains the Swift libraries has none.
    """
    folders = [
        pathlib.Path(path) for paths in dynamic(program, "RUNPATH") for path in paths.split(":")
        if path.startswith("/")]
    found, left = set(), [program]
    while left:
        for name in dynamic(left.pop(), "NEEDED"):
            path = next((one / name for one in folders if (one / name).exists()), None)
            if path is not None and path not in found:
                found.add(path)
                left.append(path)
    return found


def stripped(file, search_path):
    """The bytes of a program or library without debug information, which searches for libraries in one folder.

    `None` stands for the folders of the system only.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, file.name)
        output("strip", "--strip-all", "-o", str(copy), str(file))
        # Where it was built may be part of the path, and anyone could create that folder elsewhere.
        if search_path is None:
            output("patchelf", "--remove-rpath", str(copy))
        elif dynamic(copy, "RUNPATH") != [search_path]:
            output("patchelf", "--set-rpath", search_path, str(copy))
        return identified(copy)


def identified(file):
    """The bytes of a program, with what depends on the folder of the build replaced.

    The linker's build identifier depends on debug information, which names that folder, and the compiler's hashes
    of modules, which only its next build would read, depend on it too. Both are replaced in place: without the
    sections, `strip` would also leave out that addresses become read-only.
    """
    content = bytearray(file.read_bytes())
    if hashes := section(file, r"\.swift_modhash +PROGBITS"):
        content[hashes] = bytes(hashes.stop - hashes.start)
    if note := section(file, r"\.note\.gnu\.build-id +NOTE"):
        # The name of the note and its length come first.
        identifier = slice(note.start + 16, note.stop)
        size = identifier.stop - identifier.start
        content[identifier] = bytes(size)
        content[identifier] = hashlib.sha256(content).digest()[:size]
    return bytes(content)


def section(file, header):
    """Where a section is in a file; `None` without it."""
    sections = output("readelf", "--wide", "--section-headers", str(file))
    found = re.search(header + r" +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", sections)
    return found and slice(int(found[1], 16), int(found[1], 16) + int(found[2], 16))
