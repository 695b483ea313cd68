# SPDX-License-Identifier: MIT
"""Modules of our own for export_torch.py, and the list of graphs that it writes
to testdata/graphs. A function takes the batch size and returns a module, or a
module and its inputs.
"""

import torch
from torch import nn
from torch.nn import functional as F

# The name of a graph, and how it is exported; "own:" is this file.
GRAPHS = (
    ("tiny", "--model own:tiny --input-size 3,32,32"),
    ("cnn_b32_sgd", "--model own:cnn --batch 32 --input-size 3,32,32"
     " --train sgd"),
    ("squeezenet1_1_b1", "--model torchvision:squeezenet1_1"),
    ("googlenet_b1", "--model torchvision:googlenet"),
    ("mobilenet_v2_b1", "--model torchvision:mobilenet_v2"),
    ("densenet121_b1", "--model torchvision:densenet121"),
    ("resnet18_b8_sgdm", "--model torchvision:resnet18 --batch 8"
     " --train sgdm"),
    ("transformer_b4_adam", "--model own:transformer --batch 4 --train adam"),
    ("lstm_b16_sgd", "--model own:lstm --batch 16 --train sgd"),
    ("unet_b4_adam", "--model own:unet --batch 4 --input-size 3,128,128"
     " --train adam"),
    ("experts_b1024_sgdm", "--model own:experts --batch 1024 --train sgdm"),
)


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return torch.relu(x + self.second(torch.relu(self.first(x))))


def tiny(batch):
    """About ten ops: one residual block between a stem and a classifier."""
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(),
                         Residual(16), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(16 * 16 * 16, 10))


def cnn(batch):
    """A plain convolutional classifier of small images."""
    layers = []
    for n, m in (3, 32), (32, 64), (64, 128):
        layers += [nn.Conv2d(n, m, 3, padding=1), nn.BatchNorm2d(m),
                   nn.ReLU(inplace=True), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.5),
                         nn.Linear(128 * 4 * 4, 10))


class Attention(nn.Module):
    """Attention, then a perceptron, each beside a residual path."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Linear(4 * width, width))

    def attend(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(
            batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        weight = torch.softmax(
            q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5, -1)
        return self.out((weight @ v).transpose(1, 2).reshape(x.shape))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Language(nn.Module):
    """Tokens in, the scalar loss of predicting the next ones out."""

    def __init__(self, vocabulary, width, body):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.body = body
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens, target):
        x = self.body(self.embedding(tokens))
        x = x[0] if isinstance(x, tuple) else x
        return F.cross_entropy(self.head(x).flatten(0, 1), target.flatten())


def language(vocabulary, width, batch, length, body):
    tokens = torch.zeros(batch, length, dtype=torch.long)
    return Language(vocabulary, width, body), (tokens, tokens.clone())


def transformer(batch):
    body = nn.Sequential(*(Attention(256, 8) for _ in range(4)))
    return language(4096, 256, batch, 128, body)


def lstm(batch):
    return language(2048, 256, batch, 16,
                    nn.LSTM(256, 256, num_layers=2, batch_first=True))


def twice(n, m):
    return nn.Sequential(
        nn.Conv2d(n, m, 3, padding=1), nn.BatchNorm2d(m), nn.ReLU(True),
        nn.Conv2d(m, m, 3, padding=1), nn.BatchNorm2d(m), nn.ReLU(True))


class UNet(nn.Module):
    """What goes down is kept until it comes up again: long lifetimes."""

    def __init__(self, widths):
        super().__init__()
        pairs = list(zip(widths, widths[1:]))
        self.down = nn.ModuleList(
            twice(n, m) for n, m in zip((3,) + widths, widths[:-1]))
        self.floor = twice(*pairs[-1])
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(m, n, 2, stride=2) for n, m in reversed(pairs))
        self.join = nn.ModuleList(twice(2 * n, n) for n, _ in reversed(pairs))
        self.head = nn.Conv2d(widths[0], 8, 1)

    def forward(self, x):
        kept = []
        for down in self.down:
            kept.append(down(x))
            x = F.max_pool2d(kept[-1], 2)
        x = self.floor(x)
        for up, join in zip(self.up, self.join):
            x = join(torch.cat([kept.pop(), up(x)], 1))
        return self.head(x)


def unet(batch):
    return UNet((32, 64, 128, 256))


class Experts(nn.Module):
    """A mixture of experts in which every expert chooses the tokens it takes,
    so that all shapes are static."""

    def __init__(self, width, experts):
        super().__init__()
        self.gate = nn.Linear(width, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(),
                          nn.Linear(4 * width, width))
            for _ in range(experts))

    def forward(self, x):
        score = torch.softmax(self.gate(x), -1)
        share = 2 * x.shape[0] // len(self.experts)
        result = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            weight, chosen = torch.topk(score[:, i], share)
            part = expert(x.index_select(0, chosen)) * weight.unsqueeze(1)
            result.index_add_(0, chosen, part)
        return x + result


def experts(batch):
    return (nn.Sequential(Experts(256, 8), Experts(256, 8), nn.Linear(256, 16)),
            (torch.zeros(batch, 256),))
