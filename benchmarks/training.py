"""What the training workloads share."""

from workload import Case

COMPARED_STEPS = 3


def training_case(step, finish=lambda: None):
    """A Case of a training step that returns its loss; the first losses are what is compared."""

    def run(count):
        for _ in range(count):
            step()
        finish()

    return Case(run, lambda: [float(step()) for _ in range(COMPARED_STEPS)])
