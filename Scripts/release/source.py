"""What is packaged: its folder, version and time."""

import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def fail(message, code=1):
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(code)


def output(*command, **options):
    """What a command prints. Its failure is an error that shows what it reported."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout
    except FileNotFoundError:
        fail(f"{command[0]} is missing; run Scripts/setup")
    except subprocess.CalledProcessError as error:
        fail(f"{' '.join(command)}: {error.stderr.strip()}")


def version():
    protocol = (ROOT / "Sources/RunnerProtocol/RunnerFrame.swift").read_text()
    return re.search(r'static let version = "([^"]+)"', protocol)[1]


def package_version():
    """The version; of a commit that is no release, with its time, so that a later one is newer."""
    commit = git("log", "-1", "--format=%ct")
    if not commit or f"v{version()}" in git("tag", "--points-at", "HEAD").split():
        return version()
    return f"{version()}~{time.strftime('%Y%m%d%H%M%S', time.gmtime(int(commit)))}"


def git(*words):
    """What git prints; empty without a repository."""
    call = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return call.stdout.strip()


def source_time():
    """The seconds that all files of a package get: SOURCE_DATE_EPOCH, or the time of the last commit."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct")
    return int(seconds) if seconds else fail("without a repository, SOURCE_DATE_EPOCH must be set")


def source_date(form):
    """The time of the source, in UTC."""
    return time.strftime(form, time.gmtime(source_time()))
