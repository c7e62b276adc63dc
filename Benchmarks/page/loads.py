"""What a load of a dashboard costs, and what it costs while it is open."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from browser.chromium import Chromium, Page
from page.figure import Figure

QUIET_SECONDS = 2
BUSY_SECONDS = 15
# The same rule for every dashboard: the frame after the first stroke of a line of ten points or more.
FIRST_CHART = """
(() => {
  const context = CanvasRenderingContext2D.prototype, points = new WeakMap();
  const { beginPath, lineTo, stroke } = context;
  context.beginPath = function () { points.set(this, 0); return beginPath.call(this); };
  context.lineTo = function (x, y) { points.set(this, (points.get(this) ?? 0) + 1); return lineTo.call(this, x, y); };
  context.stroke = function (...path) {
    if ((points.get(this) ?? 0) >= 10 && this.canvas.isConnected && !window.firstChart) {
      window.firstChart = performance.now();
      requestAnimationFrame(() => setTimeout(() => { window.firstChart = performance.now(); window.isDrawn = true; }));
    }
    return stroke.apply(this, path);
  };
})()
"""


def browser(folder: Path, *arguments: str) -> Chromium:
    """A browser that reaches this machine only."""
    rules = "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1"
    return Chromium(folder, [f"--host-resolver-rules={rules}", *arguments])


def measure(
    subject: str, address: str, sign_in: Callable[[Page], None], *, loads: int, watched: int,
    seconds: float, say: Callable[[str], None],
) -> list[Figure]:
    """Loads an overview with an empty cache, each time in a new browser; some stay open for `seconds`."""
    taken: dict[tuple[str, str], list[float]] = {}

    def note(name: str, unit: str, value: float) -> None:
        taken.setdefault((name, unit), []).append(value)

    for number in range(loads):
        say(f"{subject}: load {number + 1} of {loads}")
        with tempfile.TemporaryDirectory(prefix="nervous-page-", ignore_cleanup_errors=True) as name, \
                browser(Path(name)) as chromium:
            page = chromium.page(1600, 1000)
            sign_in(page)
            page.goto("about:blank")
            page.call("Network.setCacheDisabled", cacheDisabled=True)
            page.call("Page.addScriptToEvaluateOnNewDocument", source=FIRST_CHART)
            page.goto(address)
            first = page.until("window.isDrawn && window.firstChart")
            page.wait(QUIET_SECONDS)
            note("requests of a load", "", len(page.requests))
            note("transferred in a load", "kB", sum(size for _, size in page.requests.values()) / 1000)
            note("first chart after navigation", "ms", first)
            if number >= watched:
                continue
            page.wait(max(0, seconds - BUSY_SECONDS - QUIET_SECONDS - first / 1000))
            before = page.metrics()
            page.wait(BUSY_SECONDS)
            after = page.metrics()
            busy = (after["TaskDuration"] - before["TaskDuration"]) * 1000
            note(f"main thread, {BUSY_SECONDS} s live", "ms", busy)
            page.call("HeapProfiler.enable")
            page.call("HeapProfiler.collectGarbage")
            metrics = page.metrics()
            note(f"JavaScript heap after {seconds:.0f} s", "MB", metrics["JSHeapUsedSize"] / 1e6)
            note("nodes of the document", "", page.run("document.querySelectorAll('*').length"))
    return [Figure(name, unit, rounds, subject=subject) for (name, unit), rounds in taken.items()]
