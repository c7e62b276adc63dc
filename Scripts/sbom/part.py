"""What the list consists of, and reading files and programs."""

import functools
import pathlib
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Part:
    """A program or library in the list."""

    id: str
    name: str
    version: str = ""
    license: str = "NOASSERTION"
    location: str = "NOASSERTION"
    supplier: str = "NOASSERTION"
    purl: str = ""
    purpose: str = "LIBRARY"
    comment: str = ""
    # The names of license files and their texts.
    texts: tuple = ()


def fail(message):
    sys.exit(f"make-sbom: {message}")


@functools.cache
def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        fail(f"{command[0]} is missing")
    except subprocess.CalledProcessError as error:
        fail(f"{shlex.join(command)}: {error.stderr.strip()}")


def read(path, what):
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        fail(f"{what}: {error.strerror}: {path}")


def element(*words):
    """The identifier of an element."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(["SPDXRef", *words]))


def license_of(name, text):
    """The license whose text this is."""
    words = " ".join(text.split())
    if "Apache License Version 2.0, January 2004" in words:
        return "Apache-2.0" + " WITH Swift-exception" * ("Runtime Library Exception" in words)
    if re.search("Permission is hereby granted, free of charge.*permission notice shall be", words):
        return "MIT"
    fail(f"the license of {name} is not known to this script")
