#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the manual pages, for the tests of them.

  man/manpage.py PAGE             prints the program of the section EXAMPLES
  man/manpage.py --commands PAGE… prints the commands there, and what they say, as an array
                                  of C++
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

DIRECTORY = Path(__file__).resolve().parent
ESCAPES = {"\\e": "\\", "\\-": "-", "\\(aq": "'", "\\(ha": "^", "\\(ti": "~", "\\(ga": "`", "\\&": ""}


@dataclass
class Entry:
    """One of the section ERRORS."""
    call: str               # of section 2: the page's name; else the subsection's
    errno: str
    cause: str              # plain text
    not_provoked: str       # why no test can, or ""


def pages():
    return sorted(DIRECTORY.glob("*.[1-9]"))


def tool_pages():
    return sorted((DIRECTORY.parent / "tools" / "ltt-ctl" / "man").glob("*.[1-9]"))


def section(page, title):
    found = re.search(rf'^\.SH {title}\n(.*?)(?=^\.SH )', page.read_text(), re.MULTILINE | re.DOTALL)
    return found.group(1) if found else ""


def plain(text):
    return re.sub("|".join(map(re.escape, ESCAPES)), lambda m: ESCAPES[m.group()], text)


def words(lines):
    """The text of lines with macros for fonts."""
    text = []
    for line in lines:
        macro = re.match(r"\.([A-Z]+) ?(.*)", line)
        if not macro:
            text.append(line)
        elif re.fullmatch("[BIR][BIR]", macro[1]):
            # In turn two fonts, without blanks in between.
            text.append("".join(a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', macro[2])))
        elif macro[1] in ("B", "I"):
            text.append(macro[2])
    return plain(" ".join(text))


def errors(page):
    """The entries of a page."""
    entries = []
    call = page.stem
    for part in re.split(r"^(?=\.(?:TP|SS)\b)", section(page, "ERRORS"), flags=re.MULTILINE):
        lines = part.splitlines()
        if lines and lines[0].startswith(".SS "):
            call = lines[0][4:]
        if not lines or lines[0] != ".TP":
            continue
        errno = re.fullmatch(r"\.B (E[A-Z0-9]+)", lines[1])[1]
        reasons = [line.partition("not provoked: ")[2] for line in lines if line.startswith('.\\"')]
        entries.append(Entry(call, errno, words(line for line in lines[2:] if line[:3] != '.\\"'),
                             " ".join(reasons)))
    return entries


def displays(page):
    """What stands between .EX and .EE, as plain text."""
    return displays_in(page.read_text())


def displays_in(text):
    return [plain(found) for found in re.findall(r"^\.EX\n(.*?)^\.EE$", text,
                                                 re.MULTILINE | re.DOTALL)]


def command_arrays(pages):
    """Lines that begin with "$ " are commands; what follows is what they say."""
    yield "struct ManualPage {\n\tconst char *name, *examples;\n};"
    yield "const ManualPage manual_pages[] = {"
    for page in pages:
        examples = "".join(displays_in(section(page, "EXAMPLES")))
        yield f'{{"{page.stem}", R"EXAMPLES({examples})EXAMPLES"}},'
    yield "};"


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--commands":
        print("\n".join(command_arrays(map(Path, sys.argv[2:]))))
        return 0
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    sys.stdout.write(displays(Path(sys.argv[1]))[-1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
