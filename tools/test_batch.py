#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sweeps: shards, the store, and what can go wrong with both.

    test_batch.py MEMPLAN TESTDATA

Tasks are planned into stores, which are then damaged, filled, shared and killed
at. In each case nothing is lost, nothing wrong is merged, and a message says what
happened. Prints TAP.
"""

import hashlib
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import harness

OK, NO, USAGE, INPUT, ENOMEM, EIO, INTERNAL = 0, 1, 2, 3, 5, 6, 7
MEMPLAN, DATA = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
FORMS = ["csv", "json", "md", "html"]
GRAPHS = ["figure10", "squeezenet1_1_b1", "mobilenet_v2_b1"]


class Sweep:
    """A folder with a list of tasks."""

    def __init__(self, folder, tasks=None):
        self.folder = pathlib.Path(folder)
        for name in GRAPHS:
            shutil.copy(DATA / "graphs" / f"{name}.json", self.folder)
        (self.folder / "bad.csv").write_text("id,lower\n")
        self.write(tasks or [
            *({"input": f"{name}.json", "options": {"align": align}}
              for name in GRAPHS for align in (1, 64, 512)),
            {"input": "figure10.json", "options": {"capacity": 1}},
            {"input": "figure10.json", "outputs": ["p.json", "p.html"]},
            {"input": "bad.csv"}])

    def write(self, tasks):
        self.tasks = tasks
        (self.folder / "t.jsonl").write_text(
            "".join(json.dumps(task) + "\n" for task in tasks))

    def start(self, *arguments, store="s", **how):
        return subprocess.Popen(
            [MEMPLAN, "batch", "t.jsonl", "--store", store, *arguments],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, **how)

    def run(self, *arguments, status=OK, **how):
        """A run that ends so; what it said on stderr."""
        process = self.start(*arguments, **how)
        out, said = process.communicate(timeout=600)
        assert process.returncode == status, \
            f"{arguments}: {process.returncode}: {said}"
        self.out = out
        return said

    def merged(self, store="s"):
        names = [f"m.{form}" for form in FORMS]
        said = self.run("--merge", *(f"-o={name}" for name in names),
                        store=store)
        assert not said, said
        return [(self.folder / name).read_bytes() for name in names]

    def answers(self, store="s"):
        return sorted(p for p in (self.folder / store).rglob("*.json")
                      if len(p.name) == 64 + len(".json"))


def in_folder(work):
    def inside(*arguments):
        with tempfile.TemporaryDirectory() as folder:
            yield from work(Sweep(folder), *arguments)
    return inside


def seal(text):
    """An answer with the digest that it should have."""
    front = text[:text.rindex(',\n  "sha256"')]
    digest = hashlib.sha256(front.encode()).hexdigest()
    return f'{front},\n  "sha256": "{digest}"\n}}\n'


# ----------------------------------------------------------------------- cases

@in_folder
def shards_merge_to_the_same_bytes(sweep):
    wanted = None
    for n in (1, 2, 7):
        shutil.rmtree(sweep.folder / "s", ignore_errors=True)
        for k in range(n):
            sweep.run("--shard", f"{k}/{n}", "-j", "2")
        merged = sweep.merged()
        if wanted and merged != wanted:
            yield f"{n} shards differ"
        wanted = merged
    rows = json.loads(wanted[1])["rows"]
    if [row["status"] for row in rows] != [0] * 9 + [1, 0, 3]:
        yield f"statuses {[row['status'] for row in rows]}"
    if len(wanted[0].splitlines()) != 1 + len(rows):
        yield "CSV has another number of rows"
    links = wanted[3].decode().count('<a href="s/')
    if links != 2:
        yield f"{links} links"


@in_folder
def answers_are_those_of_plan(sweep):
    sweep.run()
    rows = json.loads(sweep.merged()[1])["rows"]
    for row in rows[:9]:
        plain = harness.result(
            MEMPLAN, "plan", sweep.folder / row["task"]["input"], "--align",
            row["task"]["options"]["align"])
        for name, value in plain.items():
            if name != "seconds" and row["result"][name] != value:
                yield f"{name}: {row['result'][name]}, plan says {value}"
    output = next((sweep.folder / "s").rglob("*.p.json")).read_text()
    harness.run(MEMPLAN, "plan", sweep.folder / "figure10.json", "-o",
                sweep.folder / "own.json", "--quiet")
    if output != (sweep.folder / "own.json").read_text():
        yield "the stored plan is another"


@in_folder
def a_second_run_plans_nothing(sweep):
    sweep.run()
    before = {p: p.stat().st_mtime_ns for p in sweep.answers()}
    sweep.run()
    if "12 were there, 0 are new" not in sweep.out:
        yield sweep.out
    if before != {p: p.stat().st_mtime_ns for p in sweep.answers()}:
        yield "answers were written again"
    sweep.write(sweep.tasks + [{"input": "figure10.json", "batch": 7}])
    sweep.run()
    if "12 were there, 1 are new" not in sweep.out:
        yield sweep.out


@in_folder
def a_broken_answer_is_told_and_repeated(sweep):
    sweep.run()
    wanted = sweep.merged()
    chance = random.Random(1)
    for round_, path in enumerate(sweep.answers()):
        text = path.read_bytes()
        at = chance.randrange(len(text))
        path.write_bytes(text[:at] if round_ % 2 else
                         text[:at] + bytes([text[at] ^ 4]) + text[at + 1:])
        said = sweep.run("--merge", "-o", "x.csv", status=NO)
        if "it does not count" not in said or "1 of 12 answers" not in said:
            yield said
        if (sweep.folder / "x.csv").exists():
            yield "an incomplete table was written"
        said = sweep.run()
        if "it does not count" not in said or "1 are new" not in sweep.out:
            yield said + sweep.out
    if sweep.merged() != wanted:
        yield "merged to others"


@in_folder
def a_broken_output_is_told_and_repeated(sweep):
    sweep.run()
    wanted = sweep.merged()
    output = next((sweep.folder / "s").rglob("*.p.html"))
    for text in (output.read_bytes()[:-1], b"x" * output.stat().st_size, None):
        if text is None:
            output.unlink()
        else:
            output.write_bytes(text)
        if "an output" not in sweep.run("--merge", "-o", "x.csv", status=NO):
            yield "merge does not see it"
        if text and text[0] == ord("x"):  # of that length: only merge reads it
            output.unlink()
        sweep.run()
        if sweep.merged() != wanted:
            yield "merged to others"


@in_folder
def answers_of_another_version_do_not_count(sweep):
    sweep.run()
    wanted = sweep.merged()
    version = sweep.answers()[0].parent.parent.name
    (sweep.folder / "s" / version).rename(sweep.folder / "s" / "0.0.7")
    (sweep.folder / "s" / "0.0.5").mkdir()
    (sweep.folder / "s" / "0.0.6").write_text("a note: no version")
    (sweep.folder / "db").mkdir()  # beside the store, like an answer's folder
    said = sweep.run("--merge", "-o", "x.csv", status=NO)
    if "version 0.0.7, which do not count" not in said:
        yield said
    sweep.run()
    if sweep.merged() != wanted:
        yield "merged to others"
    path = sweep.answers()[-1]
    path.write_text(seal(path.read_text().replace(
        f'"memplan": "{version}"', '"memplan": "0.0.7"')))
    said = sweep.run("--merge", "-o", "x.csv", status=NO)
    if "is of another version" not in said:
        yield said
    sweep.run()
    if sweep.merged() != wanted:
        yield "merged to others"


def children(pid):
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def with_pipe(sweep, meanwhile):
    """Runs one task with a pipe as its graph. The program reads it once for the
    key, and once to plan: in between meanwhile() is called."""
    text = (sweep.folder / "figure10.json").read_text()
    os.mkfifo(sweep.folder / "pipe.json")
    sweep.write([{"input": "pipe.json"}, {"input": "figure10.json"}])
    process = sweep.start("-j", "1")
    (sweep.folder / "pipe.json").write_text(text)
    while not children(process.pid):
        time.sleep(0.01)
    end = meanwhile(process, text)
    said = process.communicate(timeout=600)[1]
    return process.returncode, said + (end or "")


@in_folder
def a_process_that_is_killed_costs_one_task(sweep):
    def kill(process, _):
        os.kill(children(process.pid)[0], signal.SIGKILL)
    status, said = with_pipe(sweep, kill)
    if status != INTERNAL or "t.jsonl:1: error: pipe.json: its process was " \
            "ended by signal 9" not in said:
        yield f"{status}: {said}"
    if len(sweep.answers()) != 1:
        yield f"{len(sweep.answers())} answers"


@in_folder
def two_answers_to_one_task_contradict(sweep):
    def answer_first(_, text):
        # The key of the pipe: it has another name than the graph.
        folder = sweep.folder / "other"
        folder.mkdir()
        (folder / "pipe.json").write_text(text)
        (folder / "t.jsonl").write_text('{"input": "pipe.json"}')
        harness.run(MEMPLAN, "batch", folder / "t.jsonl", "--store",
                    folder / "s", "--quiet")
        there = next(p for p in (folder / "s").rglob("*.json")
                     if len(p.name) == 69)
        text_there = there.read_text()
        place = sweep.folder / "s" / there.relative_to(folder / "s")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(seal(text_there.replace(
            '"arena_size": ', '"arena_size": 9')))
        (sweep.folder / "pipe.json").write_text(text)
    status, said = with_pipe(sweep, answer_first)
    if status != INTERNAL or "another answer to the same" not in said:
        yield f"{status}: {said}"
    (sweep.folder / "pipe.json").unlink()
    shutil.copy(sweep.folder / "figure10.json", sweep.folder / "pipe.json")
    said = sweep.run("--merge", "-o", "x.csv", status=NO)
    if "t.jsonl:1: pipe.json: has two answers that contradict" not in said \
            or "1 contradictory" not in said:
        yield said


@in_folder
def a_full_disk_loses_nothing(sweep):
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))
    said = sweep.run(status=EIO, preexec_fn=small)
    if "File too large" not in said:
        yield said
    sweep.run("--merge", "-o", "x.csv", status=NO)
    sweep.run()
    whole = sweep.merged()
    shutil.rmtree(sweep.folder / "s")
    sweep.run()
    if sweep.merged() != whole:
        yield "merged to others"
    if list((sweep.folder / "s").rglob(".new-*")):
        yield "half a file is left"


@in_folder
def a_store_that_cannot_be_written_is_told(sweep):
    said = sweep.run(store="/proc/memplan", status=EIO)
    if "/proc/memplan: cannot create: " not in said or said.count("\n") != 1:
        yield said
    (sweep.folder / "full").mkdir()
    (sweep.folder / "full" / "letter.txt").write_text("")
    said = sweep.run(store="full", status=EIO)
    if "is no store: it has other files" not in said:
        yield said
    said = sweep.run(store="t.jsonl", status=EIO)
    if "is no folder" not in said:
        yield said
    sweep.run()
    (sweep.folder / "s" / "memplan-store.json").write_text("{}")
    if "another layout" not in sweep.run(status=INPUT):
        yield "another layout is taken"


@in_folder
def kills_at_any_moment_lose_nothing(sweep, kills):
    sweep.run(store="whole")
    chance, done = random.Random(2), 0
    while done < kills:
        process = sweep.start("-j", "2", start_new_session=True)
        time.sleep(chance.random() * 0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        done += 1
        if done % 10 == 0:
            shutil.rmtree(sweep.folder / "s", ignore_errors=True)
    said = sweep.run("-j", "2")
    if said:
        yield said
    if sweep.merged()[:3] != sweep.merged("whole")[:3]:
        yield "merged to others"


@in_folder
def two_sweeps_share_a_store(sweep):
    both = [sweep.start("-j", "2") for _ in range(2)]
    for process in both:
        said = process.communicate(timeout=600)[1]
        if process.returncode or said:
            yield f"{process.returncode}: {said}"
    sweep.run(store="alone")
    if sweep.merged()[:3] != sweep.merged("alone")[:3]:
        yield "merged to others"


@in_folder
def a_terminated_sweep_ends_its_processes(sweep):
    left = []

    def terminate(process, _):
        left.extend(children(process.pid))
        process.terminate()
        process.wait(timeout=60)
    status, _ = with_pipe(sweep, terminate)
    if status != -signal.SIGTERM:
        yield f"status {status}"
    for pid in left:
        for _ in range(500):
            if not pathlib.Path(f"/proc/{pid}/exe").exists():
                break
            time.sleep(0.02)
        else:
            yield "a process goes on"


@in_folder
def mistakes_have_a_place(sweep, line, wanted):
    (sweep.folder / "t.jsonl").write_text(
        '{"input": "figure10.json"}\n' + line)
    said = sweep.run(status=INPUT)
    if f"t.jsonl:2: error: {wanted}" not in said and \
            f"t.jsonl:2:{wanted}" not in said:
        yield said
    if (sweep.folder / "s").exists():
        yield "a store was begun"


MISTAKES = [
    ('{"input": "a", "options": {"ordr": "auto"}}',
     "/options/ordr: no option of a task; did you mean 'order'?"),
    ('{"input": "a", "options": {"order": "x"}}', "/options/order: "),
    ('{"input": "a", "options": {"time-limit": 3}}',
     "/options/time-limit: answers would depend on the machine"),
    ('{"input": "a", "options": {"together": "serial"}}',
     "/options/together: a task is one graph"),
    ('{"input": "a", "outputs": ["x.doc"]}', "/outputs/0: 'x.doc'"),
    ('{"input": "a.io_info.json", "batch": "4,16"}', "/batch: "),
    ('{"input": "a", "inputs": 1}', "unknown key 'inputs'"),
    ('{"input": "a"', "14: error: the text ends before }"),
]


@in_folder
def a_graph_that_is_missing_is_named(sweep):
    sweep.write([{"input": "none.json"}, {"input": "figure10.json"}])
    said = sweep.run(status=EIO)
    if "none.json: error: cannot open" not in said or \
            "1 failed" not in sweep.out:
        yield said + sweep.out
    said = sweep.run("--merge", "-o", "x.csv", status=NO)
    if "t.jsonl:1: none.json: cannot be read" not in said:
        yield said


@in_folder
def a_matrix_makes_tasks(sweep):
    folder = sweep.folder
    harness.run("sh", "-c", f"cd {folder} && {MEMPLAN} batch --matrix "
                "graphs='[fs]*.json' align=1,64 outputs=p.json -o t.jsonl")
    made = (folder / "t.jsonl").read_text()
    if len(made.splitlines()) != 4:
        yield made
    sweep.run(store="list")
    harness.run("sh", "-c", f"cd {folder} && {MEMPLAN} batch --matrix "
                "graphs='[fs]*.json' align=1,64 outputs=p.json --store s")
    names = [[p.name for p in sweep.answers(store)] for store in ("s", "list")]
    if names[0] != names[1] or len(names[0]) != 4:
        yield f"other answers: {names}"


@in_folder
def options_of_the_command_line_are_for_all(sweep):
    sweep.write([{"input": "figure10.json"},
                 {"input": "figure10.json", "options": {"align": 64}}])
    sweep.run("--align", "4096")
    subprocess.run([MEMPLAN, "batch", "t.jsonl", "--store", "s", "--merge",
                    "--align", "4096", "-o", "m.json"], cwd=sweep.folder,
                   check=True)
    rows = json.loads((sweep.folder / "m.json").read_text())["rows"]
    if [row["result"]["alignment"] for row in rows] != [4096, 64]:
        yield f"{rows}"
    sweep.run("--merge", "-o", "m.json", status=NO)


@in_folder
def memory_that_is_out_is_no_answer(sweep):
    said = sweep.run("--max-memory", "2KiB", status=ENOMEM)
    if "t.jsonl:1: error: figure10.json align=1 max-memory=2KiB: there is no " \
            "answer" not in said or "out of memory" not in said:
        yield said
    if "failed" not in sweep.out:
        yield sweep.out
    sweep.run()


@in_folder
def the_list_is_not_overwritten(sweep):
    shutil.copy(sweep.folder / "t.jsonl", sweep.folder / "t.json")
    done = harness.run(MEMPLAN, "batch", sweep.folder / "t.json", "--store",
                       sweep.folder / "s", "--merge", "-o",
                       sweep.folder / "t.json", status=(USAGE,))
    if "it would be overwritten" not in done.stderr:
        yield done.stderr


@in_folder
def a_graph_that_changes_is_planned_again(sweep):
    sweep.write([{"input": "figure10.json"}])
    sweep.run()
    text = (sweep.folder / "figure10.json").read_text()
    (sweep.folder / "figure10.json").write_text(text + "\n")
    if "has no answer" not in sweep.run("--merge", "-o", "x.md", status=NO):
        yield "the old answer counts"
    sweep.run()
    if "1 are new" not in sweep.out:
        yield sweep.out


@in_folder
def traces_have_batches(sweep):
    for path in (DATA / "cli" / "together").glob("net.*.json"):
        shutil.copy(path, sweep.folder)
    trace = sweep.folder / "net.io_info.json"
    shutil.copy(DATA / "cli" / "together" / trace.name, trace)
    sweep.write([{"input": trace.name, "batch": 4},
                 {"input": trace.name, "batch": 16}])
    sweep.run()
    for row in json.loads(sweep.merged()[1])["rows"]:
        plain = harness.result(MEMPLAN, "plan", trace, "--batch",
                               row["task"]["batch"])
        if row["result"]["arena_size"] != plain["arena_size"]:
            yield f"{row}"


# ------------------------------------------------------------------------ gate

@in_folder
def the_gate_says_the_same_of_a_store(sweep):
    folder = sweep.folder
    (folder / "b.json").write_text(json.dumps(
        {"format": "memplan.budget", "version": 1, "budgets": [
            {"graph": "squeezenet1_1_b1.json", "target": "cuda",
             "options": {"order": "auto"}, "arena": {"fail": 1 << 30},
             "baseline": "base.json", "growth": {"fail": "1%"}},
            {"graph": "figure10.json", "target": "label", "batch": "3",
             "arena": {"warn": 1}},
            {"graph": "bad.csv", "arena": {"fail": 1}},
            {"graph": "figure10.json", "options": {"capacity": "1"},
             "arena": {"fail": 1}}]}))

    def gate(*arguments):
        done = subprocess.run(
            [MEMPLAN, "gate", "b.json", *arguments, "--json"], cwd=folder,
            capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr
    plain, first = gate(), gate("--store", "s", "-j", "2")
    again = gate("--store", "s")
    if not plain == first == again:
        yield f"{plain}\n{first}\n{again}"
    if len(sweep.answers()) != 4:
        yield f"{len(sweep.answers())} answers"
    budget = json.loads((folder / "b.json").read_text())
    budget["budgets"] = budget["budgets"][:2]
    (folder / "b.json").write_text(json.dumps(budget))
    written = []
    for more in ([], ["--store", "s"]):
        (folder / "base.json").unlink(missing_ok=True)
        subprocess.run([MEMPLAN, "gate", "b.json", "--update", *more],
                       cwd=folder, check=True)
        written.append((folder / "base.json").read_bytes())
    if written[0] != written[1]:
        yield "--update writes another baseline"


# ----------------------------------------------------------------------- seeds

def problem(folder):
    """Small, and with plans of several sizes."""
    chance, rows = random.Random(5), ["id,lower,upper,size"]
    for i in range(60):
        at = chance.randrange(40)
        rows.append(f"t{i},{at},{at + chance.randrange(1, 20)},"
                    f"{chance.randrange(1, 90)}")
    (folder / "p.csv").write_text("\n".join(rows) + "\n")


@in_folder
def seeds_find_one_answer(sweep, planner, more):
    folder = sweep.folder
    problem(folder)

    def seeds(store, *arguments, status=(OK,)):
        return harness.run(
            MEMPLAN, "plan", folder / "p.csv", "--planner", planner, *more,
            "--seeds", "3-8", "--store", folder / store, *arguments,
            status=status)
    wanted = seeds("a", "--json").stdout
    harness.run(MEMPLAN, "check", "--quiet", *[
        (seeds("a", "-o", folder / "x.plan.json", "--quiet"),
         folder / "x.plan.json")[1]])
    for order in ("012", "210"):
        for k in order:
            seeds(order, "--shard", f"{k}/3", "-j", "2")
        if seeds(order, "--merge", "--json").stdout != wanted:
            yield f"shards in order {order} differ"
    answer = json.loads(wanted)
    best = min(harness.result(MEMPLAN, "plan", folder / "p.csv", "--planner",
                              planner, *more, "--seed", str(seed))["arena_size"]
               for seed in range(3, 9))
    if answer["arena_size"] != best:
        yield f"{answer}, the best is {best}"
    if ("seed" in answer) == answer["optimal"]:
        yield f"{answer}"
    done = seeds("b", "--shard", "1/3")
    done = seeds("b", "--merge", status=(OK, NO))
    if done.returncode == NO and "seeds have no answer: 3 5 6 8" not in \
            done.stderr:
        yield done.stderr


def the_first_seed_at_the_bound_ends_the_others():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "p.csv").write_text("id,lower,upper,size\na,0,2,8\n")
        done = harness.run(MEMPLAN, "plan", folder / "p.csv", "--seeds",
                           "0-99", "--shard", "0/2", "--store", folder / "s")
        first = len(list((folder / "s").rglob("*.plan.json")))
        harness.run(MEMPLAN, "plan", folder / "p.csv", "--seeds", "0-99",
                    "--shard", "1/2", "--store", folder / "s")
        if len(list((folder / "s").rglob("*.plan.json"))) != first:
            yield "the other shard went on"
        if done.stderr:
            yield done.stderr


def usage(arguments, wanted):
    done = harness.run(MEMPLAN, *arguments, status=(USAGE,))
    if wanted not in done.stderr:
        yield done.stderr


def refused_options_are_not_in_the_help(options):
    named = harness.run(MEMPLAN, "batch", "--help").stdout
    for option, value in options.items():
        yield from usage(["batch", "t", "--store", "s", option, value],
                         f"{option}: ")
        if f" {option} " in named:
            yield f"{option} is in the help"


USAGES = [
    (["batch", "t"], "--store is missing"),
    (["batch", "--store", "s"], "batch takes one list of tasks"),
    (["batch", "a", "b", "--store", "s"], "batch takes one list of tasks"),
    (["batch", "t", "--store", "s", "--shard", "2/2"], "--shard: must be K/N"),
    (["batch", "t", "--store", "s", "-j", "0"], "-j: must be"),
    (["batch", "t", "--store", "s", "--merge"], "--merge needs -o"),
    (["batch", "t", "--store", "s", "-o", "x.csv"], "-o goes with --merge"),
    (["batch", "t", "--store", "s", "--merge", "-o", "x.doc"],
     "a merged sweep is .csv"),
    (["batch", "--matrix", "batch=1", "-o", "x"], "needs the axis graphs"),
    (["batch", "--matrix", "graphs=/none*", "-o", "x"], "names no file"),
    (["batch", "--matrix", "x", "-o", "x"], "is no axis"),
    (["plan", "p.csv", "--seeds", "0-3"], "--store is missing"),
    (["plan", "p.csv", "--seeds", "3-1", "--store", "s"], "--seeds: must be"),
    (["plan", "p.csv", "--store", "s"], "--store goes with --seeds"),
    (["plan", "p.csv", "-j", "2"], " -j goes with --seeds"),
    (["plan", "p.csv", "--seeds", "0-3", "--seed", "1", "--store", "s"],
     "exclude each other"),
    (["plan", "p.csv", "--seeds", "0-3", "--time-limit", "1", "--store", "s"],
     "--time-limit: answers would depend on the machine"),
]


def main():
    kills = int(os.environ.get("MEMPLAN_KILLS", "10"))
    harness.tap([
        ("shards", shards_merge_to_the_same_bytes),
        ("the answers of plan", answers_are_those_of_plan),
        ("a second run", a_second_run_plans_nothing),
        ("a broken answer", a_broken_answer_is_told_and_repeated),
        ("a broken output", a_broken_output_is_told_and_repeated),
        ("another version", answers_of_another_version_do_not_count),
        ("a killed process", a_process_that_is_killed_costs_one_task),
        ("a contradiction", two_answers_to_one_task_contradict),
        ("a full disk", a_full_disk_loses_nothing),
        ("no store", a_store_that_cannot_be_written_is_told),
        (f"{kills} kills", kills_at_any_moment_lose_nothing, kills),
        ("two sweeps", two_sweeps_share_a_store),
        ("a terminated sweep", a_terminated_sweep_ends_its_processes),
        *((f"mistake {i}", mistakes_have_a_place, *mistake)
          for i, mistake in enumerate(MISTAKES)),
        ("a missing graph", a_graph_that_is_missing_is_named),
        ("a matrix", a_matrix_makes_tasks),
        ("options for all", options_of_the_command_line_are_for_all),
        ("no memory", memory_that_is_out_is_no_answer),
        ("the list", the_list_is_not_overwritten),
        ("a graph that changes", a_graph_that_changes_is_planned_again),
        ("a trace", traces_have_batches),
        ("the gate", the_gate_says_the_same_of_a_store),
        ("seeds, open", seeds_find_one_answer, "climb", ["--steps", "9000"]),
        ("seeds, met", seeds_find_one_answer, "auto", []),
        ("seeds, ended", the_first_seed_at_the_bound_ends_the_others),
        ("help", refused_options_are_not_in_the_help,
         {"--time-limit": "1", "--together": "serial", "--same-offsets": "a"}),
        *((f"usage {' '.join(arguments)}", usage, arguments, wanted)
          for arguments, wanted in USAGES),
    ])


if __name__ == "__main__":
    main()
