"""jsdom's own tests of documents, https://github.com/jsdom/jsdom, folder `to-upstream`: written for the harness of the
Web Platform Tests, which is the submodule `tests` beside it."""

import pathlib
import re

from suites import wpt

FOLDER = pathlib.Path("test/web-platform-tests")
# Need several windows or frames with documents of their own, a server that runs scripts, layout, a page in XHTML, or
# concern jsdom alone.
LEFT_OUT = re.compile(r"/resources/|/support/|^jsdom-only/|^jsdom/|\.xhtml$|\.sub\.|-ref\.|\.https\.|/nested-browsing-contexts/"
                      r"|/the-iframe-element/|/browsing-the-web/|^cors/|^websockets/|^cookies/")


def files(checkout):
    root = checkout / FOLDER / "to-upstream"
    found = []
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if LEFT_OUT.search(name) or not re.search(r"\.(any|window)\.js$|\.html?$", name):
            continue
        if name.endswith(".js") or "testharness.js" in path.read_text("utf-8", "replace"):
            found.append(name)
    return found


def build(checkout, file, folder):
    wpt.build(checkout / FOLDER / "to-upstream", file, folder, harness=checkout / FOLDER / "tests")
