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


def with_tensorflow(make_step):
    """The contenders of one program: eagerflow, TensorFlow, and TensorFlow that compiles it.

    Args:
        make_step: from the module, `eagerflow` or `tensorflow`, to the training step.
    """

    def eager(tf):
        return training_case(make_step(tf))

    def compiled(tf):
        return training_case(tf.function(make_step(tf)))

    return {"eagerflow": eager, "tensorflow": eager, "tf.function": compiled}
