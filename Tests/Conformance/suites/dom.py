"""The Web Platform Tests of documents and events: of a current checkout `dom/events` and `dom/abort`, and `dom/nodes`
where it is, which many copies of the suite lack."""

import re

from suites import wpt

FOLDERS = ["dom/events", "dom/abort", "dom/nodes", "dom/ranges"]
# Need input devices, scrolling, animations, frames with documents of their own, or a parser of XHTML for the page.
LEFT_OUT = re.compile(r"/scrolling/|/non-cancelable-when-passive/|document-level-|invoke-legacy|incumbent-global|cross-realm"
                      r"|/contentType/|characterSet-normalization|createElement-namespace\.html|/crashtests/|\.https\.|\.sub\.")


def files(checkout):
    found = []
    for folder in FOLDERS:
        for path in sorted((checkout / folder).rglob("*")):
            name = str(path.relative_to(checkout))
            if "/resources/" in name or LEFT_OUT.search(name) or not re.search(r"\.(any|window)\.js$|\.html?$", name):
                continue
            if name.endswith(".js") or "testharness.js" in path.read_text("utf-8", "replace"):
                found.append(name)
    return found


build = wpt.build
