"""test262, https://github.com/tc39/test262: the tests of ES modules."""

import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ["language/module-code", "language/export", "language/import", "language/expressions/import.meta"]
# Proposals, and import attributes, which apps do not have: docs/writing-a-jsapp.md says so.
WITHOUT = {"import-attributes", "import-bytes", "import-defer", "import-text", "json-modules", "source-phase-imports",
           "source-phase-imports-module-source"}
FIXTURE = re.compile(r"""["'](\.{1,2}/[^"'\n]+\.js)["']""")
# What the tests expect of the program that runs them.
GLOBALS = """
globalThis.$262 = { global: globalThis, gc() {}, evalScript: (text) => (0, eval)(text) };
globalThis.print = (text) => { if (text === "Test262:AsyncTestComplete") report(); else report(text); };
let isReported = false;
function report(failure) {
    if (isReported) return;
    isReported = true;
    reportConformance(failure === undefined ? 1 : 0, failure === undefined ? [] : [["the test", failure]]);
    close(0);
}
addEventListener("error", (event) => event.preventDefault());
addEventListener("unhandledrejection", (event) => event.preventDefault());
"""
# The module is imported when the harness is complete.
START = """
import("./%(file)s").then(() => {
    if (%(negative)s) report("it should have failed with a %(type)s");
    else if (!%(isAsync)s) report();
}, (error) => {
    const isExpected = %(negative)s && error?.constructor?.name === "%(type)s";
    report(isExpected ? undefined : `${error?.name ?? "thrown"}: ${error?.message ?? error}`);
});
"""


def files(checkout):
    found = []
    for folder in FOLDERS:
        for path in sorted((checkout / "test" / folder).rglob("*.js")):
            if "_FIXTURE" in path.name:
                continue
            facts = Facts(path.read_text("utf-8"))
            if "module" in facts.list("flags") and not WITHOUT & set(facts.list("features")):
                found.append(str(path.relative_to(checkout)))
    return found


class Facts:
    """The description at the start of a test."""

    def __init__(self, source):
        self.text = re.search(r"/\*---(.*?)---\*/", source, re.DOTALL)[1]

    def list(self, key):
        inline = re.search(rf"^{key}:\s*\[(.*?)\]", self.text, re.MULTILINE | re.DOTALL)
        if inline:
            return [word.strip() for word in inline[1].split(",") if word.strip()]
        lines = re.search(rf"^{key}:\s*\n((?:\s+-\s*\S.*\n?)+)", self.text, re.MULTILINE)
        return re.findall(r"-\s*(\S+)", lines[1]) if lines else []

    def expected_error(self):
        found = re.search(r"^negative:\s*\n(?:[ \t]+.*\n)*?[ \t]+type:\s*(\w+)", self.text, re.MULTILINE)
        return found and found[1]


def build(checkout, file, folder):
    """Makes an app whose script has the harness of the suite and imports the test."""
    facts = Facts((checkout / file).read_text("utf-8"))
    flags, error = facts.list("flags"), facts.expected_error()
    names = [] if "raw" in flags else ["assert.js", "sta.js", *facts.list("includes")]
    if "async" in flags:
        names.append("doneprintHandle.js")
    harness = [(checkout / "harness" / name).read_text("utf-8") for name in names]
    start = START % {
        "file": file, "negative": "true" if error else "false", "type": error or "", "isAsync":
        "true" if "async" in flags else "false"}
    (folder / "app.html").write_text("<!doctype html><title>test262</title>")
    (folder / "app.js").write_text("\n".join([(HERE / "harness.js").read_text(), GLOBALS, *harness, start]))
    copy(checkout, checkout / file, folder)


def copy(checkout, path, folder):
    """Copies a module and the modules that it imports."""
    target = folder / path.relative_to(checkout)
    if target.exists() or not path.is_file():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(path.read_bytes())
    for name in FIXTURE.findall(path.read_text("utf-8")):
        other = (path.parent / name).resolve()
        if other.is_relative_to(checkout):
            copy(checkout, other, folder)
