"""A mixture of Gaussians: its log-likelihood, and the gradients by all parameters, in doubles."""

import numpy as np

from workload import Case, Target, Workload


def parameters(points, dimensions, components):
    """Logarithms of weights, means, triangles of inverse covariances, and points."""
    generator = np.random.default_rng(0)
    return (
        generator.normal(size=components),
        generator.uniform(size=(components, dimensions)),
        np.tril(generator.normal(size=(components, dimensions, dimensions))) * 0.3,
        generator.normal(size=(points, dimensions)),
    )


def case(step):
    def run(count):
        for _ in range(count):
            step()

    return Case(run, lambda: np.ravel(np.asarray(step()[2]))[:50])


def eager(sizes, compiled, by_slices):
    def make(tf):
        weights, means, triangles, points = map(tf.constant, parameters(*sizes))

        def step():
            with tf.GradientTape() as tape:
                tape.watch([weights, means, triangles])
                if by_slices:
                    centered = tf.stack([points[k] - means for k in range(sizes[0])])
                else:
                    centered = points[:, None] - means
                turned = tf.linalg.matvec(triangles, centered)
                inner = weights - 0.5 * tf.reduce_sum(turned**2, -1)
                total = tf.reduce_sum(tf.reduce_logsumexp(inner, 1))
            gradients = tape.gradient(total, [weights, means, triangles])
            return [np.asarray(gradient) for gradient in gradients] if not compiled else gradients

        return case(tf.function(step) if compiled else step)

    return make


def with_torch(sizes, by_slices):
    def make(torch):
        weights, means, triangles, points = map(torch.from_numpy, parameters(*sizes))
        sources = [x.requires_grad_() for x in (weights, means, triangles)]

        def step():
            if by_slices:
                centered = torch.stack([points[k] - means for k in range(sizes[0])])
            else:
                centered = points[:, None] - means
            turned = torch.einsum("kij,nkj->nki", triangles, centered)
            inner = weights - 0.5 * (turned**2).sum(-1)
            return torch.autograd.grad(torch.logsumexp(inner, 1).sum(), sources)

        return case(step)

    return make


WORKLOADS = [
    Workload(
        name=f"mixture{suffix}-{dimensions}",
        title=f"mixture of {components} Gaussians in {dimensions} dimensions, 1,000 points{how}",
        target=Target("torch", 1.0),
        contenders={
            "eagerflow": eager((1000, dimensions, components), False, by_slices),
            "tensorflow": eager((1000, dimensions, components), False, by_slices),
            "tf.function": eager((1000, dimensions, components), True, by_slices),
            "torch": with_torch((1000, dimensions, components), by_slices),
        },
    )
    for suffix, how, by_slices, dimensions, components in (
        ("", "", False, 10, 25),
        ("", "", False, 32, 5),
        ("-slices", " as slices", True, 20, 10),
    )
]
