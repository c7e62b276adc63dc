"""Web Platform Tests, https://github.com/web-platform-tests/wpt: the interfaces that apps find without a page."""

import html
import pathlib
import re
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ["FileAPI", "encoding", "streams", "url", "dom/abort", "hr-time", "fetch/api", "xhr/formdata",
           "html/webappapis/structured-clone", "html/webappapis/atob", "html/webappapis/timers",
           "html/webappapis/microtask-queuing", "webidl/ecmascript-binding/es-exceptions", "WebCryptoAPI",
           "user-timing", "performance-timeline", "webmessaging"]
# Need a server that runs scripts, several windows, a person, or layout; `-encode-` and `-errors-` files encode
# through forms of windows. Of WebCryptoAPI there are the algorithms that a runner has, which counts as a secure context.
LEFT_OUT = re.compile(r"""[-.]manual\.|\.sub\.|-ref\.|\.worker\.js$|\.serviceworker|/resources/|/support/
    |^(?!WebCryptoAPI/).*\.https\.|^webmessaging/.*\.html|WebCryptoAPI/(.*(rsa|RSA|Ed25519|Ed448|X25519|X448|okp|cfrg|eddsa)|secure_context|algorithm-disc|historical)
    |\.tentative\.|idlharness|shadowrealm|transferable|crashtest|send-file-form|-form-errors|-form-encod
    |(csbig5|euckr|gb\w+|\w*jis\w*|iso\w+|euc\w+|big5|hz|windows\w*|ks\w+|utf-?\w*)[-_]encode|-encoder\.html|-encode-
    |legacy-mb-.*(href|form|encode|decode)|/iframe|BlobURL|url-in-tags|sandboxed|url-reload|multi-global""", re.VERBOSE)
RESOURCE = re.compile(r"""["'(`=]([\w./-]+\.[\w.]+)["')`?#>\s]""")
SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL | re.IGNORECASE)
# The harness would also write a table of its results into the page, which needs more memory than a run may use.
REPORT = """
setup({ output: false });
add_completion_callback((tests, status) => {
    const failed = tests.filter((test) => test.status !== 0 && test.status !== 4).map((test) =>
        [test.name, `${["", "", "timed out ", "not run "][test.status] ?? ""}${test.message ?? ""}`]);
    if (status.status === 1) failed.push(["(the harness)", status.message]);
    reportConformance(tests.filter((test) => test.status === 0).length, failed);
    close(0);
});
"""


def files(checkout):
    """The test files, each variant as `path?variant`."""
    found = []
    for folder in FOLDERS:
        for path in sorted((checkout / folder).rglob("*")):
            name = str(path.relative_to(checkout))
            if not re.search(r"\.(any|window)\.js$|\.html?$", name) or LEFT_OUT.search(name):
                continue
            source = path.read_text("utf-8", "replace")
            if name.endswith(".js") and not runs_in_window(source):
                continue
            if name.endswith((".html", ".htm")) and "testharness.js" not in source:
                continue
            variants = re.findall(r"^// META: variant=(\S*)", source, re.MULTILINE)
            variants += re.findall(r'<meta name="?variant"? content="(.*?)"', source)
            found += [name + variant for variant in variants or [""]]
    return found


def runs_in_window(source):
    scopes = re.search(r"^// META: global=(\S+)", source, re.MULTILINE)
    return scopes is None or bool({"window", "window-module"} & set(scopes[1].split(",")))


def build(checkout, file, folder, harness=None):
    """Makes an app of a file: its page at the root of the package, everything else at its own path.

    The harness is that of the checkout, or of another one.
    """
    name, mark, variant = file.partition("?")
    path = checkout / name
    source = path.read_text("utf-8", "replace")
    harness = harness or checkout
    copy(harness, harness / "resources/testharness.js", folder, set())
    (folder / "resources/testharnessreport.js").write_text((HERE / "harness.js").read_text() + REPORT)
    # Addresses in the file are relative to its own folder.
    (folder / "app.js").write_text(f'history.replaceState(null, "", "/{name}{mark}{variant}");')
    start = '<script src="/resources/testharness.js"></script><script src="/resources/testharnessreport.js"></script>'
    if name.endswith(".js"):
        scripts = re.findall(r"^// META: script=(\S+)", source, re.MULTILINE)
        tags = "".join(f'<script src="{html.escape(absolute(name, script))}"></script>' for script in scripts)
        page = f'<!doctype html><meta charset="utf-8"><title>{name}</title><script src="app.js"></script>' \
            f"{start}<script>self.GLOBAL = {{ isWindow: () => true, isWorker: () => false, isShadowRealm: () => false }};" \
            f'</script>{tags}<div id="log"></div><script src="/{name}"></script>'
    else:
        page = re.sub(r"(<script[^>]*testharness\.js)", r'<script src="/app.js"></script>\1', source, count=1)
        # The page is at the root of the package, not where the file is.
        page = re.sub(r"""(<script[^>]*\bsrc\s*=\s*["']?)([^"'\s>]+)""",
                      lambda match: match[1] + absolute(name, match[2]), page)
    (folder / "app.html").write_text(without_inline(page, folder))
    copy(checkout, path, folder, set())


def absolute(name, address):
    return urllib.parse.urljoin(f"/{name}", address)


def without_inline(page, folder):
    """The policy of a page permits no inline scripts: each becomes a file."""
    count = 0

    def moved(match):
        nonlocal count
        if re.search(r"\bsrc\s*=", match[1]) or not match[2].strip():
            return match[0]
        count += 1
        (folder / f"inline-{count}.js").write_text(match[2])
        return f'<script{match[1]} src="/inline-{count}.js"></script>'

    return SCRIPT.sub(moved, page)


def copy(checkout, path, folder, seen):
    """Copies a file and, if it is text, the files of the checkout that it names."""
    if path in seen or not path.is_file() or not path.is_relative_to(checkout) or len(seen) > 500:
        return
    seen.add(path)
    target = folder / path.relative_to(checkout)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    if path.suffix not in (".js", ".html", ".htm", ".mjs") or path.name == "testharness.js":
        return
    source = path.read_text("utf-8", "replace")
    for name in set(RESOURCE.findall(source)) | set(re.findall(r"^// META: script=(\S+)", source, re.MULTILINE)):
        if len(name) > 255:
            continue
        near = checkout / name[1:] if name.startswith("/") else path.parent / name
        copy(checkout, near.resolve(), folder, seen)
