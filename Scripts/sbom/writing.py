"""The list as SPDX 2.3, and the notices."""

import datetime
import json
import os
import subprocess
import uuid

from sbom.part import ROOT


def created():
    """The time of the list."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True).stdout
    utc = datetime.timezone.utc
    now = datetime.datetime.now(utc)
    time = datetime.datetime.fromtimestamp(int(seconds), utc) if seconds.strip() else now
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def package(part):
    """A part as SPDX writes it."""
    values = {
        "SPDXID": part.id, "name": part.name, "versionInfo": part.version, "supplier": part.supplier,
        "downloadLocation": part.location, "filesAnalyzed": False, "licenseConcluded": part.license,
        "licenseDeclared": part.license, "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": part.purpose, "comment": part.comment,
        "externalRefs": part.purl and [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": part.purl}],
    }
    return {name: value for name, value in values.items() if value != ""}


def document(product, relations):
    """The list. Its name space identifies its content."""
    parts = {part for source, _, target in relations for part in (source, target)}
    content = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"nervous-{product.version}",
        "creationInfo": {"created": created(), "creators": [f"Tool: make-sbom-{product.version}"]},
        "packages": [package(part) for part in sorted(parts, key=lambda part: part.id)],
        "relationships": [
            {"spdxElementId": source, "relationshipType": kind, "relatedSpdxElement": target}
            for source, kind, target in [("SPDXRef-DOCUMENT", "DESCRIBES", product.id)] + sorted(
                (source.id, kind, target.id) for source, kind, target in relations)],
    }
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content))
    content["documentNamespace"] = f"https://spdx.org/spdxdocs/{content['name']}-{number}"
    return json.dumps(content, indent=2) + "\n"


def notices(parts):
    """Each license once, with the parts that it applies to."""
    groups = {}
    ordered = sorted(parts, key=lambda part: (part.name.lower(), part.id))
    for part in ordered:
        for name, text in part.texts:
            entry = groups.setdefault(" ".join(text.split()), (text, []))
            entry[1].append(f"{part.name} {part.version}: {name}")
    lines = ["Nervous contains software of others, which is listed here with its licenses.", ""]
    lines += [f"{part.name} {part.version}, {part.license}" for part in ordered]
    for text, names in groups.values():
        lines += ["", "=" * 80, *names, "=" * 80, "", *text.strip("\n").splitlines()]
    return "\n".join(line.rstrip() for line in lines) + "\n"
