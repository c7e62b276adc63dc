"""Manual pages of commands, from the help that the program describes as JSON."""

import re

from release.source import ROOT, fail, source_date, version

FILES = [
    ("~/.local/share/nervous",
     "The data directory: samples, decisions, apps and sessions. Option --data and the variable NERVOUS_DATA "
     "name another, and XDG_DATA_HOME the folder that contains it."),
    ("~/.config/nervous/config.json", "The configuration, see nervous-config(5)."),
    ("/etc/nervous/policy.json", "What is blocked on this machine, whatever is allowed at a prompt."),
    ("/usr/share/javascript", "Libraries of the system that pages of apps may load."),
]
ENVIRONMENT = [
    ("NERVOUS_DATA", "The data directory, unless option --data names one."),
    ("XDG_DATA_HOME", "The folder of the data directory nervous; otherwise ~/.local/share."),
    ("XDG_RUNTIME_DIR", "The folder of the control socket; otherwise /run/user/UID where it exists."),
]
SEE_ALSO = ["nervous-config", "nervous-package", "nervous-sensor-pack"]


def pages(command):
    """The pages by file name: one of the program, and one for each of its commands."""
    commands = [one for one in command["subcommands"]
                if one.get("shouldDisplay", True) and one["commandName"] != "help"]
    result = {"nervous.1": overview(command, commands)}
    for one in commands:
        result[f"nervous-{one['commandName']}.1"] = page(one)
    return result


def overview(command, commands):
    names = [one["commandName"] for one in commands]
    lines = head("nervous", command["abstract"])
    lines += [".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar argument ..."]
    lines += [".Sh DESCRIPTION", *prose(command["abstract"]), *paragraphs(command.get("discussion", ""))]
    lines += prose("Each command also has the options --help and --version.")
    lines += [".Sh COMMANDS", ".Bl -tag -width Ds"]
    for one in commands:
        lines += [f".It Xr nervous-{one['commandName']} 1", *prose(one["abstract"])]
    lines += [".El", *table("ENVIRONMENT", "Ev", ENVIRONMENT), *table("FILES", "Pa", FILES)]
    lines += table("EXIT STATUS", "Er", exit_codes())
    return finished(lines, [(f"nervous-{name}", 1) for name in names] + [(one, 5) for one in SEE_ALSO])


def page(command):
    name = command["commandName"]
    subcommands = [one for one in command.get("subcommands", []) if one.get("shouldDisplay", True)]
    lines = head(f"nervous-{name}", command["abstract"])
    lines.append(".Sh SYNOPSIS")
    if not subcommands:
        lines += synopsis(f"nervous {name}", command)
    for one in subcommands:
        lines += synopsis(f"nervous {name} {one['commandName']}", one)
    lines += [".Sh DESCRIPTION", *prose(command["abstract"]), *paragraphs(command.get("discussion", ""))]
    lines += options(command)
    if subcommands:
        lines += [".Sh COMMANDS"]
    for one in subcommands:
        lines += [f".Ss nervous {name} {one['commandName']}", *prose(one["abstract"])]
        lines += [*paragraphs(one.get("discussion", "")), *options(one)]
    return finished(lines, [("nervous", 1)])


def head(name, abstract):
    # The name of a page is described in a phrase.
    phrase = abstract.removesuffix(".").split(": ")[0]
    phrase = phrase if phrase[:2].isupper() else phrase[0].lower() + phrase[1:]
    return [
        f'.Dd {source_date("%B")} {int(source_date("%d"))}, {source_date("%Y")}',
        f".Dt {name.upper()} 1", f".Os Nervous {version()}", ".Sh NAME", f".Nm {name}",
        f".Nd {escaped(phrase)}"]


def finished(lines, others):
    links = [f".Xr {name} {section} ," for name, section in sorted(others, key=lambda one: one[::-1])]
    links[-1] = links[-1].removesuffix(" ,")
    return "\n".join([*lines, ".Sh SEE ALSO", *links]) + "\n"


def shown(command):
    """The arguments of a command that its help shows, without those that every command has."""
    return [
        one for one in command["arguments"] if one.get("shouldDisplay", True)
        and not {"help", "version"} & {form["name"] for form in one.get("names", [])}]


def synopsis(name, command):
    lines = [f'.Nm "{name}"']
    for one in shown(command):
        lines.append(f".Op {form(one)}" if one["isOptional"] else f".{form(one)}")
    return lines


def flag(form):
    dashes = {"long": "\\-\\-", "longWithSingleDash": "\\-", "short": "\\-"}[form["kind"]]
    return f"Cm {dashes}{hyphens(form['name'])}"


def form(argument, name=None):
    """An argument as macros."""
    more = " ..." if argument["isRepeating"] else ""
    value = f"Ar {hyphens(argument['valueName'])}"
    if argument["kind"] == "positional":
        return value + more
    words = flag(name or argument["preferredName"])
    return words + more if argument["kind"] == "flag" else f"{words} {value}{more}"


def options(command):
    lines = []
    for one in shown(command):
        names = [form(one, name) for name in sorted(one.get("names", []), key=lambda one: one["kind"] != "short")]
        lines += [".It " + " , ".join(names or [form(one)]), *prose(one.get("abstract", ""))]
        lines += prose(one.get("discussion", ""))
        if one.get("allValues") and not all(value in one.get("abstract", "") for value in one["allValues"]):
            lines += prose(f"One of: {', '.join(one['allValues'])}.")
        if one.get("defaultValue"):
            lines += prose(f"The default is {one['defaultValue']}.")
    return [".Bl -tag -width Ds", *lines, ".El"] if lines else []


def table(title, macro, rows):
    lines = [f".Sh {title}", ".Bl -tag -width Ds"]
    for name, text in rows:
        lines += [f".It {macro} {hyphens(name)}", *prose(text)]
    return [*lines, ".El"]


def exit_codes():
    """The codes and their meanings, from the page that documents them."""
    section = (ROOT / "docs/configuration.md").read_text().partition("\n## Exit codes\n")[2]
    rows = re.findall(r"^\| (\d[\d, ]*) \| (.+) \|$", section, re.MULTILINE)
    if not rows:
        fail("docs/configuration.md has no table of exit codes")
    return [(codes.replace(",", " ,"), plain(text)[0].upper() + plain(text)[1:] + ".") for codes, text in rows]


def plain(text):
    return re.sub(r"`([^`]+)`", r"\1", text)


def paragraphs(text):
    """Text in which indented lines are examples, to be shown as they are."""
    lines, is_literal, is_start = [], False, True
    for line in text.rstrip().split("\n"):
        if line.startswith("  ") != is_literal:
            # A blank line before or after examples adds nothing.
            is_literal = not is_literal
            lines += [".Bd -literal -offset indent"] if is_literal else [".Ed"]
            is_start = not is_literal
        if is_literal:
            lines.append(escaped(line.removeprefix("  ")))
        elif not line.strip():
            is_start = True
        else:
            lines += [".Pp"] * is_start + [escaped(line)]
            is_start = line.endswith(".") and len(line) < 60
    return (lines + [".Ed"] * is_literal) if text else []


def prose(text):
    """Lines of running text, a sentence each, as the macros expect."""
    return [escaped(line) for line in re.split(r"(?<=[.?!]) (?=[A-Z])|\n", text.strip()) if line]


def hyphens(text):
    return escaped(text).replace("-", "\\-")


# Characters that terminals without Unicode show in another way.
SYMBOLS = {"…": "...", "“": "\\(lq", "”": "\\(rq", "‘": "\\(oq", "’": "\\(cq", "–": "\\(en", "→": "\\(->"}


def escaped(text):
    text = text.replace("\\", "\\e").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    text = re.sub(r"(?<![\w\\])(--?)(?=\w)", lambda dashes: dashes[0].replace("-", "\\-"), text)
    text = "".join(
        one if ord(one) < 128 else SYMBOLS.get(one, f"\\[u{ord(one):04X}]") for one in text)
    # These begin a macro.
    return "\\&" + text if text.startswith((".", "'")) else text
