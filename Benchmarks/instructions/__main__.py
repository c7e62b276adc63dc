"""Counts the instructions of five paths of a host and compares them with those of the file.

The count of a path is that of the round with the fewest: what a host does besides, such as packing chunks, only adds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from browser.host import ROOT, HostFailed, tools_missing
from instructions.counting import CountedHost
from instructions.paths import NAMES, Paths

COUNTS = Path(__file__).resolve().parent / "counts.json"
MOST = 1.05


def main() -> int:
    """1 when a path takes 5 % more instructions than the file says, 69 when nothing can be counted."""
    arguments = _arguments()
    if missing := tools_missing(valgrind="valgrind", vgdb="valgrind", strip="binutils", clang="clang"):
        print(f"skipped everything: apt-get install {' '.join(sorted(set(missing)))}", file=sys.stderr)
        return 69
    nervous = Path(os.environ.get("NERVOUS") or ROOT / ".build/release/nervous").absolute()
    if not os.access(nervous, os.X_OK):
        print(f"skipped everything: {nervous} does not exist; build it first: make release", file=sys.stderr)
        return 69
    known = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    found, risen = {}, []
    try:
        with tempfile.TemporaryDirectory(prefix="nervous-instructions-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            with CountedHost(folder / "host", nervous) as host:
                for path, unit, counts in Paths(host, folder).counts(arguments.rounds, arguments.paths):
                    found[path] = round(min(counts))
                    print(_line(path, unit, counts, known.get(path)), flush=True)
                    if path in known and found[path] > known[path] * MOST:
                        risen.append(path)
    except (HostFailed, OSError) as failure:
        print(f"failed: {failure}", file=sys.stderr)
        return 1
    if arguments.record:
        COUNTS.write_text(json.dumps(known | found, indent=2) + "\n")
    elif risen or not found.keys() <= known.keys():
        reason = f"more than {MOST:g} times: {', '.join(risen)}" if risen else f"{COUNTS.name} lacks a path"
        print(f"failed: {reason}; --record writes the counts to the file", file=sys.stderr)
        return 1
    return 0


def _line(path: str, unit: str, counts: list[float], known: int | None) -> str:
    spread = f"(up to {max(counts):,.0f}; {len(counts)} rounds)"
    change = "new" if known is None else f"{100 * (min(counts) / known - 1):+.1f} %"
    return f"{path:<16}{min(counts):>10,.0f} a {unit:<8} {spread:<30} {change}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="instructions", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each path (5)")
    parser.add_argument("--record", action="store_true", help="write the counts to the file")
    parser.add_argument("paths", nargs="*", metavar="PATH",
                        help=f"the paths: {', '.join(NAMES)} (all)")
    arguments = parser.parse_args()
    arguments.paths = arguments.paths or list(NAMES)
    if unknown := set(arguments.paths) - set(NAMES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return arguments


if __name__ == "__main__":
    sys.exit(main())
