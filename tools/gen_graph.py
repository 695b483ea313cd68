#!/usr/bin/env python3
"""Graphs of the families that ordering is hard for, as graph JSON.

    tools/gen_graph.py gpt --layers 48 --micro-batches 8 > gpt48.json
    tools/gen_graph.py decoder --model llama13b --casts early > llama.json
    tools/gen_graph.py moe --layers 4 --experts 32 > moe.json
    tools/gen_graph.py randwire --seed 1 > randwire.json
    tools/gen_graph.py hills --chains 12 --seed 1 > hills.json

Every graph has one cause for a high peak, which its function names. --listing
says in which order the ops are listed: as a program would run them, breadth
first, or at random. The same arguments give the same bytes.

SPDX-License-Identifier: MIT
"""
import argparse
import collections
import json
import random
import sys

HALF, FLOAT, LONG = 2, 4, 8  # bytes


class Graph:
    """Tensors and ops as they are made; wiring says who reads what."""

    def __init__(self, name):
        self.name = name
        self.tensors = []
        self.sizes = []  # as ops see them: a version of a variable has none
        self.ops = []
        self.readers = collections.defaultdict(list)

    def tensor(self, size, kind="activation", external=None):
        tensor = {"id": len(self.tensors), "size": size, "kind": kind}
        if external is None:
            external = kind in ("input", "weight")
        if external:
            tensor["external"] = True
        self.tensors.append(tensor)
        self.sizes.append(size)
        return tensor["id"]

    def weight(self, size):
        return self.tensor(size, "weight")

    def size(self, tensor):
        return self.sizes[tensor]

    def op(self, kind, inputs, sizes, after=(), inplace=()):
        """One op; sizes are those of its outputs. Gives their ids."""
        outputs = [self.tensor(size) for size in sizes]
        op = {"name": f"{kind}_{len(self.ops)}", "type": kind,
              "inputs": list(inputs), "outputs": outputs}
        if after:
            op["after"] = sorted(set(after))
        if inplace:
            op["inplace"] = [[outputs[0], i] for i in inplace]
        for tensor in set(inputs):
            self.readers[tensor].append(len(self.ops))
        self.ops.append(op)
        return outputs

    def one(self, kind, inputs, size, inplace=()):
        return self.op(kind, inputs, [size], inplace=inplace)[0]

    def update(self, kind, variable, inputs):
        """Overwrites a variable: a new version of no bytes, behind all who
        read the old one."""
        after = self.readers[variable]
        version = self.op(kind, [variable, *inputs], [0], after)[0]
        self.tensors[version].update(kind="weight", external=True)
        self.sizes[version] = self.size(variable)
        return version

    def relist(self, order):
        """Lists the ops in another order."""
        place = {op: i for i, op in enumerate(order)}
        self.ops = [self.ops[op] for op in order]
        for op in self.ops:
            if "after" in op:
                op["after"] = sorted(place[i] for i in op["after"])

    def write(self, file):
        lines = (",\n".join(json.dumps(x, separators=(",", ":")) for x in xs)
                 for xs in (self.tensors, self.ops))
        file.write('{"format":"memplan.graph","version":1,'
                   f'"name":{json.dumps(self.name)},\n'
                   '"tensors":[\n%s\n],\n"ops":[\n%s\n]}\n' % tuple(lines))


def waits(graph):
    """For each op those that wait for it, and how many it waits for."""
    producer = {t: i for i, op in enumerate(graph.ops) for t in op["outputs"]}
    behind = [[] for _ in graph.ops]
    count = []
    for i, op in enumerate(graph.ops):
        before = {producer[t] for t in op["inputs"] if t in producer}
        before |= set(op.get("after", ()))
        count.append(len(before))
        for other in sorted(before):
            behind[other].append(i)
    return behind, count


def breadth_first(graph):
    behind, count = waits(graph)
    queue = collections.deque(i for i, n in enumerate(count) if n == 0)
    order = []
    while queue:
        order.append(queue.popleft())
        for other in behind[order[-1]]:
            count[other] -= 1
            if count[other] == 0:
                queue.append(other)
    return order


def at_random(graph, rng):
    behind, count = waits(graph)
    ready = [i for i, n in enumerate(count) if n == 0]
    order = []
    while ready:
        pick = rng.randrange(len(ready))
        ready[pick], ready[-1] = ready[-1], ready[pick]
        order.append(ready.pop())
        for other in behind[order[-1]]:
            count[other] -= 1
            if count[other] == 0:
                ready.append(other)
    return order


# ---------------------------------------------------------------- training

class Tape:
    """Forward ops that know their backward ops."""

    def __init__(self, graph):
        self.graph = graph
        self.steps = []
        self.grads = {}

    def give(self, tensor, grad):
        """Adds to the gradient of a tensor."""
        if tensor in self.grads:
            old = self.grads[tensor]
            grad = self.graph.one("add", [old, grad], self.graph.size(grad),
                                  inplace=[old, grad])
        self.grads[tensor] = grad

    def linear(self, x, weight, bias, out):
        g = self.graph
        y = g.one("addmm", [bias, x, weight], out)

        def back(dy):
            dx = g.one("mm", [dy, weight], g.size(x))
            self.give(weight, g.one("mm", [dy, x], g.size(weight)))
            self.give(bias, g.one("sum", [dy], g.size(bias)))
            self.give(x, dx)
        self.steps.append((y, back))
        return y

    def norm(self, x, weight, bias, rows):
        g = self.graph
        y, mean, deviation = g.op("layer_norm", [x, weight, bias],
                                  [g.size(x), rows * FLOAT, rows * FLOAT])

        def back(dy):
            dx, dw, db = g.op("layer_norm_backward",
                              [dy, x, mean, deviation, weight, bias],
                              [g.size(x), g.size(weight), g.size(bias)])
            self.give(weight, dw)
            self.give(bias, db)
            self.give(x, dx)
        self.steps.append((y, back))
        return y

    def dropout(self, x):
        g = self.graph
        size = g.size(x)
        mask = g.one("empty_like", [x], size)
        mask = g.one("bernoulli_", [mask], size, inplace=[mask])
        mask = g.one("div_", [mask], size, inplace=[mask])
        y = g.one("mul", [x, mask], size, inplace=[x, mask])
        self.steps.append((y, lambda dy: self.give(
            x, g.one("mul", [dy, mask], size, inplace=[dy, mask]))))
        return y

    def gelu(self, x):
        g = self.graph
        y = g.one("gelu", [x], g.size(x), inplace=[x])
        self.steps.append((y, lambda dy: self.give(
            x, g.one("gelu_backward", [dy, x], g.size(x), inplace=[dy, x]))))
        return y

    def add(self, a, b):
        g = self.graph
        y = g.one("add", [a, b], g.size(a), inplace=[a, b])

        def back(dy):
            self.give(a, dy)
            self.give(b, dy)
        self.steps.append((y, back))
        return y

    def attention(self, qkv, mask, scores, out):
        """Scores, softmax with dropout, and the weighted sum of values."""
        g = self.graph
        s = g.one("bmm", [qkv], scores)
        s = g.one("div", [s], scores, inplace=[s])
        s = g.one("add", [s, mask], scores, inplace=[s])
        p = g.one("softmax", [s], scores, inplace=[s])

        def back_scores(dp):
            ds = g.one("softmax_backward", [dp, p], scores)
            ds = g.one("div", [ds], scores, inplace=[ds])
            parts = [g.one("clone", [g.one("bmm", [qkv, ds], out)], out)
                     for _ in range(2)]
            self.give(qkv, g.one("cat", [*parts, self.grads.pop("v")],
                                 g.size(qkv)))
        self.steps.append((p, back_scores))
        d = self.dropout(p)
        y = g.one("bmm", [d, qkv], out)

        def back_values(dy):
            self.grads["v"] = g.one("bmm", [d, dy], out)
            self.give(d, g.one("bmm", [dy, qkv], scores))
        self.steps.append((y, back_values))
        return y

    def embed(self, ids, table, out):
        g = self.graph
        y = g.one("embedding", [table, ids], out)
        self.steps.append((y, lambda dy: self.give(
            table, g.one("embedding_backward", [dy, ids], g.size(table)))))
        return y

    def loss(self, logits, labels):
        g = self.graph
        size = g.size(logits)
        p = g.one("log_softmax", [logits], size, inplace=[logits])
        loss, total = g.op("nll_loss", [p, labels], [FLOAT, FLOAT])
        one = g.one("ones_like", [loss], FLOAT)
        dp = g.one("nll_loss_backward", [one, p, labels, total], size)
        self.give(logits, g.one("log_softmax_backward", [dp, p], size,
                                inplace=[dp]))

    def backward(self):
        for y, back in reversed(self.steps):
            back(self.grads.pop(y))


def gpt_micro_batch(graph, args, params, ids, mask, labels):
    """Forward and backward; gives the gradients by parameter."""
    tape = Tape(graph)
    rows, h = args.batch * args.sequence, args.hidden * FLOAT
    scores = args.batch * args.heads * args.sequence ** 2 * FLOAT
    p = iter(params)
    table = next(p)
    x = tape.dropout(tape.embed(ids, table, rows * h))
    for _ in range(args.layers):
        y = tape.norm(x, next(p), next(p), rows)
        y = tape.linear(y, next(p), next(p), rows * 3 * h)
        y = tape.attention(y, mask, scores, rows * h)
        y = tape.dropout(tape.linear(y, next(p), next(p), rows * h))
        x = tape.add(x, y)
        y = tape.norm(x, next(p), next(p), rows)
        y = tape.gelu(tape.linear(y, next(p), next(p), rows * 4 * h))
        y = tape.dropout(tape.linear(y, next(p), next(p), rows * h))
        x = tape.add(x, y)
    x = tape.norm(x, next(p), next(p), rows)
    tape.loss(tape.linear(x, table, next(p), rows * args.vocabulary * FLOAT),
              labels)
    tape.backward()
    return tape.grads


def gpt_parameters(graph, args):
    h = args.hidden * FLOAT
    sizes = [args.vocabulary * h]
    for _ in range(args.layers):
        sizes += [h, h, 3 * args.hidden * h, 3 * h, args.hidden * h, h]
        sizes += [h, h, 4 * args.hidden * h, 4 * h, 4 * args.hidden * h, h]
    sizes += [h, h, args.vocabulary * FLOAT]
    return [graph.weight(size) for size in sizes]


def adam(graph, weight, first, second, grad):
    """New versions of a parameter and its two moments."""
    size = graph.size(grad)
    first = graph.update("add_", graph.update("mul_", first, []), [grad])
    second = graph.update("addcmul_", graph.update("mul_", second, []), [grad])
    root = graph.one("sqrt", [second], size)
    root = graph.one("div_", [root], size, inplace=[root])
    root = graph.one("add_", [root], size, inplace=[root])
    return graph.update("addcdiv_", weight, [first, root]), first, second


def make_gpt(args):
    """Training with accumulated micro-batches, whose data is declared first,
    as traces have it. Whatever interleaves the micro-batches holds the
    activations of several at once; whatever leaves the optimiser to the end
    holds all gradients."""
    graph = Graph(f"gpt_{args.layers}L_accum{args.micro_batches}")
    data = [[graph.tensor(args.batch * args.sequence * LONG, "input")
             for _ in ("tokens", "labels")]
            for _ in range(args.steps * args.micro_batches)]
    params = gpt_parameters(graph, args)
    first = [graph.weight(graph.size(p)) for p in params]
    second = [graph.weight(graph.size(p)) for p in params]
    mask = graph.tensor(args.sequence ** 2 * FLOAT, "input")
    for _ in range(args.steps):
        total = {}
        for _ in range(args.micro_batches):
            ids, labels = data.pop(0)
            grads = gpt_micro_batch(graph, args, params, ids, mask, labels)
            for i, p in enumerate(params):
                old, new = total.get(i), grads[p]
                total[i] = new if old is None else graph.one(
                    "add_", [old, new], graph.size(new), inplace=[old])
        for i, p in enumerate(params):
            params[i], first[i], second[i] = adam(
                graph, p, first[i], second[i], total[i])
    return graph


# --------------------------------------------------------------- inference

MODELS = {  # hidden, inner, vocabulary, layers, heads
    "baichuan13b": (5120, 13696, 125696, 40, 40),
    "llama13b": (5120, 13824, 32000, 40, 40),
    "llama1b": (2048, 5632, 32000, 22, 32),
}


def make_decoder(args):
    """Weights kept in 32 bits are cast to 16 for use. Cast early, all of them
    wait for their use at once. The table of the embedding is declared last, so
    that a breadth-first order meets every cast before it."""
    hidden, inner, vocabulary, layers, heads = MODELS[args.model]
    layers = args.layers or layers
    graph = Graph(f"{args.model}_{layers}L_casts_{args.casts}")
    ids = graph.tensor(args.sequence * LONG, "input")
    shapes = [(hidden, hidden)] * 4 + [(hidden, inner)] * 2 + [(inner, hidden)]
    weights = [[graph.weight(a * b * FLOAT) for a, b in shapes]
               for _ in range(layers)]
    head = graph.weight(hidden * vocabulary * FLOAT)
    table = graph.weight(hidden * vocabulary * HALF)
    early = {}

    def cast(weight):
        if weight not in early:
            early[weight] = graph.one("Cast", [weight],
                                      graph.size(weight) // 2)
        return early[weight]

    if args.casts == "early":
        for column in range(len(shapes)):
            for layer in weights:
                cast(layer[column])
        cast(head)
    row = args.sequence * hidden * HALF
    scores = heads * args.sequence ** 2 * HALF
    x = graph.one("Embedding", [ids, table], row)
    for wq, wk, wv, wo, wg, wu, wd in weights:
        y = graph.one("RmsNorm", [x], row)
        q, k, v = (graph.one("MatMul", [y, cast(w)], row)
                   for w in (wq, wk, wv))
        q, k = graph.one("Rope", [q], row), graph.one("Rope", [k], row)
        s = graph.one("SoftMax", [graph.one("BMM", [q, k], scores)], scores)
        y = graph.one("BMM", [s, v], row)
        x = graph.one("Add", [x, graph.one("MatMul", [y, cast(wo)], row)], row)
        y = graph.one("RmsNorm", [x], row)
        wide = args.sequence * inner * HALF
        gate = graph.one("MatMul", [y, cast(wg)], wide)
        gate = graph.one("SiLU", [gate], wide)
        up = graph.one("MatMul", [y, cast(wu)], wide)
        y = graph.one("Mul", [gate, up], wide)
        x = graph.one("Add", [x, graph.one("MatMul", [y, cast(wd)], row)], row)
    y = graph.one("RmsNorm", [x], row)
    y = graph.one("MatMul", [y, cast(head)], args.sequence * vocabulary * HALF)
    graph.tensors[y]["kind"] = "output"
    return graph


def make_moe(args):
    """Experts side by side: run abreast, all hold their inner rows at once."""
    graph = Graph(f"moe_{args.layers}L_{args.experts}e")
    row = 512 * 2048 * FLOAT
    part = row // args.experts * 2
    x = graph.one("embed", [graph.tensor(row, "input")], row)
    for _ in range(args.layers):
        gates = graph.one("router", [x], 512 * args.experts * FLOAT)
        top = graph.one("topk", [gates], 512 * 2 * LONG)
        experts = [[graph.one("mask", [top], 512)]
                   for _ in range(args.experts)]
        for kind, times in (("gather", 1), ("up", 4), ("act", 4), ("down", 1)):
            for chain in experts:
                reads = [x, chain[0]] if kind == "gather" else [chain[-1]]
                chain.append(graph.one(kind, reads, part * times))
        y = graph.one("concat", [chain[-1] for chain in experts],
                      part * args.experts)
        y = graph.one("scatter", [y, top], row)
        x = graph.one("add", [x, y], row)
    graph.tensors[x]["kind"] = "output"
    return graph


# --------------------------------------------------------------- synthetic

def make_randwire(args):
    """Randomly wired cells (small worlds of Watts and Strogatz)."""
    rng = random.Random(args.seed)
    graph = Graph(f"randwire_n{args.nodes}_s{args.seed}")
    x = graph.one("stem", [graph.tensor(602112, "input")], 4 * 244608)
    for stage in range(3):
        size = 244608 >> stage
        edges = [set() for _ in range(args.nodes)]
        for i in range(args.nodes):
            for step in (1, 2):
                j = (i + step) % args.nodes
                if rng.random() < 0.75:
                    j = rng.randrange(args.nodes)
                if i != j:
                    edges[max(i, j)].add(min(i, j))
        made, read = [], set()
        for i in range(args.nodes):
            inputs = [made[j] for j in sorted(edges[i])] or [x]
            read |= edges[i]
            made.append(graph.one("node", inputs, size))
        ends = [made[i] for i in range(args.nodes) if i not in read]
        x = graph.one("mean", ends, size)
    y = graph.one("fc", [graph.one("pool", [x], 5120)], 4000)
    graph.tensors[y]["kind"] = "output"
    return graph


def make_hills(args):
    """Chains from one source to one sink, each over hills of its own: the
    best order changes chains in the valleys (Liu 1987)."""
    rng = random.Random(args.seed)
    graph = Graph(f"hills_k{args.chains}_s{args.seed}")
    source = graph.one("src", [graph.tensor(100, "input")], 50)
    ends = []
    for _ in range(args.chains):
        x = source
        for _ in range(rng.randint(4, 8)):
            x = graph.one("hill", [x], rng.choice(
                [5, 10, 20, 50, 100, 200, 400]))
        ends.append(graph.one("valley", [x], rng.choice([1, 5, 10, 20, 50])))
    y = graph.one("join", ends, 10)
    graph.tensors[y]["kind"] = "output"
    return graph


FAMILIES = {"gpt": make_gpt, "decoder": make_decoder, "moe": make_moe,
            "randwire": make_randwire, "hills": make_hills}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--layers", type=int, help="0: as the model has")
    parser.add_argument("--listing", default="program",
                        choices=("program", "breadth", "random"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sequence", type=int, default=512)
    gpt = parser.add_argument_group("gpt")
    gpt.add_argument("--micro-batches", type=int, default=1)
    gpt.add_argument("--steps", type=int, default=1, help="of the optimiser")
    gpt.add_argument("--batch", type=int, default=1)
    gpt.add_argument("--hidden", type=int, default=768)
    gpt.add_argument("--heads", type=int, default=12)
    gpt.add_argument("--vocabulary", type=int, default=50257)
    decoder = parser.add_argument_group("decoder")
    decoder.add_argument("--model", choices=MODELS, default="baichuan13b")
    decoder.add_argument("--casts", choices=("early", "use"), default="early")
    parser.add_argument("--experts", type=int, default=32, help="moe")
    parser.add_argument("--nodes", type=int, default=32, help="randwire")
    parser.add_argument("--chains", type=int, default=12, help="hills")
    args = parser.parse_args()
    if args.layers is None:
        args.layers = {"gpt": 12, "moe": 4}.get(args.family, 0)
    return args


def main():
    args = parse()
    graph = FAMILIES[args.family](args)
    if args.listing == "breadth":
        graph.relist(breadth_first(graph))
    if args.listing == "random":
        graph.relist(at_random(graph, random.Random(args.seed)))
    graph.write(sys.stdout)


if __name__ == "__main__":
    main()
