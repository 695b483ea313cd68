# SPDX-License-Identifier: MIT
"""What dsa-solver's validator asks of a solution, written anew from its rules.

Shares no code with memplan. docs/formats/dsa.md has the rules.
"""

import itertools
import json


def canonical(problem):
    """The text that the fingerprint is of."""
    whole = json.loads(json.dumps(problem))
    whole.setdefault("metadata", {})
    for pair in whole["problem"]["constraints"]["separations"]:
        if pair.get("reasons") == []:
            del pair["reasons"]
    return json.dumps(whole, indent=2, sort_keys=True,
                      ensure_ascii=False) + "\n"


def fingerprint(problem):
    value = 0xcbf29ce484222325
    for byte in canonical(problem).encode("utf-8"):
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f"{value:016x}"


class Judge:
    """A problem and where a solution puts its buffers."""

    def __init__(self, problem, solution):
        self.solution = solution
        self.mark = fingerprint(problem)
        self.problem = problem["problem"]
        self.pools = {p["id"]: p for p in self.problem["pools"]}
        self.buffers = {b["id"]: b for b in self.problem["buffers"]}
        self.at = {p["buffer"]: (p["pool"], p["offset"])
                   for p in solution["placements"]}
        constraints = self.problem["constraints"]
        self.apart = self.pairs(constraints["separations"])
        self.excluded = self.pairs(constraints["temporal_exclusions"])
        self.classes = {b: {b} for b in self.buffers}
        for pair in constraints["colocations"]:
            joined = self.classes[pair["first"]] | self.classes[pair["second"]]
            for member in joined:
                self.classes[member] = joined
        self.pins = constraints["pinned_allocations"]

    @staticmethod
    def pairs(rows):
        return {frozenset((row["first"], row["second"])) for row in rows}

    def size(self, buffer):
        """That of the largest buffer that lies there too."""
        return max(self.buffers[b]["size"] for b in self.classes[buffer])

    def conflict(self, a, b):
        return frozenset((a, b)) not in self.excluded and any(
            x["lower"] < y["upper"] and y["lower"] < x["upper"]
            for x in self.buffers[a]["live_intervals"]
            for y in self.buffers[b]["live_intervals"])

    def share(self, a, b):
        """Do the bytes overlap in one pool?"""
        (pool, low), (other, high) = self.at[a], self.at[b]
        return pool == other and low < high + self.size(b) and \
            high < low + self.size(a)

    def places(self):
        if self.solution["problem_fingerprint"] != self.mark:
            yield "another fingerprint"
        order = [p["buffer"] for p in self.solution["placements"]]
        if order != sorted(self.buffers):
            yield "not every buffer once, by id"
        for b, (pool, offset) in self.at.items():
            buffer, end = self.buffers[b], offset + self.size(b)
            if pool not in buffer["allowed_pools"]:
                yield f"{b} lies in a pool that it may not"
            if offset % buffer["alignment"]:
                yield f"{b} is not aligned"
            if end > (self.pools[pool]["capacity"] or end):
                yield f"{b} ends beyond its pool"
            for taken in self.pools[pool]["reserved_ranges"]:
                if offset < taken["end"] and taken["begin"] < end:
                    yield f"{b} lies in reserved bytes"
            if any(self.at[b] != self.at[other] for other in self.classes[b]):
                yield f"{b} does not lie with others"

    def alone(self):
        """What has its bytes for all time."""
        return {p["buffer"] for p in self.pins if p["exclusive_for_all_time"]}

    def between(self):
        alone = self.alone()
        for a, b in itertools.combinations(sorted(self.buffers), 2):
            if b in self.classes[a] or not self.share(a, b):
                continue
            if self.conflict(a, b):
                yield f"{a} and {b} are alive together"
            if frozenset((a, b)) in self.apart:
                yield f"{a} and {b} have to be apart"
            if a in alone or b in alone:
                yield f"{a} or {b} has its bytes for all time"

    def faults(self):
        yield from self.places()
        yield from self.between()
        for pin in self.pins:
            if self.at[pin["buffer"]] != (pin["pool"], pin["offset"]):
                yield f"{pin['buffer']} is not where it is pinned"

    def banks(self, buffer):
        """Those that it touches; byte x is of bank x / bank_size mod num_banks."""
        pool, low = self.at[buffer]
        geometry = self.pools[pool].get("bank_geometry")
        if not geometry:
            return set()
        size, count = geometry["bank_size"], geometry["num_banks"]
        last = (low + self.size(buffer) - 1) // size
        return {unit % count
                for unit in range(low // size, min(last, low // size + count - 1) + 1)}

    def meet(self, a, b):
        """Is one of those that lie there alive together with one of these?"""
        x, y = self.classes[a], self.classes[b]
        return bool(self.alone() & (x | y)) or any(
            self.conflict(left, right) for left in x for right in y)

    def bank_cost(self):
        """Of each two alive together in one pool, the banks that both touch."""
        firsts = sorted({min(c) for c in self.classes.values()})
        return sum(len(self.banks(a) & self.banks(b))
                   for a, b in itertools.combinations(firsts, 2)
                   if self.at[a][0] == self.at[b][0] and self.meet(a, b))

    def cost(self):
        """Of reuse: each penalty once."""
        rows = self.problem.get("cost_model", {}).get("reuse_penalties", [])
        return sum(row["cost"] for row in rows
                   if row["second"] not in self.classes[row["first"]]
                   and self.share(row["first"], row["second"])
                   and not self.conflict(row["first"], row["second"]))
