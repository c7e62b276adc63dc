"""Results of test files, and the file with those that are expected."""

import collections
import dataclasses
import json
import re
import urllib.parse

# Names of tests may be as long as their input.
NAME = 160
# More failures of a file are only counted.
LISTED = 60


def shortened(name):
    name = " ".join(json.dumps(name)[1:-1].split())
    return name if len(name) <= NAME else name[: NAME - 1] + "…"


@dataclasses.dataclass
class Result:
    """What a file reported: the tests that passed, and those that failed with their messages."""

    passed: int = 0
    failed: dict = dataclasses.field(default_factory=dict)
    problem: str = ""

    @property
    def total(self):
        return self.passed + len(self.failed)

    @classmethod
    def parse(cls, status, output):
        """Reads the lines that `harness.js` prints: `RESULT passed`, `FAILED name message`, `END`."""
        result, ended = cls(), False
        for line in output.splitlines():
            words = line.split(" ")
            if words[0] == "RESULT" and len(words) == 2:
                result.passed = int(words[1])
            elif words[0] == "FAILED" and len(words) == 3:
                name, message = (urllib.parse.unquote(word) for word in words[1:])
                name = shortened(name)
                while name in result.failed:
                    name += "'"
                result.failed[name] = message
            elif words[0] == "END":
                ended = True
        if not ended:
            last = [line for line in output.splitlines() if line.strip()]
            result.problem = next((line for line in last if re.match(r"(error|uncaught):", line)), last[-1] if last else "")
            result.failed.setdefault("(the file ran to its end)", f"exit code {status}: {result.problem}")
        return result

    def shown(self, file):
        lines = [f"{file}: {self.passed}/{self.total}"]
        lines += [f"    {name}: {shortened(message)}" for name, message in self.failed.items()]
        return "\n".join(lines)


class Expected:
    """The expected results of a suite, in a text file: `file passed/total`, then the tests that fail, indented."""

    def __init__(self, path):
        self.path, self.files = path, {}
        file = None
        for line in path.read_text().splitlines() if path.exists() else []:
            if line.startswith("    "):
                self.files[file][2].add(line[4:])
            elif line and not line.startswith("#"):
                file, counts = line.rsplit(" ", 1)
                passed, total = map(int, counts.split("/"))
                self.files[file] = (passed, total, set())

    def update(self, results):
        for file, result in results.items():
            listed = set(result.failed) if len(result.failed) <= LISTED else set()
            self.files[file] = (result.passed, result.total, listed)
        lines = ["# Passed and all tests of each file, and those that fail. Written by Tests/Conformance/run --update."]
        for file in sorted(self.files):
            passed, total, failed = self.files[file]
            lines.append(f"{file} {passed}/{total}")
            lines += [f"    {name}" for name in sorted(failed)]
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text("\n".join(lines) + "\n")

    def regressions(self, results):
        lines = []
        for file, result in results.items():
            if file not in self.files:
                lines += [f"no expected result: {file} {result.passed}/{result.total}"]
                continue
            passed, total, failed = self.files[file]
            isListed = len(failed) == total - passed
            new = sorted(set(result.failed) - failed) if isListed else []
            if not new and result.passed < passed:
                new = [f"{passed} tests were expected to pass, {result.passed} do"]
            lines += [f"regression: {file}: {name}: {shortened(result.failed.get(name, ''))}" for name in new]
        return lines

    def improvements(self, results):
        return sum(
            max(0, result.passed - self.files[file][0]) for file, result in results.items() if file in self.files)

    def missing(self, files):
        return sorted(set(self.files) - set(files))


def shares(results, reference, folders):
    """Lines with the share of the tests that pass in the reference which pass here: of each folder, and of all.

    Names of passing tests are not recorded: of a file, those pass here that pass in the reference, less those that
    fail here alone.
    """
    both, known = collections.Counter(), collections.Counter()
    for file, result in results.items():
        if file not in reference.files:
            continue
        passed, total, failed = reference.files[file]
        isListed = len(failed) == total - passed
        alone = len(set(result.failed) - failed) if isListed else max(0, len(result.failed) - (total - passed))
        for folder in {"all", *(one for one in folders if isinstance(one, str) and file.startswith(one + "/"))}:
            both[folder] += min(result.passed, max(0, passed - alone))
            known[folder] += passed
    return [
        f"{folder}: {both[folder]} of the {known[folder]} tests that pass in Chromium, {100 * both[folder] / known[folder]:.1f} %"
        for folder in sorted(known, key=lambda folder: (folder == "all", folder)) if known[folder]]
