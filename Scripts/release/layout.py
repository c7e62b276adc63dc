"""The files of an installation, and the list that says which they are."""

import os
import pathlib

from release.source import fail

# Relative to the prefix, one path a line.
LIST = "share/nervous/installed-files"


class Layout:
    """Files below a prefix. What an earlier installation has and this one has not is deleted at the end."""

    def __init__(self, prefix):
        self.prefix = pathlib.Path(prefix)
        self.added = set()

    def add(self, path, content, mode=0o644):
        file = self.prefix / path
        make_folders(file.parent)
        # A program that runs keeps its file, and nobody sees half of one.
        part = file.with_name(f".{file.name}.part")
        part.unlink(missing_ok=True)
        part.write_bytes(content)
        part.chmod(mode)
        os.replace(part, file)
        self.added.add(path)

    def copy(self, source, path):
        try:
            self.add(path, source.read_bytes())
        except FileNotFoundError:
            fail(f"{source} is missing")

    def copy_folder(self, source, path, omitting=None):
        if not source.is_dir():
            fail(f"{source} is missing")
        for file in sorted(source.rglob("*")):
            name = file.relative_to(source)
            if file.is_file() and name.parts[0] != omitting:
                self.copy(file, f"{path}/{name}")

    def finish(self):
        old = self.installed()
        self.add(LIST, "".join(f"{path}\n" for path in sorted(self.added | {LIST})).encode())
        self.delete(old - self.added)

    def remove(self):
        self.delete(self.installed())

    def installed(self):
        """What the list of an earlier installation names."""
        file = self.prefix / LIST
        paths = file.read_text().splitlines() if file.exists() else []
        return {path for path in paths if ".." not in path.split("/") and not path.startswith("/")}

    def delete(self, paths):
        for path in paths:
            (self.prefix / path).unlink(missing_ok=True)
        # Only folders of our own: others may expect theirs to exist.
        folders = {folder for path in paths for folder in pathlib.Path(path).parents
                   if "nervous" in folder.parts}
        for folder in sorted(folders, reverse=True):
            try:
                (self.prefix / folder).rmdir()
            except OSError:
                pass  # It is missing, or contains files of others.


def make_folders(folder):
    """Folders that everybody can read, whatever the permissions of new files are."""
    if not folder.is_dir():
        make_folders(folder.parent)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
