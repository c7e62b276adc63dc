"""The copyright file of a Debian package, in its machine-readable form (DEP-5)."""

import re

# The names of licenses in these files, where they differ from those of SPDX.
NAMES = {
    "MIT": "Expat", "BSD-2-Clause": "BSD-2-clause", "BSD-3-Clause": "BSD-3-clause",
    "Apache-2.0 WITH Swift-exception": "Apache-2.0 with Swift exception"}
# Licenses that every Debian system has.
COMMON = {
    "Apache-2.0": "the Apache License, version 2.0,", "CC0-1.0": "the CC0 1.0 Universal license",
    "Apache-2.0 with Swift exception": "the Apache License, version 2.0,"}
SWIFT_EXCEPTION = """
As an exception, if you use this Software to compile your source code and portions of this Software are embedded
into the binary product as a result, you may redistribute such product without providing attribution as would
otherwise be required by Sections 4(a), 4(b) and 4(d) of the License."""
FORMAT = "https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
HOLDERS = r"(?im)^[^\w\n]*copyright(?: ?\(c\)| ?©|:)*\s+([^\n]*\b(?:19|20)\d\d\b[^\n]*)"


def file(parts):
    """The parts of others with their licenses, after the product itself."""
    ordered = sorted(parts, key=lambda part: (part.name.lower(), part.id))
    stanzas = [
        f"Format: {FORMAT}\nUpstream-Name: Nervous\n"
        "Comment: All licenses and notices are in /usr/share/doc/nervous/THIRD-PARTY-NOTICES.",
        "Files: *\nCopyright: the contributors of Nervous\nLicense: Apache-2.0"]
    texts = {"Apache-2.0": ""}
    for part in ordered:
        name = " and ".join(NAMES.get(one, one) for one in part.license.split(" AND "))
        holders = list(dict.fromkeys(copyright_holders(part)))
        stanzas.append("\n".join([
            f"Files: {part.name.replace(' ', '-')}/*",
            f"Copyright: {holders[0]}", *(f" {one}" for one in holders[1:]),
            f"License: {name}", f"Comment: {part.name} {part.version}, {part.location}"]))
        for one in name.split(" and "):
            texts.setdefault(one, license_text(part, one))
    return "\n\n".join(
        stanzas + [f"License: {name}\n{indented(body(name, text))}" for name, text in sorted(texts.items())]) + "\n"


def copyright_holders(part):
    """The holders that the texts of a part name."""
    found = []
    for name, text in part.texts:
        if name == "copyright":  # Of Debian, in the same form; its packaging is not inside.
            for stanza in re.split(r"\n\s*\n", text):
                match = re.search(r"(?m)^Copyright:((?:.*\n?)(?:[ \t].*\n?)*)", stanza)
                if match and not re.search(r"(?m)^Files: debian/", stanza):
                    found.append(" ".join(match[1].split()))
        else:
            found += [" ".join(one.split()).rstrip(" */") for one in re.findall(HOLDERS, text)]
    if found:
        return found
    if "Swift-exception" in part.license:
        return ["Apple Inc. and the Swift project authors"]
    return [f"the authors of {part.name}"]


def license_text(part, name):
    """The text of a license in the texts of a part."""
    for kind, text in part.texts:
        if kind != "copyright" and name == "Expat":
            # Without holders it is the same for all.
            return text[text.index("Permission is hereby granted"):]
        if kind != "copyright":
            return text
        for stanza in re.split(r"\n\s*\n", text):
            match = re.match(rf"License: {re.escape(name)}\n((?:[ \t].*\n?)+)", stanza)
            if match:
                return "\n".join(re.sub(r"^ \.?", "", line) for line in match[1].split("\n"))
    return ""


def body(name, text):
    if name not in COMMON:
        return text
    words = f"On Debian systems, the text of {COMMON[name]} is in /usr/share/common-licenses/{name.split()[0]}."
    return words + SWIFT_EXCEPTION * ("Swift" in name)


def indented(text):
    lines = [line.strip() for line in text.strip().split("\n")]
    return "\n".join(f" {line}" if line else " ." for line in lines)
