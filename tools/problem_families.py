# SPDX-License-Identifier: MIT
"""Families of planning problems, made from a seed.

A family is a function of how many buffers there are to be and of a random number
generator. It yields a row a buffer: first step, step behind the last, bytes, and
what else the family's columns name.
"""

import collections
import itertools
import sys

Family = collections.namedtuple("Family", "make says columns least")

FAMILIES = {}
HEIGHT = 1 << 24  # of the boxes that are cut into buffers
# Bytes of activations and weights of common networks.
SHAPES = (40, 256, 1024, 4000, 4096, 16384, 65536, 98304, 112896, 131072,
          147456, 200704, 262144, 301056, 401408, 451584, 602112, 786432,
          802816, 1048576, 1204224, 1605632, 2359296, 2408448, 3145728,
          3211264, 4194304, 4816896, 8388608, 9437184, 12582912, 25165824)


def family(name, says, columns=(), least=None):
    """Enters a function in the table. The least arena is one that is known."""
    def enter(make):
        FAMILIES[name] = Family(make, says, columns, least)
        return make
    return enter


# ------------------------------------------------------ lifetimes at random

@family("trace", "a program that allocates and frees; --alive at a time; "
        "lifetimes with a heavy tail; sizes that are powers of two, small "
        "multiples of 16, anything, or a few large ones")
def trace(n, rnd, alive=30):
    for i in range(n):
        kind = rnd.random()
        scale = 0.5 if kind < 0.9 else 4 if kind < 0.995 else 35
        life = max(2, int(rnd.expovariate(1 / (4 * alive * scale))))
        kind = rnd.random()
        if kind < 0.55:
            size = 16 * (1 + int(64 * rnd.random()))
        elif kind < 0.85:
            size = 1 << (4 + int(13 * rnd.random()))
        elif kind < 0.97:
            size = 1 + int(200000 * rnd.random())
        else:
            size = 65536 * (1 + int(64 * rnd.random()))
        yield 4 * i, 4 * i + life, size


@family("random", "any lifetimes within --steps, any sizes up to --size; with "
        "--align, some buffers want a power of two up to that; with --gaps, so "
        "many of a hundred lifetimes have one", ("alignment", "gaps"))
def anything(n, rnd, steps=100, size=1000, align=1, gaps=0):
    for _ in range(n):
        start = rnd.randrange(steps)
        end = rnd.randrange(start, steps) + 1
        row = (start, end, 1 + rnd.randrange(size))
        if align > 1:
            bits = align.bit_length()
            row += (1 << rnd.choice((0, rnd.randrange(bits))),)
        if gaps > 0:
            row += (gap_within(start, end, rnd)
                    if rnd.randrange(100) < gaps else "",)
        yield row


def gap_within(start, end, rnd):
    """Some steps in the middle, if there are any."""
    if end - start < 3:
        return ""
    first = rnd.randrange(start + 1, end - 1)
    return f"{first}-{rnd.randrange(first + 1, end)}"


def births(n, rnd, size, mean=120):
    """One birth every other step, lifetimes that are exponential."""
    for i in range(n):
        yield 2 * i, 2 * i + 1 + int(rnd.expovariate(1 / mean)), size()


@family("powerlaw", "sizes by a power law: a few hold most bytes")
def powerlaw(n, rnd):
    return births(n, rnd, lambda: int(min(64 * rnd.paretovariate(0.7), 1 << 28)))


@family("equal", "all of one size")
def equal(n, rnd):
    return births(n, rnd, lambda: 65536)


@family("two-sizes", "two sizes that do not divide each other")
def two_sizes(n, rnd):
    return births(n, rnd, lambda: 4096 * rnd.choice((3, 3, 7)))


@family("powers", "sizes that are powers of two")
def powers(n, rnd):
    return births(n, rnd, lambda: 1 << rnd.randrange(8, 22))


@family("shapes", "the shapes of common networks; one in twenty lives long")
def shapes(n, rnd):
    for start, end, size in births(n, rnd, lambda: rnd.choice(SHAPES)):
        yield start, end + (0 if rnd.randrange(20) else rnd.randrange(4800)), size


@family("uniform", "every size up to a million, lifetimes alike, births anywhere")
def uniform(n, rnd):
    for _ in range(n):
        start = rnd.randrange(2 * n)
        yield start, start + rnd.randrange(1, 241), rnd.randrange(1, 1000001)


@family("aligned", "shapes of which one in five wants 4,096 bytes of alignment",
        ("alignment",))
def aligned(n, rnd):
    for row in shapes(n, rnd):
        yield *row, 1 if rnd.randrange(5) else 4096


@family("gaps", "shapes; long lifetimes have a gap in their middle", ("gaps",))
def gaps(n, rnd):
    for start, _, size in births(n, rnd, lambda: rnd.choice(SHAPES)):
        life = 1 + int(rnd.expovariate(1 / (60 if rnd.randrange(6) else 1200)))
        end, gap = start + life + 1, ""
        if life > 60:
            first = start + 2 + rnd.randrange(life // 4)
            gap = f"{first}-{end - 2 - rnd.randrange(life // 4)}"
        yield start, end, size, gap


# ------------------------------------------------------ shapes of memory in time

@family("spiky", "many more alive in the middle than at the ends")
def spiky(n, rnd):
    for _ in range(n):
        u = rnd.random()
        middle = int(n / 2 + (u - 0.5) * n * u * (1 - u) * 4)
        start = max(0, middle - 1 - int(rnd.expovariate(1 / 60)))
        yield start, middle + 1 + int(rnd.expovariate(1 / 60)), rnd.choice(SHAPES)


@family("waves", "seven hills of load, one after the other")
def waves(n, rnd):
    for i in range(n):
        hill = abs((7 * i / n) % 1 - 0.5)
        life = 1 + int(rnd.expovariate(1 / (20 + 400 * (0.5 - hill))))
        yield 2 * i, 2 * i + life, 256 * rnd.randrange(1, 4096)


@family("queue", "first born, first dead: a window slides")
def queue(n, rnd):
    end = 0
    for i in range(n):
        end = max(end, 3 * i + 40) + rnd.randrange(6)
        yield 3 * i, end, 512 * rnd.randrange(1, 2048)
        end = min(end, 3 * i + 240)


@family("stairs", "--alive at a time; each goes soon after another of nearly its "
        "size has come")
def stairs(n, rnd, alive=16):
    for i in range(n):
        size = 1000 * (1 + 7 * i % alive) + rnd.randrange(100)
        yield i, i + alive + rnd.randrange(3), size


@family("nested", "last born, first dead: calls within calls")
def nested(n, rnd):
    depth, now, calls = [], 0, 0
    while calls < n or depth:
        now += 1
        if calls < n and (not depth or (len(depth) < 60 and rnd.random() < 0.5)):
            depth.append((now, 64 * rnd.randrange(1, 8192)))
            calls += 1
        else:
            start, size = depth.pop()
            yield start, now + rnd.randrange(3), size


# ------------------------------------------------------------------ networks

@family("training", "a large model: --layers for each of several micro-batches; "
        "activations wait for the backward pass, gradients add up, workspaces "
        "live for a step")
def training(n, rnd, layers=48):
    batches = max(1, n // (layers * 6))
    width = [1024 * (1 + int(4096 * rnd.random())) for _ in range(layers)]
    middle = batches * layers * 3
    for layer in range(layers):
        yield 0, 2 * middle, width[layer]  # the gradient that adds up
    for batch in range(batches):
        for layer in range(layers):
            step = (batch * layers + layer) * 3
            back = 2 * middle - step - 3
            yield step, back + 3, width[layer]
            yield step, back + 2, width[layer] // 4 + 1
            yield step + 1, step + 2, 1 + int(2 * width[layer] * rnd.random())
            yield back, back + 4, width[layer]
            yield back + 1, back + 2, 1 + int(width[layer] * rnd.random())


@family("step", "one training step of a deep model, with an optimiser that "
        "takes the layers one by one")
def training_step(n, rnd):
    layers = n // 24 + 1
    hidden, tokens = 1024 * rnd.randrange(1, 5), 512 * rnd.randrange(1, 9)
    for i in range(n):
        layer = i // 24
        forward, update = 30 * layer, 80 * layers + 20 * layer
        back = 30 * layers + 50 * (layers - 1 - layer)
        size = 2 * hidden * tokens >> rnd.randrange(4)
        weight = 2 * hidden * hidden * rnd.randrange(1, 5)
        kind, at, late = rnd.randrange(100), rnd.randrange(30), rnd.randrange(50)
        if kind < 35:
            yield forward + at, back + late, size
        elif kind < 55:
            yield forward + at, forward + at + rnd.randrange(1, 5), size
        elif kind < 80:
            yield back + late, back + late + rnd.randrange(1, 7), size
        elif kind < 94:
            yield back + late, update + rnd.randrange(20), weight
        else:
            start = update + rnd.randrange(20)
            yield start, start + rnd.randrange(1, 4), 2 * weight


@family("pipeline", "stages of one forward, one backward: what a stage keeps of "
        "each micro-batch")
def pipeline(n, rnd):
    now, made = 0, 0
    while made < n:
        stages, layers = rnd.randrange(4, 16), rnd.randrange(4, 12)
        batches = stages * rnd.randrange(2, 8)
        warm = rnd.randrange(1, stages + 1)
        size = [rnd.choice(SHAPES) for _ in range(layers)]
        forward, back = [], []
        while len(back) < batches:
            ahead = len(forward) - len(back) < warm and len(forward) < batches
            (forward if ahead else back).append(now)
            now += 3 * layers if ahead else 6 * layers
        for f, b in zip(forward, back):
            for k in range(layers):
                late = b + 6 * (layers - 1 - k)
                yield f + 3 * k, late + 6, size[k]
                yield f + 3 * k, f + 3 * k + rnd.randrange(2, 4), size[k - 1]
                yield late, late + rnd.randrange(4, 8), size[k - 2]
        made += 3 * batches * layers
        now += 10


@family("chain", "inference: each op's output lives to the next; some skip")
def chain(n, rnd):
    for i in range(n):
        reach = 2 if rnd.randrange(4) else rnd.randrange(3, 12)
        yield i, i + reach, rnd.choice(SHAPES)


@family("skips", "down and up again: what is wide is kept for the way up")
def skips(n, rnd):
    depth, now = 24, 0
    for _ in range(n // (3 * depth) + 1):
        turn = now + 4 * depth
        for k in range(depth):
            size = (1 << 22 >> k // 4) * rnd.randrange(1, 4)
            yield now + 2 * k, 2 * turn - now - 2 * k, size
            yield now + 2 * k + 1, now + 2 * k + 3, 2 * size
            back = 2 * turn - now - 2 * k
            yield back, back + rnd.randrange(2, 4), 2 * size
        now = 2 * turn - now + 4


@family("experts", "mixture of experts: loads of a batch are split by chance")
def experts(n, rnd):
    now = 0
    for _ in range(n // 34 + 1):
        tokens = [rnd.random() ** 2 for _ in range(16)]
        yield now, now + 40, 1 << 22
        for e, share in enumerate(tokens):
            size = 1 + int(share * (1 << 22) / sum(tokens))
            yield now + 1, now + 4 + 2 * e, size
            yield now + 4 + 2 * e, now + 38, 4 * size
        yield now + 37, now + 44, 1 << 22
        now += 40


@family("decoding", "serving: caches that grow by blocks until a request ends")
def decoding(n, rnd):
    made, now = 0, 0
    while made < n:
        life = 16 + int(rnd.expovariate(1 / 300))
        for start in range(now, now + life, 16):
            yield start, now + life, 65536 * (1 + (start == now) * 8)
            made += 1
        yield now, now + 2, 65536 * rnd.randrange(1, 64)
        made += 1
        now += rnd.randrange(1, 24)


@family("dense", "blocks in which every layer reads all layers before it")
def dense(n, rnd):
    now = 0
    while now < n:
        layers, growth = rnd.randrange(6, 48), 32768 * rnd.randrange(1, 5)
        for k in range(layers):
            yield now + k, now + layers + 1, growth
            yield now + k, now + k + 1, growth * (k + 2)
        now += layers


# --------------------------------------------------------- known least arenas

def cut(box, rnd):
    """Two boxes, cut across time or across height; None if it is too small."""
    start, end, low, high = box
    ways = [way for way, length in (("time", end - start), ("height", high - low))
            if length > 1]
    if not ways:
        return None
    if rnd.choice(ways) == "time":
        at = rnd.randrange(start + 1, end)
        return (start, at, low, high), (at, end, low, high)
    at = rnd.randrange(low + 1, high)
    return (start, end, low, at), (start, end, at, high)


def pinwheel(box, rnd):
    """Five boxes that no straight cut parts; None if it is too small."""
    start, end, low, high = box
    if end - start < 6 or high - low < 6:
        return None
    early, late = sorted(rnd.sample(range(start + 1, end), 2))
    below, above = sorted(rnd.sample(range(low + 1, high), 2))
    return ((start, late, low, below), (late, end, low, above),
            (early, end, above, high), (start, early, below, high),
            (early, late, below, above))


def large_box(boxes, rnd):
    """The largest of a few, so that sizes stay comparable."""
    return max((rnd.randrange(len(boxes)) for _ in range(4)), key=lambda b: (
        boxes[b][1] - boxes[b][0]) * (boxes[b][3] - boxes[b][2]))


def cut_up(n, rnd, steps, height, ways=(cut,)):
    """Boxes that fill a box, in any order."""
    boxes = [(0, steps, 0, height)]
    while len(boxes) < n:
        i = large_box(boxes, rnd)
        pieces = (rnd.choice(ways) if len(ways) > 1 else ways[0])(boxes[i], rnd)
        if pieces:
            boxes[i] = pieces[0]
            boxes.extend(pieces[1:])
    rnd.shuffle(boxes)
    return boxes


@family("perfect", "boxes that fill a box of --height and --steps: it is cut and "
        "cut again; for each cut --pinwheels leave five that no cut parts",
        least=1024)
def perfect(n, rnd, height=1024, steps=1000, pinwheels=0):
    if n > steps * height:
        sys.exit("gen-problem: a box of that size has no room for so many")
    ways = (cut,) + (pinwheel,) * pinwheels
    for start, end, low, high in cut_up(n, rnd, steps, height, ways):
        yield start, end, high - low


@family("cuts", "the same in a large box, where few cuts have an edge in common",
        least=HEIGHT)
def cuts(n, rnd):
    return perfect(n, rnd, HEIGHT, 8 * n + 64)


@family("pinwheels", "the same; half of the cuts leave five boxes that no "
        "straight cut parts", least=HEIGHT)
def pinwheels(n, rnd):
    for start, end, low, high in cut_up(n, rnd, 8 * n + 64, HEIGHT,
                                        (cut, pinwheel)):
        yield start, end, high - low


@family("recuts", "a sweep in time: at each step --places times some neighbours end, "
        "of --height bytes, and what they had is cut anew", least=HEIGHT)
def recuts(n, rnd, height=HEIGHT, places=1):
    alive = [(0, low) for low in [0] + sorted(
        rnd.sample(range(1, height), int(n ** 0.4)))]
    most, step, made = 2 * len(alive), 1, 0
    while made + len(alive) < n:
        for _ in range(places):
            first = rnd.randrange(len(alive))
            last = min(len(alive), first + rnd.randint(1, 3))
            gone = alive[first:last]
            if any(start == step for start, _ in gone):
                continue
            tops = [low for _, low in alive[first + 1:last + 1]]
            tops += [height] * (len(gone) - len(tops))
            for (start, low), top in zip(gone, tops):
                yield start, step, top - low
            low, top = gone[0][1], tops[-1]
            pieces = 1 if len(alive) > most else rnd.randint(1, 3)
            cuts = {rnd.randrange(low, top) for _ in range(pieces - 1)}
            alive[first:last] = [(step, at) for at in sorted(cuts | {low})]
            made += len(gone)
        step += 1
    for (start, low), top in zip(alive, [low for _, low in alive[1:]] + [height]):
        yield start, step, top - low


@family("loose", "as cuts; each box loses up to 3 % of its bytes; of a hundred "
        "--fixed are at their offsets instead", ("offset",))
def loose(n, rnd, fixed=0):
    for start, end, low, high in cut_up(n, rnd, 8 * n + 64, HEIGHT):
        if fixed > 0 and rnd.randrange(100) < fixed:
            yield start, end, high - low, low
            continue
        row = start, end, max(1, int((high - low) * (1 - 0.03 * rnd.random())))
        yield row if fixed == 0 else (*row, "")


@family("worn", "as cuts; of each box up to 2 % of the bytes are lost, and now and "
        "then a step at either end; of a hundred boxes one is")
def worn(n, rnd):
    for start, end, size in cuts(n, rnd):
        if rnd.randrange(100) == 0:
            continue
        if end - start > 4:
            start += rnd.randrange(5) == 0
            end -= rnd.randrange(5) == 0
        yield start, end, max(1, int(size * (1 - 0.02 * rnd.random())))


@family("pins", "as cuts, with a fifth at its offset", ("offset",), HEIGHT)
def pins(n, rnd):
    for start, end, low, high in cut_up(n, rnd, 8 * n + 64, HEIGHT):
        yield start, end, high - low, "" if rnd.randrange(5) else low


@family("linked", "as cuts; one box in ten is of two pieces with a gap, which "
        "others fill", ("gaps",), HEIGHT)
def linked(n, rnd):
    whole = cut_up(n * 2 // 3, rnd, 8 * n + 64, HEIGHT)
    for start, end, low, high in whole:
        if rnd.randrange(10) or end - start < 8 or high - low < 5:
            yield start, end, high - low, ""
            continue
        first = rnd.randrange(start + 1, end - 4)
        last = rnd.randrange(first + 3, end)
        yield start, end, high - low, f"{first}-{last}"
        for piece in cut_up(5, rnd, last - first, high - low):
            yield first + piece[0], first + piece[1], piece[3] - piece[2], ""


# ------------------------------------------------------------------ as a file

def lines(name, n, rnd, **options):
    """The lines of a CSV problem."""
    rows = FAMILIES[name].make(n, rnd, **options)
    columns = FAMILIES[name].columns
    wanted = {"random": (options.get("align", 1) > 1, options.get("gaps", 0) > 0),
              "loose": (options.get("fixed", 0) > 0,)}
    if name in wanted:
        columns = tuple(itertools.compress(columns, wanted[name]))
    yield ",".join(("id", "lower", "upper", "size", *columns)) + "\n"
    for i, row in enumerate(rows):
        yield ",".join(map(str, (i, *row))) + "\n"
