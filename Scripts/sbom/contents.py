"""What an installation contains: its programs, and the software of others in them."""

import re

from sbom import swift_packages, system
from sbom.part import ROOT, Part, element, read

PROGRAMS = ["nervous", "nervous-runner", "nervous-unpacker"]


def contents(build):
    """The product, the relations of all parts, and the parts of others that are inside."""
    protocol = read(ROOT / "Sources/RunnerProtocol/RunnerFrame.swift", "the version")
    version = re.search(r'static let version = "([^"]+)"', protocol)[1]
    product = Part(element("Nervous"), "nervous", version, "Apache-2.0", purpose="APPLICATION")
    relations, inside = set(), set()
    swift = swift_packages.linked_packages(build, PROGRAMS)
    loaded, runtime = system.libraries(build, PROGRAMS)
    relations |= {(runtime.part, "CONTAINS", part) for part in runtime.contained}
    inside |= {runtime.part, *runtime.contained}
    for name in PROGRAMS:
        program = Part(
            element("Program", name), name, version, "Apache-2.0", purpose="APPLICATION")
        relations.add((product, "CONTAINS", program))
        relations |= {(program, "STATIC_LINK", part) for part in swift[name]}
        relations |= {(program, "DYNAMIC_LINK", part) for part in loaded[name]}
        relations.add((program, runtime.relation, runtime.part))
        inside |= swift[name]
    if bundled := system.scripts(build):
        relations |= {(product, "CONTAINS", part) for part in bundled}
        relations.add((system.bundler(), "BUILD_TOOL_OF", product))
    return product, relations, inside | bundled
