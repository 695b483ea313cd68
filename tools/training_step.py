# SPDX-License-Identifier: MIT
"""A graph of any size, for pictures and measurements."""

import random


def training_step(n):
    """A graph of about n tensors: what goes forward waits for the way back."""
    rng = random.Random(1)
    tensors, ops = [], []

    def add(name, inputs, size):
        tensors.append({"id": len(tensors), "name": name, "size": size})
        ops.append({"name": name.replace("activations", "op"),
                    "type": name.rpartition("/")[2], "inputs": inputs,
                    "outputs": [len(tensors) - 1]})
        return len(tensors) - 1

    kinds = ("norm", "matmul", "gelu", "add", "softmax")
    saved, last = [], None
    for i in range(n // 2):
        name = f"model/layer_{i // 5}/activations/{kinds[i % 5]}"
        last = add(name, [] if last is None else [last],
                   rng.randrange(1, 4096) * 512)
        if i % 5 != 3:
            saved.append(last)
    for i in range(n // 2):
        inputs = [last]
        if saved and i * len(kinds) % 5 == 0:
            inputs.append(saved.pop())
        last = add(f"model/layer_{(n - i) // 5}/gradients/{kinds[i % 5]}",
                   inputs, rng.randrange(1, 4096) * 512)
    return {"format": "memplan.graph", "version": 1, "name": "training_step",
            "tensors": tensors, "ops": ops}
