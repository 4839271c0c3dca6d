"""The recurrent network and the transformer block of `keras_fit.py` as PyTorch programs write them."""

import numpy as np

from workload import Case


class Matrices:
    """Weights in the order in which a Keras model lists them; they depend on their shapes only."""

    def __init__(self):
        self.generator = np.random.default_rng(2)

    def __call__(self, *shape):
        scale = np.sqrt(1 / np.prod(shape[:-1]))
        return self.generator.normal(scale=scale, size=shape).astype(np.float32)


def training_epochs(torch, modules, forward, x, y, batch):
    """A Case of epochs over the data with Adam; the mean loss of the first is compared."""
    F = torch.nn.functional
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    parameters = [p for module in modules for p in module.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=1e-4, eps=1e-7, fused=True)

    def epoch():
        total = 0.0
        starts = range(0, len(x), batch)
        for start in starts:
            optimizer.zero_grad()
            loss = F.cross_entropy(forward(x[start : start + batch]), y[start : start + batch])
            loss.backward()
            optimizer.step()
            total += loss.item()
        return total / len(starts)

    def run(count):
        for _ in range(count):
            epoch()

    return Case(run, lambda: [epoch()])


def dense(torch, weights):
    """A linear layer with a kernel `[inputs, outputs]` and no bias yet."""
    layer = torch.nn.Linear(*weights.shape)
    fill(torch, {layer.weight: weights.T, layer.bias: 0.0})
    return layer


def fill(torch, values):
    """Gives parameters their values."""
    with torch.no_grad():
        for parameter, value in values.items():
            parameter.copy_(torch.as_tensor(np.array(value, np.float32)))


def recurrent(torch):
    """LSTM(128) over 100 steps of 32 features, and a dense layer on the last output."""
    generator = np.random.default_rng(0)
    x = generator.normal(size=(256, 100, 32)).astype(np.float32)
    y = generator.integers(0, 10, len(x))
    matrices = Matrices()
    lstm = torch.nn.LSTM(32, 128, batch_first=True)
    # Both order the gates alike; Keras lets the forget gate begin with a bias of one.
    forget = np.repeat(np.float32([0, 1, 0, 0]), 128)
    fill(
        torch,
        {
            lstm.weight_ih_l0: matrices(32, 512).T,
            lstm.weight_hh_l0: matrices(128, 512).T,
            lstm.bias_ih_l0: forget,
            lstm.bias_hh_l0: 0.0,
        },
    )
    head = dense(torch, matrices(128, 10))

    def forward(batch):
        return head(lstm(batch)[0][:, -1])

    return training_epochs(torch, [lstm, head], forward, x, y, 64)


def transformer(torch):
    """A transformer block, 256 wide, with 4 heads and 128 tokens."""
    F = torch.nn.functional
    generator = np.random.default_rng(0)
    x = generator.normal(size=(64, 128, 256)).astype(np.float32)
    y = generator.integers(0, 10, len(x))
    matrices = Matrices()
    kernels, biases = [], []
    for _ in range(3):
        kernels.append(matrices(256, 4, 64).reshape(256, 256))
        biases.append(matrices(4, 64).reshape(256))
    projections = dense(torch, np.concatenate(kernels, axis=1))
    fill(torch, {projections.bias: np.concatenate(biases)})
    joined = dense(torch, matrices(4, 64, 256).reshape(256, 256))
    first, second = (torch.nn.LayerNorm(256, eps=1e-3) for _ in range(2))
    wide, narrow = dense(torch, matrices(256, 1024)), dense(torch, matrices(1024, 256))
    head = dense(torch, matrices(256, 10))

    def forward(batch):
        size = len(batch)
        parts = projections(batch).view(size, 128, 3, 4, 64).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(*parts)
        h = first(batch + joined(attended.transpose(1, 2).reshape(size, 128, 256)))
        h = second(h + narrow(F.relu(wide(h))))
        return head(h.mean(dim=1))

    modules = [projections, joined, first, second, wide, narrow, head]
    return training_epochs(torch, modules, forward, x, y, 16)
