# SPDX-License-Identifier: MIT
"""What tests that run memplan on many inputs have in common."""

import importlib.machinery
import importlib.util
import json
import pathlib
import resource
import subprocess
import sys


def tool(name):
    """A tool of this folder, as a module."""
    path = pathlib.Path(__file__).with_name(name)
    loader = importlib.machinery.SourceFileLoader(
        name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def run(program, *arguments, status=(0,)):
    """A run that has to end with one of these statuses."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True,
                          timeout=1000, check=False)
    assert done.returncode in status, \
        f"{' '.join(map(str, arguments))}: {done.returncode}: {done.stderr}"
    return done


def result(program, *arguments):
    """What a run with --json says."""
    return json.loads(run(program, *arguments, "--json", "--quiet").stdout)


def processor_time():
    """Seconds of the processor that children took which have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def faults_of(work, arguments):
    """Faults that a case finds: none, a text, several, or a failed assertion."""
    try:
        found = work(*arguments)
        return [found] if isinstance(found, str) else list(found or ())
    except AssertionError as error:
        return [str(error) or "an assertion failed"]


def tap(cases):
    """Runs cases (name, function, arguments...), prints TAP and exits."""
    failed = number = 0
    for number, (name, work, *arguments) in enumerate(cases, 1):
        found = faults_of(work, arguments)
        failed += bool(found)
        print(f"{'not ' if found else ''}ok {number} - {name}")
        for line in "\n".join(found).splitlines():
            print(f"# {line}")
        sys.stdout.flush()
    assert number, "no cases"
    print(f"1..{number}")
    sys.exit(failed > 0)
