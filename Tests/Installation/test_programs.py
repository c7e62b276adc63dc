"""How the programs are linked."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import unittest

from places import BUILD, PROGRAMS


def elf(program, *options):
    """What readelf prints about a program."""
    return subprocess.run(
        ["readelf", "--wide", *options, BUILD / program], check=True, capture_output=True, text=True,
        env={**os.environ, "LC_ALL": "C"}).stdout


class ProgramTests(unittest.TestCase):
    def test_the_addresses_of_functions_are_read_only_once_a_program_runs(self):
        for program in PROGRAMS:
            with self.subTest(program):
                text = elf(program, "--dynamic", "--program-headers")
                self.assertRegex(text, r"(?m)^\s*GNU_RELRO ")
                self.assertRegex(text, r"(?m)\((FLAGS|FLAGS_1)\) .*\b(BIND_NOW|NOW)\b")
                # Code that is changed when it is loaded.
                self.assertNotIn("TEXTREL", text)

    def test_programs_are_position_independent(self):
        for program in PROGRAMS:
            with self.subTest(program):
                text = elf(program, "--dynamic", "--file-header")
                self.assertRegex(text, r"(?m)^\s*Type:\s+DYN ")
                self.assertRegex(text, r"(?m)\(FLAGS_1\) .*\bPIE\b")

    def test_no_segment_can_be_written_and_executed(self):
        for program in PROGRAMS:
            with self.subTest(program):
                text = elf(program, "--program-headers")
                segments = re.findall(r"(?m)^ +(\S+) +(?:0x[0-9a-f]+ +){5}([RWE ]{3}) ", text)
                self.assertIn(("GNU_STACK", "RW "), segments)
                self.assertIn("R E", [flags for _, flags in segments])
                for name, flags in segments:
                    self.assertFalse("W" in flags and "E" in flags, name)

    def test_libraries_are_searched_in_the_toolchain_and_beside_the_program_only(self):
        swift = shlex.split(os.environ.get("SWIFT") or "swift")
        target = json.loads(subprocess.run(
            [*swift, "-print-target-info"], check=True, capture_output=True).stdout)
        allowed = {pathlib.Path(path) for path in target["paths"]["runtimeLibraryPaths"]}
        for program in PROGRAMS:
            with self.subTest(program):
                text = elf(program, "--dynamic")
                self.assertNotIn("(RPATH)", text)
                for paths in re.findall(r"\(RUNPATH\).*\[(.*)\]", text):
                    for path in paths.split(":"):
                        # Below the folder of the program, which its installer can write.
                        is_beside = path == "$ORIGIN" or path.startswith("$ORIGIN/../lib")
                        self.assertTrue(is_beside or pathlib.Path(path) in allowed, path)


if __name__ == "__main__":
    unittest.main()
