"""A folder with the files of a package, which are the same wherever they were made."""

import gzip
import os
import pathlib
import subprocess
import sys

from release.layout import LIST
from release.source import ROOT, source_time


def stage(folder, prefix):
    """Installs the build into a folder that stands for /, without the list that `make uninstall` needs."""
    call = subprocess.run(
        [ROOT / "Scripts/install-files"], env={**os.environ, "PREFIX": prefix, "DESTDIR": str(folder)})
    if call.returncode != 0:
        sys.exit(call.returncode)
    root = pathlib.Path(f"{folder}{prefix}")
    (root / LIST).unlink()
    return root


def compress(file):
    """Replaces a file by one that gzip made, without a name and a time."""
    pathlib.Path(f"{file}.gz").write_bytes(gzip.compress(file.read_bytes(), 9, mtime=0))
    file.unlink()


def replace(part, file, earlier):
    """Gives a package its name, and deletes those of earlier versions, which match a pattern."""
    for old in file.parent.glob(earlier):
        old.unlink()
    os.replace(part, file)


def settle(folder):
    """Gives all files of a package the time of the source, and permissions that suit all users."""
    for path in [*folder.rglob("*"), folder]:
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        os.utime(path, (source_time(), source_time()))
