"""The time that `import` takes in a new process, its files already in the page cache."""

from workload import Target, Workload

WORKLOADS = [
    Workload(
        name="import",
        title="`import`, warm",
        target=Target("numpy", 2.0),
        contenders=dict.fromkeys(("eagerflow", "tensorflow", "torch", "jax", "numpy")),
        measure="import",
    ),
]
