"""How soon what happens is on the screen, and an answer at the app."""

from __future__ import annotations

import http.client
import json
import math
import random
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Callable
from pathlib import Path

from browser.chromium import Page
from browser.host import Host
from page.figure import Figure
from page.loads import browser

RATE = 50
PULSE_SAMPLES = 4
WARMING_PULSES = 4
MILLION = 1_000_000
APP = "asks-once"
SIGNED_IN = "document.querySelector('.rail nav')?.hidden === false && location.hash === ''"


def sign_in(host: Host) -> Callable[[Page], None]:
    """Opens the dashboard as a person does, by a link."""
    def act(page: Page) -> None:
        page.goto(host.link())
        page.until(SIGNED_IN)
    return act


class Publisher:
    """Publishes one sample after the other over one connection, from a thread of its own."""

    def __init__(self, host: Host, sensors: list[str], rate: float, value: Callable[[int], float]) -> None:
        self._host, self._sensors, self._rate, self._value = host, sensors, rate, value
        self._is_over = threading.Event()
        self.error: OSError | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Publisher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        place = urllib.parse.urlsplit(self._host.origin)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=60)
        headers = {"Authorization": f"Bearer {self._host.token}", "Content-Type": "application/json"}
        start, number = time.monotonic(), 0
        try:
            while not self._is_over.wait(max(0, start + number / self._rate - time.monotonic())):
                value = self._value(number)
                for sensor in self._sensors:
                    body = json.dumps({"t": time.time() * 1000, "value": value})
                    connection.request("POST", f"/api/v1/sensors/{sensor}/samples", body, headers)
                    answer = connection.getresponse()
                    text = answer.read()
                    if answer.status >= 300:
                        raise OSError(f"publishing failed: {text.decode(errors='replace')}")
                number += 1
        except OSError as error:
            self.error = error


# Notes when a pulse is in the last pixels of the curve, in the frame after the one that draws it.
SEE_PULSES = """
(() => {
  const canvas = document.querySelector(".chart canvas"), context = canvas.getContext("2d");
  const probe = document.createElement("span");
  probe.style.color = "var(--series-1)";
  document.body.append(probe);
  const [red, green, blue] = getComputedStyle(probe).color.match(/[0-9.]+/g).map(Number);
  probe.remove();
  const isCurve = (data, i) => data[i + 3] > 120
    && Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < 90;
  // The curve ends in the middle of a dot; right of it are the numbers of the axis.
  const all = context.getImageData(0, 0, canvas.width, canvas.height).data;
  let right = 0;
  for (let i = 0; i < all.length; i += 4) if (isCurve(all, i)) right = Math.max(right, (i / 4) % canvas.width);
  const left = right - 8, top = Math.round(canvas.height * 0.2), height = Math.round(canvas.height * 0.25);
  window.seen = [];
  let isUp = true;
  const look = () => {
    const { data } = context.getImageData(left, top, 8, height);
    let isNow = false;
    for (let i = 0; i < data.length && !isNow; i += 4) isNow = isCurve(data, i);
    if (isNow && !isUp) requestAnimationFrame(() => window.seen.push(Date.now()));
    isUp = isNow;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()
"""


def delay(host: Host, page: Page, pulses: int) -> Figure:
    """From the call that publishes a sample to the frame with its pixels."""
    host.declare("bench.trace", "Trace", value="1")
    sent: list[float] = []
    # About a second apart, and never at the same phase of the frames.
    starts, at = set(), RATE * 4
    for _ in range(pulses + WARMING_PULSES):
        starts.add(at)
        at += RATE + random.randint(-7, 7)

    def value(number: int) -> float:
        if number in starts:
            sent.append(time.time() * 1000)
        return 1.0 if any(number - n in starts for n in range(PULSE_SAMPLES)) else 0.0

    with Publisher(host, ["bench.trace"], RATE, value) as publisher:
        page.goto(f"{host.origin}/sensors/bench.trace?range=1m")
        page.until("document.querySelector('.chart canvas') && document.querySelector('.figure.large span')?.innerText === '0'")
        # The axis takes its final width with the first pulses; they do not count.
        page.wait(30, lambda: len(sent) >= WARMING_PULSES or publisher.error is not None)
        page.wait(0.5)
        page.run(SEE_PULSES)
        page.wait(at / RATE + 10, lambda: len(sent) >= pulses + WARMING_PULSES or publisher.error is not None)
        page.wait(1)
        seen = page.run("window.seen")
    if publisher.error:
        raise publisher.error
    rounds = []
    for moment in sent[WARMING_PULSES:]:
        if later := [one for one in seen if moment <= one < moment + 800]:
            rounds.append(later[0] - moment)
    if len(rounds) < pulses / 2:
        raise OSError(f"only {len(rounds)} of {pulses} pulses were seen")
    return Figure(f"{RATE} Hz trace, publish to pixel", "ms", rounds, goal=100)


# From the request for the samples to the end of the frame that shows them.
TIME_SAMPLES = """
(() => {
  const own = window.fetch, { clearRect } = CanvasRenderingContext2D.prototype;
  let start = 0, isRead = false;
  window.marks = [];
  window.fetch = async (...call) => {
    const isRead_ = String(call[0]).includes("/samples?");
    if (isRead_) [start, isRead] = [performance.now(), false];
    const answer = await own(...call);
    if (isRead_) {
      const body = answer.arrayBuffer.bind(answer);
      answer.arrayBuffer = async () => {
        const bytes = await body();
        [isRead, window.bytes, window.received] = [true, bytes.byteLength, performance.now() - start];
        return bytes;
      };
    }
    return answer;
  };
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    if (isRead && this.canvas.closest(".chart")) {
      isRead = false;
      requestAnimationFrame(() => setTimeout(() => window.marks.push([window.received, performance.now() - start, window.bytes])));
    }
    return clearRect.apply(this, box);
  };
})()
"""


def million(host: Host, page: Page, rounds: int) -> list[Figure]:
    """From the choice of every sample to the frame that shows a million of them."""
    host.declare("bench.million", "A million samples", value="m/s2")
    now = int(time.time() * 1000)
    times = [now - 60_000 - 10 * (MILLION - i) for i in range(MILLION)]
    noise = random.Random(7)
    values = [math.sin(i / 5000) + noise.random() for i in range(MILLION)]
    host.publish("bench.million", times, value=values)
    received, shown = [], []
    for _ in range(rounds):
        page.goto(f"{host.origin}/sensors/bench.million?from={times[0]}&to={times[-1]}")
        box = "[...document.querySelectorAll('main label')].find((one) => /every sample/i.test(one.innerText))?.querySelector('input')"
        page.until(f"{box} && !{box}.disabled && document.querySelector('.figures')?.innerText.includes('Coverage')")
        page.run(TIME_SAMPLES)
        page.run(f"{box}.click()")
        first, last, size = page.until("window.marks[0]")
        if size < 16 * MILLION:
            raise OSError(f"the page read {size} bytes, which are not a million samples")
        received.append(first)
        shown.append(last)
    return [Figure("1 M samples, store to memory of the page", "ms", received),
            Figure("1 M samples, store to pixels", "ms", shown, goal=300)]


SCRIPT = """"use strict";
nervous.permissions.request({ name: "memory" }).then(({ state }) => console.log(`${state} ${Date.now()}`));
"""


def answer(host: Host, page: Page, rounds: int) -> Figure:
    """From the click at an answer until the app knows it."""
    with tempfile.TemporaryDirectory(prefix="nervous-app-") as name:
        folder = Path(name) / APP
        folder.mkdir()
        (folder / "package.json").write_text(json.dumps({
            "name": APP, "version": "1.0.0",
            "privileges": [{"sensor": "memory", "reason": "To measure how soon it knows"}]}))
        (folder / "app.js").write_text(SCRIPT)
        (folder / "app.html").write_text("<p>A benchmark")
        host.run("install", str(folder))
    page.goto(f"{host.origin}/")
    taken = []
    for _ in range(rounds):
        run = host.call("POST", f"/apps/{APP}/runs", {"background": True})["run"]
        host.call("POST", f"/runs/{run}/start")
        review = "document.querySelector('.question .button.main')"
        page.until(review)
        page.run(f"{review}.click()")
        button = "[...document.querySelectorAll('dialog .yes .answer')].at(-1)"
        page.until(f"{button} && !{button}.hasAttribute('aria-disabled')")
        clicked = page.run(f"(() => {{ const now = Date.now(); {button}.click(); return now; }})()")
        page.until("document.querySelector('dialog') === null")
        end = time.monotonic() + 60
        while not (lines := [line["text"] for line in host.call("GET", f"/runs/{run}").get("console", [])
                             if "text" in line]):
            if time.monotonic() > end:
                raise OSError("the app was not answered")
            time.sleep(0.05)
        state, moment = lines[0].split()
        if state != "granted":
            raise OSError(f"the app was told: {state}")
        taken.append(int(moment) - clicked)
        host.call("DELETE", f"/grants/{APP}/sensor:memory")
    return Figure("an answer, click to app", "ms", taken, goal=1000)


def tabs(host: Host, folder: Path, count: int, minutes: float, say: Callable[[str], None]) -> tuple[list[Figure], int]:
    """What open tabs cost the host; and how many of them are visible."""
    empty = host.memory()
    with browser(folder, "--disable-backgrounding-occluded-windows") as chromium:
        first = chromium.page()
        sign_in(host)(first)
        pages = [first]
        while len(pages) < count:
            pages.append(chromium.page())
            pages[-1].goto(f"{host.origin}/")
            pages[-1].until("document.querySelector('.rail .host .live')", 120)
        visible = sum(page.run("document.visibilityState") == "visible" for page in pages)
        shares, start = [], host.memory()
        minute = min(60.0, minutes * 60)
        for number in range(max(1, round(minutes * 60 / minute))):
            say(f"{count} tabs: minute {number + 1} of {minutes:g}")
            before, begun = host.seconds_of_processor(), time.monotonic()
            first.wait(minute)
            shares.append(100 * (host.seconds_of_processor() - before) / (time.monotonic() - begun))
        end = host.memory()
    return [
        Figure(f"{count} tabs: processor of the host", "% of a core", shares, goal=10),
        Figure("memory of the host without tabs", "MiB", [empty]),
        Figure(f"… with {count} tabs, at the beginning", "MiB", [start]),
        Figure(f"… after {minutes:g} minutes", "MiB", [end]),
    ], visible
