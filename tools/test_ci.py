#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The steps of docs/howto/ci-gate.md, run as plain shell.

    test_ci.py MEMPLAN SOURCE_ROOT

The commands of the first block make a budget; then the steps of each example
must pass, and after a tensor has grown the gate of each must fail. The steps run
where no memplan is installed: they have to fetch and build one, for which the
commands git and apt-get are stand-ins. The steps of tools/action run as its example
calls it, with another tools/setup. Without PyYAML there is nothing to run.
Prints TAP.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("1..0 # SKIP PyYAML is not installed")
    sys.exit(0)

MEMPLAN = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
PAGE = (ROOT / "docs/howto/ci-gate.md").read_text()


def block(kind):
    return re.search(rf"^```{kind}\n(.*?)^```", PAGE, re.M | re.S).group(1)


# What git leaves: a source with a tools/setup that builds this memplan.
GIT = f"""#!/bin/sh
[ "$1" = clone ] || exit 1
for to in "$@"; do :; done
mkdir -p "$to/tools"
cat >"$to/tools/setup" <<'END'
#!/bin/sh
cd "$(dirname "$0")/.." && mkdir -p build/src/cli &&
	ln -sf {MEMPLAN} build/src/cli/memplan
END
chmod +x "$to/tools/setup"
"""


ACTION = yaml.safe_load((ROOT / "tools/action/action.yml").read_text())

# The source that a runner has of an action.
SETUP = f"""#!/bin/sh
mkdir -p "$1/src/cli" && ln -sf {MEMPLAN} "$1/src/cli/memplan"
"""


def stand_ins(folder):
    """A folder of commands that the runner has."""
    folder.mkdir()
    for name, text in (("git", GIT), ("apt-get", "#!/bin/sh\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def shell(command, folder, *path):
    environment = dict(
        os.environ, PATH=":".join([*map(str, path), os.environ["PATH"]]),
        GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
        GITHUB_PATH=str(folder / "path"), RUNNER_TEMP=str(folder / "memplan"),
        GITHUB_ACTION_PATH=str(folder / "memplan/tools/action"))
    result = subprocess.run(["sh", "-ec", command], cwd=folder, timeout=600,
                            env=environment, capture_output=True, check=False)
    return result.returncode, (result.stdout + result.stderr).decode()


def github_steps():
    """Each step and whether it runs even if one before it failed."""
    workflow = yaml.safe_load(block("yaml github"))
    for job in workflow["jobs"].values():
        variables = "".join(f"export {name}={value}\n"
                            for name, value in job["env"].items())
        for step in job["steps"]:
            if "run" in step:
                yield variables + step["run"], step.get("if") == "always()"


def action_steps():
    """As the example calls the action; in bash, as it wants."""
    job = yaml.safe_load(block("yaml action"))["jobs"]["memory"]
    use = job["steps"][-1]
    owner, path = use["uses"].split("@")[0].split("/", 1)
    assert (owner, path) == ("OWNER", "memplan/tools/action")
    values = {name: entry["default"] for name, entry in ACTION["inputs"].items()}
    assert use["with"].keys() <= values.keys()
    values.update(use["with"])
    yield ("mkdir -p memplan/tools/action && printf %s " + shlex.quote(SETUP) +
           " >memplan/tools/setup && chmod +x memplan/tools/setup", False)
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        variables = "".join(
            f"export {name}=" + shlex.quote(re.sub(
                r"\$\{\{ inputs\.(\w+) \}\}", lambda m: values[m[1]], text)) + "\n"
            for name, text in step.get("env", {}).items())
        assert "${{" not in step["run"] + variables
        yield (variables + "bash --noprofile --norc -eo pipefail -c " +
               shlex.quote(step["run"]), False)


def gitlab_steps():
    for job in yaml.safe_load(block("yaml gitlab")).values():
        for line in job["before_script"] + job["script"]:
            yield line, False
        for line in job["after_script"]:
            yield line, True


def run_job(steps, folder):
    """The exit status of the job as the runner would have it, and its log."""
    status, log = 0, ""
    (folder / "path").write_text("")
    commands = stand_ins(folder / "commands")
    for command, always in steps:
        if status and not always:
            continue
        added = (folder / "path").read_text().split()
        code, text = shell(command, folder, commands, *added)
        status, log = status or code, log + text
    shutil.rmtree(commands)
    shutil.rmtree(folder / "memplan")
    return status, log


def graph(size):
    return {"format": "memplan.graph", "version": 1,
            "tensors": [{"name": "a", "size": size}, {"name": "b", "size": 9}],
            "ops": [{"name": "p", "outputs": ["a"]},
                    {"name": "q", "inputs": ["a"], "outputs": ["b"]}]}


def main():
    failed = number = 0
    for name, steps in (("GitHub Actions", github_steps),
                        ("the action", action_steps),
                        ("GitLab", gitlab_steps)):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "net.json").write_text(json.dumps(graph(1000)))
            start, log = shell(block("sh"), folder, MEMPLAN.parent)
            good, more = run_job(steps(), folder)
            (folder / "net.json").write_text(json.dumps(graph(5000)))
            bad, last = run_job(steps(), folder)
        fine = (start, good, bad) == (0, 0, 1) and "more than" in last
        number += 1
        failed += not fine
        print(f"{'ok' if fine else 'not ok'} {number} - {name}")
        if not fine:
            print("# " + (log + more + last).replace("\n", "\n# "))
    print(f"1..{number}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
