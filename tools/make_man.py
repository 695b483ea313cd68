#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the manual page of each command: memplan-plan(1), memplan-check(1), ...

    make_man.py MEMPLAN SOURCE_ROOT FOLDER

Usage, summaries, options, their arguments and defaults are what the program says
with --help, from its tables. Behind each stands what docs/man/commands.mdoc and
options.mdoc say of it, found by its head. The exit status is that of memplan(1).
The examples are the questions of docs/questions.md, which a test asks. A head that
the program does not have is an error, and so is a command without a question.
"""

import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"^  (?P<name>--?[a-z-]+)"
                    r"(?: (?P<argument>[A-Z]\S*(?: [A-Z])?(?=\s)|\S*\|\S*))?"
                    r"\n? +(?P<summary>.*)$", re.M)
QUESTION = re.compile(r"^\| ([^|]*\?) \| `(memplan ([a-z]+) .*)` \|$", re.M)


def said(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True,
                          check=True).stdout


def commands_of(program):
    """Name, operands and summary of each."""
    return re.findall(r"^  ([a-z]+) +(\S.*?)  +(.*)$",
                      said(program, "--help").partition("\ncommands")[2], re.M)


def sentence(summary):
    """As one; what stands in front of a colon may be a name."""
    first = summary.partition(" ")[0]
    return (summary if first.endswith(":") else
            summary[0].upper() + summary[1:]) + "."


def argument_macro(argument):
    """A choice of words, or a placeholder."""
    if "|" in argument:
        return "Cm " + argument.replace("|", " | ")
    return "Ar " + argument.lower()


def option_head(found):
    name, argument = found["name"], found["argument"]
    return f".It Fl {name[1:]}" + (
        f" {argument_macro(argument)}" if argument else "")


def operand_macros(operands):
    """"PLAN [INPUT]..." as mdoc."""
    for name, inner, plain in re.findall(r"(--?[a-z]+) |\[(.*?)\](?:\.\.\.)?|(\S+)",
                                         operands):
        if name:
            yield f".Fl {name[1:]}"
        elif inner.startswith("-"):
            flag, _, value = inner.partition(" ")
            yield f".Op Fl {flag[1:]} Ar {value.lower()}"
        elif inner:
            yield f".Op Ar {inner.lower()} ..."
        else:
            yield ".Ar " + plain.replace("...", " ...").lower()


def details_of(path):
    """Head to text."""
    return dict(re.findall(r"^(\.It .*)\n((?:(?!\.It ).*\n)*)",
                           path.read_text("utf-8"), re.M))


def literal(text):
    return text.replace("\\", r"\e").replace("-", r"\-")


class Manual:
    """What all pages are made from."""

    def __init__(self, program, root):
        self.program = program
        folder = root / "docs/man"
        main = (folder / "memplan.1").read_text("utf-8")
        self.date = re.search(r"^\.Dd .*\n", main, re.M)[0]
        self.status = re.search(r"^\.Sh EXIT STATUS\n(?:(?!\.Sh ).*\n)*", main,
                                re.M)[0]
        self.commands = commands_of(program)
        self.about_commands = details_of(folder / "commands.mdoc")
        self.about_options = details_of(folder / "options.mdoc")
        self.heads = set()
        self.questions = QUESTION.findall(
            (root / "docs/questions.md").read_text("utf-8"))

    def about(self, table, head):
        self.heads.add(head)
        return table.get(head, "")

    def options(self, command):
        text = said(self.program, command, "--help").partition("options:\n")[2]
        for found in OPTION.finditer(text):
            head = option_head(found)
            yield (f"{head}\n{sentence(found['summary'])}\n"
                   f"{self.about(self.about_options, head)}")

    def examples(self, command):
        for question, line, of in self.questions:
            if of == command:
                line = line.replace(r"\|", "|")
                yield (f"{question}\n.Bd -literal -offset indent\n"
                       f"{literal(line)}\n.Ed\n")

    def page(self, command, operands, summary):
        examples = ".Pp\n".join(self.examples(command))
        if not examples:
            sys.exit(f"docs/questions.md asks nothing of {command}")
        synopsis = "\n".join(operand_macros(operands))
        options = "".join(self.options(command))
        return fr""".\" SPDX-License-Identifier: MIT
.\" Made by tools/make_man.py.
{self.date}.Dt MEMPLAN-{command.upper()} 1
.Os
.Sh NAME
.Nm memplan-{command}
.Nd {summary}
.Sh SYNOPSIS
.Nm memplan
.Cm {command}
{synopsis}
.Op Ar options
.Sh DESCRIPTION
{sentence(summary)}
{self.about(self.about_commands, f".It Cm {command}")}.Sh OPTIONS
Sizes are bytes, optionally with a unit: 4096, 512KiB, 2GB.
.Bl -tag -width Ds
{options}.El
{self.status}.Sh EXAMPLES
{examples}.Sh SEE ALSO
.Xr memplan 1 ,
.Xr libmemplan 3 ,
.Xr memplan-formats 5
"""

    def check(self):
        """Nothing is said of what is not there."""
        lost = {*self.about_commands, *self.about_options} - self.heads
        if lost:
            sys.exit("docs/man: memplan has no " + ", ".join(sorted(lost)))


def main():
    program, root, folder = (pathlib.Path(p).resolve() for p in sys.argv[1:])
    manual = Manual(program, root)
    for command in manual.commands:
        (folder / f"memplan-{command[0]}.1").write_text(manual.page(*command),
                                                        "utf-8")
    manual.check()


if __name__ == "__main__":
    main()
