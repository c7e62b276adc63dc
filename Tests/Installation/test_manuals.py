"""Manual pages: those of commands, made from a description, and those of files."""

import json
import os
import pathlib
import re
import stat
import subprocess
import tempfile
import unittest

from places import BUILD, ROOT

PAGES = {
    "nervous-config": "configuration", "nervous-package": "writing-a-jsapp", "nervous-sensor-pack": "sensor-packs"}
OPTION = {
    "abstract": "Read this file; see -h.", "defaultValue": "a\\b", "isOptional": True, "isRepeating": True,
    "kind": "option", "names": [{"kind": "long", "name": "file"}, {"kind": "short", "name": "f"}],
    "preferredName": {"kind": "long", "name": "file"}, "shouldDisplay": True, "valueName": "file"}
COMMAND = {"command": {
    "commandName": "nervous", "abstract": "Do things.", "arguments": [], "subcommands": [
        {
            "commandName": "open", "abstract": "Open a .zip or folder.", "shouldDisplay": True,
            "discussion": "Examples:\n  .hidden 'quoted' \\n --file ~/x\n'quoted' prose\n.dotted prose",
            "arguments": [
                OPTION, {**OPTION, "names": [{"kind": "long", "name": "secret"}], "shouldDisplay": False},
                {"abstract": "What.", "isOptional": False, "isRepeating": False, "kind": "positional",
                 "valueName": "thing"}]},
        {"commandName": "help", "abstract": "Help.", "arguments": [], "shouldDisplay": True},
    ]}}


class ManualTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def made(self, build):
        call = subprocess.run(
            [ROOT / "Scripts/make-manuals", build, self.folder / "manuals"], capture_output=True, text=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        self.assertEqual(call.returncode, 0, call.stderr)
        return self.folder / "manuals"

    def described(self):
        """The manuals of a program that describes itself as COMMAND."""
        program = self.folder / "build/nervous"
        program.parent.mkdir()
        (self.folder / "build/help.json").write_text(json.dumps(COMMAND))
        program.write_text(
            '#!/bin/sh\ncase "$1" in\n--experimental-dump-help) cat "${0%/*}/help.json" ;;\n'
            '*) echo "#!/bin/bash"; echo "complete $2" ;;\nesac\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return self.made(program.parent)

    def shown(self, page):
        """What man shows, and that it has nothing to warn about."""
        call = subprocess.run(
            ["man", "--warnings", "--encoding=ascii", "--local-file", page], capture_output=True, text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MAN_KEEP_FORMATTING": ""})
        self.assertEqual((call.returncode, call.stderr), (0, ""), page)
        return re.sub(r".\x08|\x1b\[[\d;]*m", "", call.stdout)

    def test_each_command_has_a_page_and_the_pages_refer_to_each_other(self):
        pages = self.described() / "man1"
        self.assertEqual({page.name for page in pages.iterdir()}, {"nervous.1", "nervous-open.1"})
        self.assertIn("nervous-open(1)", self.shown(pages / "nervous.1"))
        self.assertIn("nervous(1)", self.shown(pages / "nervous-open.1"))

    def test_text_that_looks_like_macros_is_shown_as_it_is(self):
        text = self.shown(self.described() / "man1/nervous-open.1")
        self.assertIn("nervous-open -- open a .zip or folder\n", text)
        for words in [
            ".hidden 'quoted' \\n --file ~/x\n", "'quoted' prose .dotted prose", "[--file file ...] thing",
            "-f file ..., --file file ...", "Read this file; see -h.", "The default is a\\b.",
        ]:
            self.assertIn(words, text)
        self.assertNotIn("secret", text)

    def test_the_pages_have_the_date_of_the_source_and_the_exit_codes(self):
        text = self.shown(self.described() / "man1/nervous.1")
        self.assertIn("November 14, 2023", text)
        codes = re.findall(r"(?m)^\| (\d+)", (ROOT / "docs/configuration.md").read_text())
        self.assertGreater(len(codes), 10)
        for code in codes:
            self.assertRegex(text, rf"(?m)^     {code}\b")

    def test_completions_are_no_programs(self):
        folder = self.described()
        for name in ["bash/nervous", "zsh/_nervous", "fish/nervous.fish"]:
            self.assertEqual((folder / name).read_text(), f"complete {name.split('/')[0]}\n")

    def test_pages_of_files_are_valid_and_name_every_key_of_their_documents(self):
        for name, document in PAGES.items():
            with self.subTest(name):
                text = self.shown(ROOT / f"docs/man/{name}.5")
                tables = (ROOT / f"docs/{document}.md").read_text()
                if name == "nervous-package":
                    tables = tables.partition("## The manifest")[2].partition("### Sessions")[0]
                keys = {key for row in re.findall(r"(?m)^\| ((?:`[A-Za-z]+`(?:, | or )?)+) \|", tables)
                        for key in re.findall(r"`(\w+)`", row)}
                self.assertGreater(len(keys), 5)
                for key in keys:
                    self.assertRegex(text, rf"\b{key}\b")

    @unittest.skipUnless((BUILD / "nervous").exists(), "needs the built program")
    def test_the_pages_of_the_program_are_valid(self):
        pages = sorted((self.made(BUILD) / "man1").iterdir())
        self.assertGreater(len(pages), 20)
        for page in pages:
            self.shown(page)


if __name__ == "__main__":
    unittest.main()
