"""The bundled apps with data and permissions, for pages to show.

Each scene opens one app, and yields when its page shows what is worth seeing. Data that an app would get from
a server comes from its own fixtures, or from a server on this machine.
"""

from __future__ import annotations

import http.server
import json
import math
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from browser.chromium import Page
from browser.host import ROOT, Host

MINUTE, HOUR = 60_000, 3_600_000
AXES = [{"name": axis, "unit": "m/s2"} for axis in "xyz"]
POSITION = {"latitude": "deg", "longitude": "deg", "accuracy": "m"}
# Where the servers that the manifest of `trips` names listen.
TRIPS_PORT = 8095


def show_all(host: Host, page: Page, only: str | None = None) -> Iterator[str]:
    """Opens one app after the other, or the named one; yields its name while its page is open."""
    for name, scene in SCENES.items():
        if only not in (None, name):
            continue
        host.run("install", str(ROOT / "jsapps" / name))
        for _ in scene(host, page):
            yield name


def _open(host: Host, page: Page, app: str, is_shown: str) -> None:
    # A link works once, and must not be the page that is open already.
    page.goto("about:blank")
    page.goto(host.run("open", app, "--no-browser").split()[0])
    page.until(is_shown, 40)


def _allow(host: Host, app: str, *privileges: str) -> None:
    for privilege in privileges:
        host.run("permissions", "grant", app, privilege)


def _click(page: Page, selector: str) -> None:
    page.run(f"document.querySelector({json.dumps(selector)}).click(); 0")


def _enter(page: Page, **values: str) -> None:
    for name, value in values.items():
        page.run(f"document.getElementById({json.dumps(name)}).value = {json.dumps(value)}; 0")


def _gait(host: Host, page: Page) -> Iterator[None]:
    """Two limbs, while a session is recorded."""
    for seed, side in enumerate(("left", "right"), 1):
        host.simulate(f"accelerometer.{side}-ankle", f"{side.capitalize()} ankle", "accelerometer",
                      rate=50, seed=seed, fields=AXES, scenario="walk")
    _allow(host, "gait", "sensor:accelerometer", "sessions:write", "storage")
    _open(host, page, "gait", "document.querySelectorAll('.limb canvas').length === 2")
    page.run("document.querySelector('#new-name').value = 'Lunch walk'; 0")
    _click(page, "#new-form button")
    page.until("!document.querySelector('#session').hidden")
    _click(page, "#start")
    page.wait(12)
    yield


def _house(host: Host) -> None:
    """A door and three rooms, unless they are there."""
    if any(sensor["id"] == "door.front" for sensor in host.call("GET", "/sensors")["items"]):
        return
    host.call("PUT", "/sensors/door.front", {"title": "Front door", "fields": [
        {"name": "lock", "kind": "state"}, {"name": "door", "kind": "state"},
        {"name": "battery", "unit": "%"}]})
    for room in ("bedroom", "kitchen", "living-room"):
        host.declare(f"climate.{room}", room.replace("-", " ").capitalize(), temperature="Cel", humidity="%")
    now = int(time.time() * 1000)
    host.call("POST", "/sensors/door.front/samples", {
        "t": now, "lock": "locked", "door": "closed", "battery": 87.5})
    for place, (room, temperature, humidity) in enumerate((
            ("bedroom", 18.5, 52), ("kitchen", 22, 61), ("living-room", 21.4, 44))):
        host.call("POST", f"/sensors/climate.{room}/samples", {
            "t": now - place * MINUTE, "temperature": temperature, "humidity": humidity})


def _home(host: Host, page: Page) -> Iterator[None]:
    """A locked door, three rooms, and an answer."""
    _house(host)
    _allow(host, "home", "sensor:door", "sensor:climate", "storage")
    _open(host, page, "home", "document.querySelector('[data-sensor=\"climate.kitchen\"], [data-sensor=\"door.front\"]')")
    page.wait(2)
    page.run("document.querySelector('#question').value = 'What is the temperature in the bedroom?';"
             "document.querySelector('#ask').requestSubmit(); 0")
    page.wait(1)
    yield


def _probes(host: Host, page: Page) -> Iterator[None]:
    _allow(host, "probes", "sensor:cpu", "sensor:memory", "storage")
    _open(host, page, "probes", "document.querySelectorAll('#samples tbody tr').length > 3")
    yield


class _Provider(http.server.BaseHTTPRequestHandler):
    """A provider that takes reports of trips from one user."""

    PROFILE = {
        "profile": {
            "Id": 7, "Firstname": "Ada", "Lastname": "Example", "HomeLatitude": "56.1", "HomeLongitude": "10.2",
            "Authorization": {"GuId": "6f9619ff-8b86-d011-b42d-00c04fc964ff"},
            "Employments": [{"Id": 3, "EmploymentPosition": "Nurse, northern district", "ManNr": "1"}]},
        "rates": [{"Id": 1, "Description": "High rate", "Year": "2026"}],
    }
    LIST = [{
        "Name": "Example municipality", "APIUrl": f"http://localhost:{TRIPS_PORT}/api", "ImgUrl": "",
        "TextColor": "#FFFFFF", "PrimaryColor": "#00665F", "SecondaryColor": "#DB813C"}]

    def log_message(self, *_: object) -> None:
        """Prints nothing."""

    def do_GET(self) -> None:
        self._answer(self.LIST)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(self.PROFILE)

    def _answer(self, value: object) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _trips(host: Host, page: Page) -> Iterator[None]:
    """A trip that is recorded, with a pause."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", TRIPS_PORT), _Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        host.declare("location.phone", "Phone, position", **POSITION)
        _allow(host, "trips", "sensor:location", "sessions:write", "storage", f"net:http://localhost:{TRIPS_PORT}")
        _open(host, page, "trips", "document.querySelector('[data-provider]')")
        _enter(page, **{"list-address": f"http://localhost:{TRIPS_PORT}/api/appinfo"})
        page.run("document.getElementById('list-form').requestSubmit(); 0")
        page.wait(1)
        _click(page, "[data-provider]")
        page.until("document.getElementById('user')?.offsetParent")
        _enter(page, user="ada", password="secret")
        page.run("document.getElementById('login-form').requestSubmit(); 0")
        page.until("document.querySelector('#placement option[value=\"3\"]')")
        _enter(page, purpose="Visit at the school", placement="3", rate="1")
        latitude, longitude = 56.15, 10.2
        _click(page, "#start")
        # The first five seconds of a receiver do not count.
        for step in range(20):
            host.call("POST", "/sensors/location.phone/samples", {
                "latitude": latitude, "longitude": longitude, "accuracy": 5})
            if step > 6:
                latitude += 0.0006 * math.cos(step / 4)
                longitude += 0.0011 * math.sin(step / 4) + 0.0004
            page.wait(1)
        yield
    finally:
        server.shutdown()
        server.server_close()


# The answers of the weather server are the fixtures of the app, moved to today.
WEATHER = """(async () => {
  const { current, forecast } = await import("/fixtures.js");
  const now = Math.floor(Date.now() / 1000), answer = forecast();
  const shift = Math.ceil(now / 10800) * 10800 - answer.list[0].dt;
  for (const block of answer.list) block.dt += shift;
  answer.city.timezone = 3600;
  const place = (kind) => `${kind} 47.38 8.54 metric`;
  await nervous.storage.set("answers", {
    weather: { place: place("weather"), asked: Date.now(), answer: current() },
    forecast: { place: place("forecast"), asked: Date.now(), answer },
  });
  await nervous.storage.set("settings", { key: "0123456789abcdef", latitude: 47.38, longitude: 8.54 });
})()"""


def _wall(host: Host, page: Page) -> Iterator[None]:
    """The weather of the fixtures, a room and a door."""
    _house(host)
    _allow(host, "wall", "sensor:climate", "sensor:door", "storage", "net:https://api.openweathermap.org")
    _open(host, page, "wall", "document.querySelector('#settings')")
    page.run(WEATHER)
    _open(host, page, "wall", "document.querySelectorAll('#forecast li').length === 3")
    page.wait(6)
    yield


def _workouts(host: Host, page: Page) -> Iterator[None]:
    """A week of workouts, and one that is recorded."""
    for kind, fields in (
            ("location", [{"name": name, "unit": unit} for name, unit in
                          ({**POSITION, "altitude": "m", "speed": "m/s", "heading": "deg"}).items()]),
            ("steps", [{"name": "steps", "unit": "{step}", "kind": "integer"}]),
            ("barometer", [{"name": "pressure", "unit": "hPa"}])):
        host.simulate(f"{kind}.walk", f"Walk, {kind}", kind, rate=1, seed=7, fields=fields, scenario="walk")
        _allow(host, "workouts", f"sensor:{kind}.walk")
    for kind in ("workout", "steps", "flights-climbed", "distance-walking-running", "distance-cycling"):
        _allow(host, "workouts", f"health:{kind}", f"health:{kind}:write")
    _allow(host, "workouts", "storage")
    is_shown = "document.querySelector('[data-step]')"
    _open(host, page, "workouts", is_shown)
    now, rows = int(time.time() * 1000), []
    for label, hours, metres, steps, floors, minutes in (
            ("walking", 3, 1900, 2600, 2, 26), ("running", 26, 8200, 7900, 12, 43),
            ("cycling", 50, 24300, None, None, 71), ("walking", 75, 3800, 5100, 3, 52),
            ("running", 122, 5000, 5200, 1, 28)):
        start, id_ = now - hours * HOUR, f"w-{hours}"
        end = start + minutes * MINUTE
        rows.append({
            "id": id_, "source": "recorded", "label": label, "start": start, "end": end,
            "duration": minutes * MINUTE, "spans": [{"from": start, "to": end}], "distance": metres,
            "steps": steps, "floors": floors, "altitude": None})
        way = _loop(start, 120)
        page.run(f"nervous.storage.set('route-{id_}', {json.dumps([way[:70], way[76:]])}).then(() => 0)")
    page.run(f"nervous.storage.set('workouts', {json.dumps(rows)}).then(() => 0)")
    _open(host, page, "workouts", "document.querySelectorAll('#list li').length > 3")
    _click(page, "[data-step=start]")
    page.wait(14)
    yield


def _loop(start: int, count: int) -> list[dict]:
    """Positions of a way that returns to its start."""
    way = []
    for place in range(count):
        angle = 2 * math.pi * place / count
        way.append({
            "t": start + place * 15_000, "latitude": 47.37 + 0.006 * math.sin(angle) + 0.0012 * math.sin(5 * angle),
            "longitude": 8.54 + 0.011 * math.cos(angle), "altitude": 408 + 6 * math.sin(2 * angle)})
    return way


SCENES = {
    "gait": _gait, "home": _home, "probes": _probes, "trips": _trips, "wall": _wall, "workouts": _workouts,
}
