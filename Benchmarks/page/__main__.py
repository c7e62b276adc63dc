"""Measures the owner's dashboard in Chromium, beside Netdata's where that is installed."""

from __future__ import annotations

import argparse
import getpass
import json
import math
import os
import platform
import signal
import sys
import tempfile
import time
from pathlib import Path

from browser.chromium import BrowserFailed, is_installed
from browser.host import Host, HostFailed, program
from harness.process import ProcessFailed
from page import live, loads, netdata
from page.bare import BarePage
from page.figure import Figure, side_by_side, with_goals

SENSORS = 12
PUBLISHED = 4
PARTS = ("loads", "delay", "million", "answer", "tabs")


def main() -> int:
    """Measures; 1 when a part failed, 69 when nothing can be measured. A missed goal is printed only."""
    arguments = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if not is_installed():
        print("skipped everything: chromium is missing; apt-get install chromium", file=sys.stderr)
        return 69
    try:
        nervous, build = program()
    except HostFailed as failure:
        print(f"skipped everything: {failure}", file=sys.stderr)
        return 69
    beside, ahead, failed, notes = [], [], [], []
    begun = os.getloadavg()
    with tempfile.TemporaryDirectory(prefix="nervous-page-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with Host(folder / "host", nervous) as host:
            published = _prepare(host)
            # As much as a sensor varies, so that every curve moves.
            with live.Publisher(host, published, 1, lambda n: 20 + math.sin(n / 7)):
                for part in arguments.parts:
                    try:
                        _measure(part, arguments, host, folder, beside, ahead, notes)
                    except (BrowserFailed, HostFailed, ProcessFailed, OSError) as failure:
                        failed.append(f"{part}: {failure}")
    machine = f"{os.cpu_count()} processors, Linux {platform.release()}"
    loaded = [f"{one:.1f}" for one in (begun[0], os.getloadavg()[0])]
    print(f"{machine}; load of the last minute {loaded[0]} before and {loaded[1]} after")
    print(f"nervous: {build}; median (smallest – largest; rounds)")
    subjects = list(dict.fromkeys(figure.subject for figure in beside))
    if beside:
        print(f"\nOverview with {SENSORS} live sensors, 1600 × 1000, empty cache\n{side_by_side(beside, subjects)}")
    if ahead:
        print(f"\n{with_goals(ahead)}")
    for note in notes:
        print(note)
    for failure in failed:
        print(f"failed {failure}", file=sys.stderr)
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "machine": machine, "load": [begun[0], os.getloadavg()[0]], "build": build, "notes": notes,
            "failed": failed, "figures": [figure.record() for figure in beside + ahead],
        }, indent=2) + "\n")
    return 1 if failed else 0


def _measure(
    part: str, arguments: argparse.Namespace, host: Host, folder: Path, beside: list[Figure],
    ahead: list[Figure], notes: list[str],
) -> None:
    if part == "loads":
        options = {"loads": arguments.loads, "watched": arguments.watched, "seconds": arguments.seconds, "say": _say}
        beside += loads.measure("nervous", f"{host.origin}/", live.sign_in(host), **options)
        with BarePage() as bare:
            beside += loads.measure("bare page", f"{bare.origin}/", lambda _: None, **options | {"watched": 0})
        if version := netdata.version():
            with netdata.Netdata(folder / "netdata", getpass.getuser()) as other:
                # As long as the host has collected, at least.
                time.sleep(arguments.seconds)
                beside += loads.measure(f"netdata {version}", f"{other.origin}/", lambda _: None, **options)
        else:
            notes.append("skipped netdata: it is missing; apt-get install netdata")
        return
    if part == "tabs":
        figures, visible = live.tabs(host, folder / "tabs", arguments.tabs, arguments.minutes, _say)
        ahead += figures
        notes.append(f"{visible} of {arguments.tabs} tabs were visible.")
        return
    _say(part)
    with loads.browser(folder / f"profile-{part}") as chromium:
        page = chromium.page()
        live.sign_in(host)(page)
        if part == "delay":
            ahead.append(live.delay(host, page, arguments.pulses))
        elif part == "million":
            ahead += live.million(host, page, arguments.loads)
        else:
            ahead.append(live.answer(host, page, arguments.loads))


def _prepare(host: Host) -> list[str]:
    """Leaves twelve sensors live: those of the machine, and published ones with an hour of history."""
    def live_now() -> list[str]:
        items = host.call("GET", "/sensors")["items"]
        return [one["id"] for one in items if one["available"] and one["level"] != "off"]

    for surplus in live_now()[SENSORS - PUBLISHED:]:
        host.call("PUT", f"/collection/{surplus}", {"level": "off"})
    names = [f"bench.{number + 1}" for number in range(SENSORS - len(live_now()))]
    now = int(time.time() * 1000)
    times = list(range(now - 3_600_000, now, 1000))
    for number, name in enumerate(names):
        host.declare(name, f"Published {number + 1}", value="Cel")
        host.publish(name, times, value=[20 + math.sin(t / 400_000 + number) for t in times])
    if len(live_now()) != SENSORS:
        raise HostFailed(f"{len(live_now())} sensors are live instead of {SENSORS}")
    return names


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench ARGS=page", description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART",
                        help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--loads", type=int, default=5, help="loads of each dashboard, and rounds of the others")
    parser.add_argument("--watched", type=int, default=3, help="of them stay open for some time")
    parser.add_argument("--seconds", type=float, default=60, help="for which they stay open")
    parser.add_argument("--pulses", type=int, default=30, help="pulses of the trace")
    parser.add_argument("--tabs", type=int, default=20, help="tabs that are open at once")
    parser.add_argument("--minutes", type=float, default=10, help="for which the tabs are open")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"{', '.join(sorted(unknown))}: none of {', '.join(PARTS)}")
    if min(arguments.loads, arguments.watched, arguments.tabs, arguments.pulses) < 1:
        parser.error("--loads, --watched, --tabs and --pulses are numbers from 1")
    if arguments.seconds < loads.BUSY_SECONDS + loads.QUIET_SECONDS or arguments.minutes <= 0:
        parser.error(f"--seconds is at least {loads.BUSY_SECONDS + loads.QUIET_SECONDS}, --minutes more than 0")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
