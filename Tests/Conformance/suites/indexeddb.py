"""Web Platform Tests, https://github.com/web-platform-tests/wpt: `indexedDB`, kept by the host."""

import re

from suites import wpt

FOLDERS = ["IndexedDB"]
PRIVILEGES = [{"storage": True}]
# Need workers, frames, another origin, or a server that runs scripts; or test what is only proposed.
LEFT_OUT = re.compile(r"/resources/|\.sub\.|webworkers|\.https\.|opaque-origin|origin-isolation|execution-context|\.tentative\.|idlharness")
# The apps of all files have the same storage, so each one begins by clearing it. Chromium has an origin for each file.
CLEAR = """
{
    const request = new XMLHttpRequest();
    request.open("DELETE", "/api/v1/indexed-db", false);
    try { request.send(); } catch {}
}
"""


def files(checkout):
    found = []
    for path in sorted((checkout / FOLDERS[0]).rglob("*")):
        name = str(path.relative_to(checkout))
        if LEFT_OUT.search(name) or not re.search(r"\.(any|window)\.js$|\.html?$", name):
            continue
        source = path.read_text("utf-8", "replace")
        if wpt.runs_in_window(source) if name.endswith(".js") else "testharness.js" in source:
            found.append(name)
    return found


def build(checkout, file, folder):
    wpt.build(checkout, file, folder)
    script = folder / "app.js"
    script.write_text(script.read_text() + CLEAR)
