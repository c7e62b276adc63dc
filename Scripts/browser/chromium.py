"""A headless Chromium, over the pipe of its DevTools protocol: no port that others could use."""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27}
ANSWER_SECONDS = 120


class BrowserFailed(Exception):
    """Chromium ended, refused a command, or a page did not get into a state in time."""


def is_installed() -> bool:
    """Whether Chromium can be started."""
    return shutil.which("chromium") is not None


class Chromium:
    """One browser with a profile of its own; it ends with its pipe, so at the latest with this process."""

    def __init__(self, folder: Path, arguments: list[str] | None = None) -> None:
        command_end, self._commands = os.pipe()
        self._answers, answer_end = os.pipe()
        options = [
            "chromium", "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={folder}",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
            "--disable-component-update", "--disable-extensions", "--hide-scrollbars", "--no-first-run",
            *(arguments or []),
        ]
        # Chromium cannot confine itself as root.
        options += ["--no-sandbox"] if os.geteuid() == 0 else []
        # It reads descriptor 3 and writes descriptor 4.
        script = f'exec "$@" 3</dev/fd/{command_end} 4>/dev/fd/{answer_end}'
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", script, "sh", *options], pass_fds=(command_end, answer_end),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)})
        os.close(command_end)
        os.close(answer_end)
        self._numbers = itertools.count(1)
        self._received = b""
        self._results: dict[int, dict] = {}
        self._pages: dict[str, Page] = {}
        self.version: str = self.call("Browser.getVersion")["product"]

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends it and waits for its end."""
        os.close(self._commands)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._answers)

    def page(self, width: int = 1280, height: int = 900) -> Page:
        """A new tab in the foreground."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._pages[session] = Page(self, target, session)
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self._pages[session].call(f"{domain}.enable")
        self._pages[session].resize(width, height)
        return self._pages[session]

    def call(self, method: str, session: str | None = None, **parameters: object) -> dict:
        """The result of a command of the protocol."""
        number = next(self._numbers)
        message: dict = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data):]
        end = time.monotonic() + ANSWER_SECONDS
        while number not in self._results:
            if not self.listen(end - time.monotonic()):
                raise BrowserFailed(f"{method} was not answered within {ANSWER_SECONDS} s")
        answer = self._results.pop(number)
        if "error" in answer:
            raise BrowserFailed(f"{method}: {answer['error'].get('message')}")
        return answer["result"]

    def listen(self, seconds: float) -> bool:
        """Takes what Chromium sends, waiting for up to so many seconds; whether there was something."""
        if not select.select([self._answers], [], [], max(0, seconds))[0]:
            return False
        received = os.read(self._answers, 1 << 20)
        if not received:
            raise BrowserFailed("Chromium ended.")
        *messages, self._received = (self._received + received).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._results[message["id"]] = message
            elif page := self._pages.get(message.get("sessionId", "")):
                page.take(message["method"], message["params"])
        return True


class Page:
    """One tab."""

    def __init__(self, chromium: Chromium, target: str, session: str) -> None:
        self._chromium, self._target, self._session = chromium, target, session
        # Requests since `goto`, by their identifier: their address and the bytes on the wire.
        self.requests: dict[str, tuple[str, int]] = {}
        self.errors: list[str] = []

    def call(self, method: str, **parameters: object) -> dict:
        """The result of a command of the protocol for this tab."""
        return self._chromium.call(method, self._session, **parameters)

    def take(self, method: str, parameters: dict) -> None:
        """Notes an event."""
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            address = parameters["request"]["url"]
            if not address.startswith("data:"):
                self.requests[parameters["requestId"]] = (address, 0)
        elif method in ("Network.dataReceived", "Network.responseReceived", "Network.loadingFinished"):
            request = parameters["requestId"]
            if request not in self.requests:
                return
            address, size = self.requests[request]
            if method == "Network.responseReceived":
                size = int(parameters["response"]["encodedDataLength"])
            elif method == "Network.dataReceived":
                size += parameters["encodedDataLength"]
            else:
                size = max(size, int(parameters["encodedDataLength"]))
            self.requests[request] = (address, size)

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """Sets the size of the view in CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def set_dark(self, is_dark: bool) -> None:
        """Sets the colour scheme that the page is told to prefer."""
        scheme = "dark" if is_dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def goto(self, address: str) -> None:
        """Begins to load another page."""
        self.requests.clear()
        answer = self.call("Page.navigate", url=address)
        if "errorText" in answer:
            raise BrowserFailed(f"{address}: {answer['errorText']}")

    def run(self, expression: str) -> object:
        """The value of an expression, or of its promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserFailed(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def until(self, expression: str, seconds: float = 60) -> object:
        """Waits until an expression is true; its value."""
        end = time.monotonic() + seconds
        while True:
            try:
                # An element is an empty object here.
                if (value := self.run(expression)) not in (None, False, 0, ""):
                    return value
            except BrowserFailed as failure:
                # The page is being replaced.
                if "context" not in str(failure) and "navigated" not in str(failure):
                    raise
            if time.monotonic() > end:
                raise BrowserFailed(f"{expression} was not true within {seconds:.0f} s: "
                                    f"{self.run('document.body.innerText')} {self.errors}")
            self.wait(0.02)

    def wait(self, seconds: float, is_over: Callable[[], bool] = lambda: False) -> None:
        """Takes events for some seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not is_over():
            self._chromium.listen(left)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Presses and releases a key."""
        more = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": 8 if shift else 0}
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **more, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **more)

    def metrics(self) -> dict[str, float]:
        """What `Performance.getMetrics` counts."""
        return {item["name"]: item["value"] for item in self.call("Performance.getMetrics")["metrics"]}

    def picture(self) -> bytes:
        """The view as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def show(self) -> None:
        """Brings the tab to the foreground."""
        self.call("Page.bringToFront")

    def close(self) -> None:
        """Closes the tab."""
        self._chromium.call("Target.closeTarget", targetId=self._target)
