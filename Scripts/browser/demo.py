"""Data for pages to show: sensors with history, programs and apps that read them, a session, a request."""

from __future__ import annotations

import json
import math
import random
import time
from pathlib import Path

from browser.host import ROOT, Host, HostFailed

SESSION = "lunch-walk"
ASKING = "step-counter"
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
SCRIPTS = {
    # Asks once, and again when it is answered with no.
    ASKING: """"use strict";
console.log("Counting steps of the phone");
nervous.permissions.request({ name: "accelerometer.phone" }).then(({ state }) => console.log(`Answer: ${state}`));
setInterval(() => {}, 60_000);
""",
    "climate-log": """"use strict";
setInterval(async () => {
  const { temperature, humidity } = await nervous.sensor("temperature.attic").latest();
  console.log(`${temperature} °C, ${humidity} %`);
}, 5000);
""",
}
PACKAGES = {
    ASKING: {
        "title": "Step counter", "author": "Ada Example", "license": "Apache-2.0",
        "description": "Counts the steps of the phone in your pocket, and shows them hour by hour.",
        "privileges": [
            {"sensor": "accelerometer.phone", "reason": "Counts your steps while the phone is in your pocket"},
            {"storage": True, "reason": "Keeps the count of each day"}],
    },
    "climate-log": {
        "title": "Climate log", "author": "Ada Example", "license": "Apache-2.0",
        "description": "Logs how warm and damp the attic is.",
        "privileges": [{"sensor": "temperature.attic", "reason": "Shows the climate of the attic"},
                       {"notify": True, "reason": "Says when it becomes too damp"}],
    },
}


def fill(host: Host, folder: Path) -> None:
    """Adds everything but the request."""
    _sensors(host)
    _apps(host, folder)
    _programs(host)
    host.call("POST", "/sessions", {
        "id": SESSION, "name": "Lunch walk", "description": "Around the lake",
        "sensors": ["location.phone", "accelerometer.phone"]})
    host.call("POST", f"/sessions/{SESSION}/start")
    host.call("PUT", "/alerts/busy", {
        "sensor": "cpu", "field": "busy", "window": "5m", "above": 90, "clear": 80, "for": "2m"})
    host.call("PUT", "/alerts/attic-silent", {"sensor": "temperature.attic", "silence": "30m"})


def ask(host: Host) -> None:
    """Starts the app whose request for a permission then waits."""
    run = host.call("POST", f"/apps/{ASKING}/runs", {"background": True})["run"]
    host.call("POST", f"/runs/{run}/start")


def _sensors(host: Host) -> None:
    noise, now = random.Random(7), int(time.time() * 1000)
    host.declare("temperature.attic", "Attic", temperature="Cel", humidity="%")
    times, temperatures, humidities, drift = [], [], [], 0.0
    for time_ in range(now - 90 * DAY, now, 5 * MINUTE):
        drift = 0.995 * drift + noise.gauss(0, 0.08)
        ago = now - time_
        if 3.2 * DAY < ago < 3.7 * DAY:
            continue
        daily = math.sin(((time_ % DAY) / HOUR - 9) / 24 * 2 * math.pi)
        times.append(time_)
        temperatures.append(round(19 + 6 * daily + 3 * math.sin(time_ / DAY / 20) + drift, 2))
        humidities.append(round(55 - 8 * daily + 3 * drift, 1))
    host.publish("temperature.attic", times, temperature=temperatures, humidity=humidities)
    host.declare("barometer.phone", "Phone, barometer", pressure="hPa")
    times = list(range(now - 75 * MINUTE, now - 14 * MINUTE, 30_000))
    host.publish("barometer.phone", times, pressure=[
        round(962.4 + math.sin(t / 900_000) + noise.gauss(0, 0.05), 2) for t in times])
    host.call("PUT", "/sensors/door.front", {
        "title": "Front door", "fields": [{"name": "state", "kind": "state"}]})
    host.call("POST", "/sensors/door.front/samples", [
        {"t": now - k * 15 * MINUTE, "state": noise.choice(["open", "closed"])} for k in range(40, 0, -1)])
    axes = [{"name": axis, "unit": "m/s2"} for axis in "xyz"]
    host.simulate("accelerometer.phone", "Phone, accelerometer", "accelerometer", rate=10, seed=7, fields=axes)
    places = [{"name": name, "unit": unit} for name, unit in (
        ("latitude", "deg"), ("longitude", "deg"), ("accuracy", "m"), ("altitude", "m"), ("speed", "m/s"),
        ("heading", "deg"))]
    host.simulate("location.phone", "Phone, position", "location", rate=1, seed=7, fields=places)


def _apps(host: Host, folder: Path) -> None:
    for name, script in SCRIPTS.items():
        place = folder / name
        place.mkdir(parents=True)
        (place / "package.json").write_text(json.dumps({"name": name, "version": "1.2.0", **PACKAGES[name]}))
        (place / "app.js").write_text(script)
        (place / "app.html").write_text(f"<!doctype html><title>{name}</title><p>{name}")
        host.run("install", str(place))
    host.run("install", str(ROOT / "jsapps/load-watch"))
    host.run("permissions", "grant", "load-watch", "sensor:cpu")
    host.run("permissions", "grant", "climate-log", "sensor:temperature.attic")
    host.run("permissions", "deny", "climate-log", "notify")
    for name in ("load-watch", "climate-log"):
        run = host.call("POST", f"/apps/{name}/runs", {"background": True})["run"]
        host.call("POST", f"/runs/{run}/start")


def _programs(host: Host) -> None:
    """Tokens, and what they read and are refused."""
    made = {name: host.call("POST", "/tokens", {"name": name, "allow": allow, "lifetime": "30d"})["token"]
            for name, allow in (("grafana", ["sensor:cpu", "sensor:memory"]), ("backup-script", []))}
    host.call("PUT", "/grants/grafana/sensor:load", {
        "decision": "allow", "terms": {"access": "raw", "rate": 1, "precision": 0.5, "history": "1h"}})
    # A host that has just started has no samples yet.
    end = time.monotonic() + 60
    for sensor in 3 * ("cpu", "memory", "load"):
        while True:
            try:
                host.call("GET", f"/sensors/{sensor}/latest", token=made["grafana"])
                break
            except HostFailed as failure:
                if "no-samples" not in str(failure) or time.monotonic() > end:
                    raise
                time.sleep(0.2)
    try:
        host.call("GET", "/sensors/temperature.attic/latest", token=made["backup-script"])
    except HostFailed:
        pass
