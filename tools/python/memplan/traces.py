# SPDX-License-Identifier: MIT
"""Turns the record of a PyTorch run, a torch.fx graph of ATen calls on fake
tensors, into a graph. Nothing of PyTorch is imported: what is asked of its
objects is the same in all versions. The rules:

* One op for each ATen call. A tensor of the graph is a storage, not a view of
  it: calls that only make views vanish, readers of a view read the storage.
* Weights, buffers and optimiser state are the caller's memory (external).
* A write to the caller's memory makes a new version of it: a tensor of 0
  bytes, which later readers wait for; and the write waits for every reader of
  the version before (`after`, the anti-dependence), because it destroys it.
* A write to planned memory makes a full new tensor and an `inplace` pair. The
  planner decides whether they share bytes, and no reader has to hurry.
* An elementwise op may also overwrite an input of the same layout: another
  `inplace` pair.
"""

import operator

from .errors import Status, UsageError
from .graphs import Graph

# Ops with a first output that depends, at every index, on the inputs there
# alone (and on weights, and on sums taken before anything is written): the
# output may take the bytes of an input.
ELEMENTWISE = frozenset("""
    abs acos acosh add addcdiv addcmul asin asinh atan atan2 atanh batch_norm
    bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp clamp_max
    clamp_min clone cos cosh div dropout elu erf exp expm1 floor fmod gelu
    gelu_backward hardsigmoid hardsigmoid_backward hardswish hardswish_backward
    hardtanh hardtanh_backward leaky_relu leaky_relu_backward lerp log log10
    log1p log2 logical_and logical_not logical_or logical_xor masked_fill
    maximum minimum mish mul native_batch_norm native_dropout
    native_dropout_backward neg pow reciprocal relu relu6 remainder round rsqrt
    rsub selu sigmoid sigmoid_backward sign silu silu_backward sin sinh
    softplus softplus_backward sqrt sub tan tanh tanh_backward threshold
    threshold_backward trunc where __and__ __or__ _native_batch_norm_legit
    _native_batch_norm_legit_no_training _to_copy
""".split())

# Calls of a graph within the graph, and which argument names it. What they set
# is no matter of memory, so its calls stand in their place.
WRAPPERS = {"wrap_with_set_grad_enabled": 1, "wrap_with_autocast": 4}


class Tensor:
    """A tensor of the graph; `number` is its id, given when it is written."""

    def __init__(self, name, size, kind="activation", external=False):
        self.name, self.size, self.kind = name, size, kind
        self.external = external
        self.number = None

    def keys(self):
        keys = {}
        if self.kind != "activation":
            keys["kind"] = self.kind
        if self.external:
            keys["external"] = True
        return keys


class Op:
    """An op of the graph; `number` is its index, given when it is written."""

    def __init__(self, name, type):
        self.name, self.type = name, type
        self.inputs, self.outputs = [], []
        self.after, self.inplace = [], []
        self.writes_outside = False  # to the caller's memory
        self.number = None

    def keys(self):
        keys = {}
        after = sorted(o.number for o in self.after if o.number is not None)
        if after:
            keys["after"] = after
        if self.inplace:
            keys["inplace"] = [[o.number, i.number] for o, i in self.inplace]
        return keys


class Storage:
    """Memory of the traced program, and which tensor holds its content now."""

    def __init__(self, tensor):
        self.first = self.now = tensor
        self.readers = []  # ops that read the present content
        self.writes = 0

    def write(self, op):
        """The content after op has written here."""
        self.writes += 1
        if self.first.external:
            name = f"{self.first.name}@{self.writes}"
            new = Tensor(name, 0)
            op.after += [o for o in self.readers if o not in op.after]
            op.writes_outside = True
        else:
            new = Tensor(op.name, self.first.size)
            op.inplace.append((new, self.now))
        self.now, self.readers = new, []
        return new


def is_tensor(value):
    return hasattr(value, "storage_offset")


def is_node(value):
    return hasattr(value, "all_input_nodes")


def storage_of(value):
    name = "untyped_storage" if hasattr(value, "untyped_storage") else "storage"
    return getattr(value, name)()


def name_of(node):
    return node.target._schema.name.split("::")[-1]


def layout_of(value):
    return (value.element_size(), value.shape, value.stride(),
            value.storage_offset())


class Walk:
    """Collects tensors and ops while it walks through a trace."""

    def __init__(self, trace):
        self.trace = trace
        self.tensors, self.ops = [], []
        self.storages = {}

    def key(self, node):
        """Of its memory; of what is no tensor, None."""
        value = self.value(node)
        return storage_of(value)._cdata if is_tensor(value) else None

    def storage(self, node):
        return self.storages[self.key(node)]

    def value(self, node):
        if node.op == "get_attr":
            return operator.attrgetter(node.target)(self.trace)
        return node.meta.get("val")

    def hold(self, value, name, kind="activation", external=False):
        """Gives memory not seen before its tensor."""
        memory = storage_of(value)
        tensor = Tensor(name, int(memory.nbytes()), kind, external)
        self.storages[memory._cdata] = Storage(tensor)
        self.tensors.append(tensor)
        return tensor

    def holds(self, value):
        return storage_of(value)._cdata in self.storages

    def visit(self, node):
        if node.op == "get_attr":  # a constant, or a weight that is shared
            value = self.value(node)
            if is_tensor(value) and not self.holds(value):
                self.hold(value, node.name, "weight", True)
        elif node.target is not operator.getitem:
            self.call(node)

    def inline(self, node, at):
        """The graph that argument `at` names; its operands stand behind that."""
        around, inner = self.trace, self.value(node.args[at])
        given = [is_node(n) and self.storages.get(self.key(n))
                 for n in node.args[at + 1:]]
        self.trace = inner
        for part in inner.graph.nodes:
            if part.op == "placeholder":
                storage = given.pop(0)
                if storage:
                    self.storages[self.key(part)] = storage
            elif part.op == "output":
                made = [is_node(n) and self.storages.get(self.key(n))
                        for n in part.args[0]]
            else:
                self.visit(part)
        self.trace = around
        for taken in node.users:
            storage = made[taken.args[1]]
            if storage:
                self.storages[self.key(taken)] = storage

    def call(self, node):
        results = results_of(node)
        if not hasattr(node.target, "_schema"):
            at = WRAPPERS.get(getattr(node.target, "__name__", ""))
            if at is not None:
                self.inline(node, at)
                return
            if results:
                raise UsageError(Status.EUSAGE, f"'{node.name}' is no ATen "
                                 "op: control flow is not traced")
            return  # a number
        for base in viewed(node):  # also where the trace has lost the storage
            for value, _ in results:
                self.storages.setdefault(
                    storage_of(value)._cdata, self.storage(base))
        fresh = [(v, n) for v, n in results if not self.holds(v)]
        written = self.written_by(node)
        if results and not fresh and not written:
            return  # a view
        op = Op(node.name, name_of(node))
        for storage in self.read_by(node):
            op.inputs.append(storage.now)
            storage.readers.append(op)
        op.outputs += [self.hold(v, n) for v, n in fresh if not self.holds(v)]
        if fresh and op.type in ELEMENTWISE:
            self.offer_inputs(node, op, fresh[0][0])
        for storage in written:
            storage.readers.remove(op)
            op.outputs.append(storage.write(op))
            self.tensors.append(op.outputs[-1])
        self.ops.append(op)

    def read_by(self, node):
        return unique(self.storage(n) for n in tensors_read(node))

    def written_by(self, node):
        nodes = marked(node, True) + hidden_writes(node)
        return unique(self.storage(n) for n in nodes)

    def offer_inputs(self, node, op, result):
        """Names the inputs that the elementwise result may overwrite: those of
        its size that are read in its own layout only."""
        for storage in self.read_by(node):
            values = [self.value(n) for n in tensors_read(node)
                      if self.storage(n) is storage]
            if storage.first.external or storage.now.size != op.outputs[0].size:
                continue
            if all(layout_of(v) == layout_of(result) for v in values):
                op.inplace.append((op.outputs[0], storage.now))

    def deliver(self, nodes, external):
        """Marks what the program returns. An input that is returned as it came
        has to live throughout: state."""
        for storage in unique(self.storage(n) for n in nodes):
            tensor = storage.now
            if storage.first.external:
                continue
            tensor.kind = "state" if tensor.kind == "input" else "output"
            tensor.external = external
        for op in self.ops:
            op.inplace = [(new, old) for new, old in op.inplace
                          if not (new.external or old.external)]

    def drop_dead(self):
        """Leaves out ops that cannot be observed, and weights never read."""
        used = set()
        live = []
        for op in reversed(self.ops):
            if op.writes_outside or any(
                    t.kind == "output" or t in used for t in op.outputs):
                used.update(op.inputs)
                live.append(op)
        self.ops = live[::-1]
        made = {t for op in self.ops for t in op.outputs}
        self.tensors = [t for t in self.tensors if t in used or t in made
                        or t.kind in ("input", "state")]

    def make_names_unique(self):
        """A weight may have the name that an op has in the trace."""
        names = set()
        for tensor in self.tensors:
            while tensor.name in names:
                tensor.name += "_"
            names.add(tensor.name)

    def graph(self, name, **keys):
        """What was collected, as a graph."""
        self.make_names_unique()
        for rows in self.tensors, self.ops:
            for i, row in enumerate(rows):
                row.number = i
        graph = Graph(name, **keys)
        for tensor in self.tensors:
            graph.tensor(tensor.name, tensor.size, id=tensor.number,
                         **tensor.keys())
        for op in self.ops:
            graph.op(op.name, [t.number for t in op.inputs],
                     [t.number for t in op.outputs], type=op.type, **op.keys())
        return graph


def results_of(node):
    """The tensors that a call returns, with names. What is not taken out of
    a tuple leaves no trace, and no memory."""
    value = node.meta.get("val")
    if is_tensor(value):
        return [(value, node.name)]
    taken = {n.args[1]: n.meta.get("val") for n in node.users
             if n.target is operator.getitem}
    return [(taken[i], f"{node.name}.{i}") for i in sorted(taken)
            if is_tensor(taken[i])]


def marked(node, write):
    """The arguments that the schema of the op marks as written, or else as what
    results may be views of."""
    nodes = []
    for i, formal in enumerate(node.target._schema.arguments):
        actual = (node.args[i] if i < len(node.args)
                  else node.kwargs.get(formal.name))
        if formal.alias_info is not None and \
                formal.alias_info.is_write == write:
            nodes += actual if isinstance(actual, list) else [actual]
    return [n for n in nodes if is_node(n)]


def viewed(node):
    """The argument that the results are views of; at most one."""
    returns = node.target._schema.returns
    if any(r.alias_info is not None and not r.alias_info.is_write
           for r in returns):
        return marked(node, False)[:1]
    return []


def hidden_writes(node):
    """What schemas keep silent about: in training, batch normalisation updates
    the running mean and variance."""
    if name_of(node) not in ("native_batch_norm", "batch_norm") or \
            not node.args[5]:
        return []
    return [n for n in node.args[3:5] if is_node(n)]


def tensors_read(node):
    return [n for n in node.all_input_nodes if n.op == "get_attr"
            or is_tensor(n.meta.get("val"))]


def unique(items):
    return list(dict.fromkeys(items))


def graph_of(trace, arguments, name, external_io, drop_dead, **keys):
    """Walks through a trace; its placeholders are (name, kind) arguments."""
    walk = Walk(trace)
    for node in trace.graph.nodes:
        if node.op == "placeholder":
            title, kind = next(arguments)
            if is_tensor(node.meta.get("val")):
                walk.hold(node.meta["val"], title, kind,
                          kind == "weight" or external_io)
        elif node.op == "output":
            walk.deliver(tensors_read(node), external_io)
        else:
            walk.visit(node)
    if drop_dead:
        walk.drop_dead()
    return walk.graph(name, **keys)


def graph_of_program(program, name, external_io, drop_dead, **keys):
    """The graph of what torch.export.export() returns. Parameters, buffers and
    constants are weights. A buffer that the program changes is an output, as the
    caller copies it back."""
    arguments = ((spec.target or spec.arg.name, "input")
                 if spec.kind.name == "USER_INPUT"
                 else (spec.target or spec.arg.name, "weight")
                 for spec in program.graph_signature.input_specs)
    return graph_of(program.graph_module, arguments, name, external_io,
                    drop_dead, **keys)
