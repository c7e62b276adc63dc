"""The list of what an installation contains, and its notices."""

import json
import pathlib
import re
import socket
import tempfile
import unittest
import urllib.parse

from places import (
    BUILD, PROGRAMS, ROOT, SmallBuild, make_sbom, resolved_packages, scratch_folder, squeezed)

# Of the specification: https://spdx.github.io/spdx-spec/v2.3/
IDENTIFIER = r"SPDXRef-[A-Za-z0-9.-]+"
REQUIRED = ["SPDXID", "name", "downloadLocation", "filesAnalyzed", "licenseConcluded", "licenseDeclared"]
LICENSES = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "MIT", "Unicode-3.0", "W3C"}
HOSTS = {"github.com", "boringssl.googlesource.com", "spdx.org"}


class ListTests(unittest.TestCase):
    """The list of a real build."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        call = make_sbom(BUILD, folder.name)
        assert call.returncode == 0, call.stderr
        cls.text = pathlib.Path(folder.name, "nervous.spdx.json").read_text()
        cls.notices = pathlib.Path(folder.name, "THIRD-PARTY-NOTICES").read_text()
        cls.copyright = pathlib.Path(folder.name, "copyright").read_text()
        cls.document = json.loads(cls.text)
        cls.packages = {package["SPDXID"]: package for package in cls.document["packages"]}

    def related(self, kind):
        """The relationships of a kind, as identifiers."""
        return {
            (one["spdxElementId"], one["relatedSpdxElement"])
            for one in self.document["relationships"] if one["relationshipType"] == kind}

    def contained(self):
        """What is copied into the installation, except our own programs."""
        inside = self.related("STATIC_LINK") | self.related("CONTAINS")
        own = {f"SPDXRef-Program-{name}" for name in PROGRAMS}
        return [self.packages[name] for name in {target for _, target in inside} - own]

    def test_the_document_has_the_fields_that_the_specification_requires(self):
        document = self.document
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        self.assertEqual(document["dataLicense"], "CC0-1.0")
        self.assertEqual(document["SPDXID"], "SPDXRef-DOCUMENT")
        self.assertRegex(document["name"], r"^nervous-\d+\.\d+\.\d+$")
        self.assertRegex(document["documentNamespace"], r"^https://spdx\.org/spdxdocs/nervous-[^#\s]+$")
        self.assertRegex(document["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for creator in document["creationInfo"]["creators"]:
            self.assertRegex(creator, r"^(Tool|Person|Organization): \S")

    def test_each_package_has_the_fields_that_the_specification_requires(self):
        for package in self.document["packages"]:
            with self.subTest(package["name"]):
                for field in REQUIRED:
                    self.assertIn(field, package)
                self.assertRegex(package["SPDXID"], f"^{IDENTIFIER}$")
                # Without a verification code of its files.
                self.assertIs(package["filesAnalyzed"], False)
                self.assertRegex(
                    package["downloadLocation"], r"^(NOASSERTION|(git\+)?https://[\w./-]+)$")
                self.assertRegex(package["supplier"], r"^(NOASSERTION|Organization: .+)$")
                for license in re.split(" AND ", package["licenseDeclared"]):
                    name = license.removesuffix(" WITH Swift-exception")
                    self.assertIn(name, LICENSES | {"NOASSERTION"})
                for reference in package.get("externalRefs", []):
                    self.assertEqual(reference["referenceCategory"], "PACKAGE-MANAGER")
                    self.assertEqual(reference["referenceType"], "purl")
                    self.assertRegex(
                        reference["referenceLocator"], r"^pkg:[a-z]+/[\w./~%-]+(@[\w.~:%-]+)?$")

    def test_identifiers_are_unique_and_relationships_refer_to_them(self):
        self.assertEqual(len(self.packages), len(self.document["packages"]))
        known = self.packages.keys() | {"SPDXRef-DOCUMENT"}
        for one in self.document["relationships"]:
            self.assertLessEqual({one["spdxElementId"], one["relatedSpdxElement"]}, known)
        self.assertEqual(self.related("DESCRIBES"), {("SPDXRef-DOCUMENT", "SPDXRef-Nervous")})
        reached = {name for one in self.document["relationships"]
                   for name in (one["spdxElementId"], one["relatedSpdxElement"])}
        self.assertEqual(reached, known)

    def test_all_that_is_contained_has_a_version_and_a_license(self):
        self.assertGreater(len(self.contained()), 20)
        for package in self.contained():
            with self.subTest(package["name"]):
                self.assertRegex(package["versionInfo"], r"^[0-9a-f]")
                self.assertNotEqual(package["licenseDeclared"], "NOASSERTION")

    def test_the_swift_packages_are_those_whose_modules_are_linked(self):
        objects = "".join(
            (BUILD / f"{name}.product/Objects.LinkFileList").read_text() for name in PROGRAMS)
        # Of each target, the names of the sources: two packages have folders of one name.
        linked = {}
        for target, source in re.findall(r"/([^/]+)\.build/(?:[^'\s]*/)?([^/'\s]+)\.o\b", objects):
            linked.setdefault(target, set()).add(source)
        own = {folder.name for folder in (ROOT / "Sources").iterdir()}
        listed = {package["SPDXID"]: package for package in self.contained()}
        for package in resolved_packages():
            identity = package["packageRef"]["identity"]
            with self.subTest(identity):
                checkout = scratch_folder() / "checkouts" / package["subpath"]
                folders = [path for where in (checkout, checkout / "Sources")
                           for path in where.iterdir() if path.is_dir()]
                found = listed.get(f"SPDXRef-Swift-{identity}", {})
                version = package["state"]["checkoutState"]["version"]
                is_linked = any(
                    path.name not in own and not linked.get(path.name, set()).isdisjoint(
                        file.name for file in path.rglob("*"))
                    for path in folders)
                self.assertEqual(found.get("versionInfo"), version if is_linked else None)

    def test_each_direct_dependency_has_one_exact_version_which_is_listed(self):
        manifest = (ROOT / "Package.swift").read_text()
        addresses = re.findall(r'\.package\(\s*url: "([^"]+)"', manifest)
        exact = dict(re.findall(r'\.package\(\s*url: "([^"]+)", exact: "([^"]+)"', manifest))
        self.assertGreater(len(addresses), 10)
        self.assertEqual(addresses, list(exact))
        for address, version in exact.items():
            with self.subTest(address):
                identity = address.rpartition("/")[2].lower()
                package = self.packages[f"SPDXRef-Swift-{identity}"]
                self.assertEqual(package["versionInfo"], version)
                self.assertEqual(package["downloadLocation"], f"git+{address}")

    def test_the_code_of_others_in_swift_packages_and_libraries_is_listed(self):
        names = {package["name"] for package in self.contained()}
        self.assertLessEqual({"BoringSSL", "ICU", "SHA-1 of KAME", "XKCP", "llhttp", "uSHET"}, names)

    def test_the_modules_in_the_bundled_scripts_are_listed(self):
        names = {package["name"] for package in self.contained()}
        bundles = list((BUILD / "nervous_Host.resources").glob("*.js"))
        self.assertEqual(names >= {"domino"}, BUILD / "nervous_Host.resources/document.js" in bundles)
        self.assertEqual(
            names >= {"acorn", "acorn-walk"}, BUILD / "nervous_Host.resources/modules.js" in bundles)
        for bundle in bundles:
            # esbuild names the files of CommonJS modules.
            self.assertLessEqual(set(re.findall(r"share/nodejs/([^/\"]+)", bundle.read_text())), names)

    def test_the_libraries_of_each_program_are_listed(self):
        loads = self.related("DYNAMIC_LINK")
        for program, library in [
            ("nervous", "Debian-libsqlite3-0"), ("nervous-runner", "Debian-libjavascriptcoregtk-4.1-0"),
            ("nervous-unpacker", "Debian-libarchive13"), ("nervous", "Debian-libssl3"), ("nervous", "Swift-runtime"),
        ]:
            self.assertIn((f"SPDXRef-Program-{program}", f"SPDXRef-{library}"), loads)
        # No database in what reads untrusted archives.
        self.assertNotIn(("SPDXRef-Program-nervous-unpacker", "SPDXRef-Debian-libsqlite3-0"), loads)

    def test_each_license_and_notice_of_what_is_contained_is_in_the_notices(self):
        notices = squeezed(self.notices)
        for package in self.contained():
            line = f"{package['name']} {package['versionInfo']}, {package['licenseDeclared']}\n"
            self.assertIn(line, self.notices)
            # And a heading of a license.
            self.assertIn(f"{package['name']} {package['versionInfo']}: ", self.notices)
        for package in resolved_packages():
            if f"SPDXRef-Swift-{package['packageRef']['identity']}" in self.packages:
                checkout = scratch_folder() / "checkouts" / package["subpath"]
                files = [*checkout.glob("LICENSE*"), *checkout.glob("NOTICE*")]
                self.assertNotEqual(files, [])
                for file in files:
                    self.assertIn(squeezed(file.read_text()), notices, file)
        for words in [
            "The BoringSSL Authors", "The OpenSSL Project Authors",
            "Copyright Fedor Indutny, 2018.", "Thomas Nixon, Jonathan Heathcote", "waived all copyright",
            "Copyright: 2011, The Mozilla Foundation", "Copyright: 2012-2022 various contributors",
        ]:
            self.assertIn(words, notices)

    def test_the_copyright_file_for_debian_names_all_that_is_contained_with_its_license(self):
        stanzas = [
            dict(re.findall(r"(?m)^(\S+): *((?:.*\n?)(?:[ \t].*\n?)*)", one))
            for one in self.copyright.split("\n\n")]
        self.assertEqual(
            stanzas[0]["Format"].strip(),
            "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/")
        files = [one for one in stanzas if "Files" in one]
        comments = "".join(one.get("Comment", "") for one in files)
        for package in self.contained():
            self.assertIn(f"{package['name']} {package['versionInfo']}, ", comments)
        licenses = {one["License"].split("\n")[0]: one for one in stanzas if "Files" not in one and "License" in one}
        for one in files:
            self.assertRegex(one["Copyright"], r"\w")
            for license in one["License"].strip().split(" and "):
                self.assertGreater(len(licenses[license]["License"].split()), 5, license)

    def test_nothing_names_the_machine_or_another_source_than_upstream(self):
        toolchains = pathlib.Path("/opt").glob("*")
        for place in [ROOT, BUILD, pathlib.Path.home(), tempfile.gettempdir(), *toolchains]:
            self.assertNotIn(f"{place}/", self.text)
            self.assertNotIn(f"{place}/", self.notices)
            self.assertNotIn(f"{place}/", self.copyright)
        self.assertNotIn("file:", self.text)
        self.assertNotIn(f'"{socket.gethostname()}"', self.text)
        self.assertNotRegex(self.text, r'["\s]/')
        addresses = re.findall(r"https?://[^\s\"]+", self.text)
        self.assertLessEqual({urllib.parse.urlsplit(address).netloc for address in addresses}, HOSTS)


class SmallBuildTests(unittest.TestCase):
    """Builds that consist of a few files, also faulty ones."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def made(self, name="build", time="1700000000"):
        """What the list and notices of a small build in a folder are."""
        small = SmallBuild(self.folder / name)
        call = make_sbom(small.build, self.folder / "made" / name, SOURCE_DATE_EPOCH=time)
        self.assertEqual(call.returncode, 0, call.stderr)
        return {file.name: file.read_text() for file in (self.folder / "made" / name).iterdir()}

    def test_the_same_build_in_another_folder_has_the_same_list(self):
        first, second = self.made(), self.made("A folder's name, with checkouts/of something")
        self.assertEqual(first, second)
        self.assertIn("https://github.com/apple/swift-nio", first["nervous.spdx.json"])
        self.assertNotIn("mirror", first["nervous.spdx.json"])

    def test_the_time_is_that_of_the_source(self):
        documents = [json.loads(self.made(f"of {time}", time)["nervous.spdx.json"]) for time in ("0", "1700000000")]
        self.assertEqual(
            [one["creationInfo"]["created"] for one in documents],
            ["1970-01-01T00:00:00Z", "2023-11-14T22:13:20Z"])
        self.assertEqual(len({one["documentNamespace"] for one in documents}), 2)

    def test_a_runtime_that_is_linked_into_the_programs_is_listed_with_what_it_contains(self):
        small = SmallBuild(self.folder / "static")
        with (small.build / "nervous").open("ab") as program:
            program.write(b"\0icudt76l/brkitr/char.brk\0")
        call = make_sbom(small.build, self.folder / "made")
        self.assertEqual(call.returncode, 0, call.stderr)
        relations = {
            (one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"]) for one in
            json.loads((self.folder / "made/nervous.spdx.json").read_text())["relationships"]}
        self.assertIn(("SPDXRef-Program-nervous", "STATIC_LINK", "SPDXRef-Swift-runtime"), relations)
        self.assertIn(("SPDXRef-Swift-runtime", "CONTAINS", "SPDXRef-Swift-runtime-ICU"), relations)
        self.assertIn("UNICODE LICENSE V3", (self.folder / "made/THIRD-PARTY-NOTICES").read_text())

    def test_a_fault_is_an_error_that_names_the_package(self):
        def is_missing(small):
            small.license.unlink()

        def is_only_a_notice(small):
            small.license.rename(small.checkout / "NOTICE.txt")

        def is_unknown(small):
            small.license.write_text("You may look at it.\n")

        def has_new_code(small):
            small.linked_c("CNIOSurprise")

        def has_no_version(small):
            state = small.root / ".build/workspace-state.json"
            state.write_text(state.read_text().replace('"version"', '"branch"'))

        def is_half_built(small):
            (small.build / "NIOCore.build/sources").unlink()

        def is_not_built(small):
            (small.build / "nervous-runner.product/Objects.LinkFileList").unlink()

        for fault, message in [
            (is_missing, "swift-nio has no license file"),
            (is_only_a_notice, "swift-nio has no license file"),
            (is_unknown, "the license of swift-nio is not known"),
            (has_new_code, "the origin of the C code in CNIOSurprise of swift-nio is not known"),
            (has_no_version, "swift-nio has no version"),
            (is_half_built, "NIOCore.build"),
            (is_not_built, "nervous-runner is not built"),
        ]:
            with self.subTest(fault.__name__):
                small = SmallBuild(self.folder / fault.__name__)
                fault(small)
                call = make_sbom(small.build, self.folder / "made")
                self.assertEqual(call.returncode, 1)
                self.assertIn(message, call.stderr)
                self.assertNotIn("Traceback", call.stderr)
                self.assertFalse((self.folder / "made").exists())


if __name__ == "__main__":
    unittest.main()
