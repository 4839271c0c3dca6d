"""The benchmarks' tables: ratios, verdicts, and their part of the README."""

import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def report(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("report", "harness", "kept", "workload", "charts", "suite"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import report

    return report


def result(report, name, ours, theirs, at_most):
    from workload import Target, Workload

    workload = Workload(name, f"the {name}", Target("tensorflow", at_most), {})
    return report.Result(workload, {"eagerflow": ours, "tensorflow": theirs}, {})


def test_quantities_have_three_digits_and_a_unit(report):
    assert report.quantity(92.4e-9, "time") == "92.4 ns"
    assert report.quantity(1.5, "time") == "1.50 s"
    assert report.quantity(3 * 2**29, "memory") == "1.50 GiB"
    assert report.quantity(None, "time") == "–"


def test_targets_are_judged_by_the_median_of_the_rounds_ratios(report):
    results = [
        result(report, "add", [1.0, 2.0, 9.0], [2.0, 4.0, 2.0], 0.5),
        result(report, "matmul", [3.0, 3.0, 3.0], [2.0, 2.0, 2.0], 1.05),
    ]
    first, second = report.targets_table(results)[2:]
    assert first == "| the add | TensorFlow | 0.50 | 0.5 | met |"
    assert second == "| the matmul | TensorFlow | 1.50 | 1.05 | **missed** |"


def test_a_size_is_judged_by_itself(report):
    from workload import Target, Workload

    target = Target(report.ITSELF, 15e6)
    workload = Workload("wheel", "size of the wheel", target, {}, measure="size")
    results = [report.Result(workload, {"eagerflow": [30 * 2.0**20]}, {})]
    assert report.targets_table(results)[2:] == [
        "| size of the wheel | – | 30.0 MiB | 14.3 MiB | **missed** |"
    ]
    (line,) = report.misses(results)
    assert line.startswith("- **size of the wheel**: 30.0 MiB, target 14.3 MiB. ")


@pytest.mark.parametrize(
    ("theirs", "measure", "standing"),
    [
        ({"jax": "1.01 ms", "torch": "2.00 ms"}, "time", "ties with JAX"),
        ({"jax": "990 µs"}, "time", "ties with JAX"),
        ({"torch": "971 µs", "jax": "2.00 ms"}, "time", "PyTorch 1.03× faster"),
        ({"numpy": "90 µs"}, "process", "NumPy 11× faster"),
        ({"tensorflow": "2.34 ms", "eager": "0.10 ms"}, "time", "2.3× faster than TensorFlow"),
        ({"torch": "500 ms"}, "memory", "500× smaller than PyTorch"),
        ({"fit": "0.10 ms"}, "time", ""),
    ],
)
def test_words_say_who_is_ahead(report, theirs, measure, standing):
    import charts

    assert charts.Row("a step", {"eagerflow": "1.00 ms", **theirs}, measure).standing() == standing


def test_the_page_and_what_documents_say_of_it_agree(report):
    page = (FOLDER.parent / "docs" / "benchmarks.md").read_text()
    assert report.refreshed(page) == page
    for name, link in ("README.md", "docs/benchmarks.md"), ("docs/index.md", "benchmarks.md"):
        document = (FOLDER.parent / name).read_text()
        assert report.fill(document, report.summary(page, link)) == document


def limited(report):
    from workload import FASTEST_PEER, Target, Work, Workload

    workload = Workload(
        "vae",
        suite_title(),
        Target(FASTEST_PEER, 0.9),
        {},
        work=Work(flops=3e9, bytes=1e9),
        also=(Target("eager", 1.02),),
    )
    samples = {"eagerflow": [2e-3], "eager": [1e-3], "torch": [4e-3], "jax": [5e-3]}
    least = workload.work.seconds(product_rate=3e12, copy_rate=2e12)
    return report.Result(workload, samples, least=least)


def suite_title():
    import suite

    return suite.WORKLOADS["unseen_vae"].title


def test_our_own_other_ways_are_no_peers(report):
    first, second = report.targets_table([limited(report)])[2:]
    assert first == f"| {suite_title()} | fastest: PyTorch | 0.50 | 0.9 | met |"
    assert second == f"| {suite_title()} | our eager | 2.00 | 1.02 | **missed** |"


def test_the_limit_has_a_column_where_a_row_has_one(report):
    import charts

    plain = result(report, "add", [1.0], [2.0], 0.5)
    plain.samples["torch"] = [1.0]
    table = report.results_table([limited(report), plain])
    assert table[0].endswith(" | our eager | of the limit |")
    assert table[2].endswith(" | 1.00 ms | 50% |")
    assert table[3].endswith(" | – |  |")
    assert report.results_table([plain])[0].endswith(" | PyTorch |")
    (row,) = charts.measurements("\n".join(table)).values()
    assert row.values.keys() == {"eagerflow", "torch", "jax", "eager"}


def test_what_a_machine_can_do_is_measured(report):
    import machine_rates

    assert machine_rates.product_rate() > 0
    assert machine_rates.copy_rate(2) > 0


def test_kept_measurements_are_those_of_the_last_run(report, tmp_path):
    from kept import Kept

    file = tmp_path / "kept.jsonl"
    first, second = (result(report, name, [1.0], [2.0], 0.5) for name in ("add", "matmul"))
    workloads = {each.workload.name: each.workload for each in (first, second)}
    first.least = 0.25
    kept = Kept(file, workloads)
    kept.add(second, {"eagerflow": "1"})
    kept.add(first, {"eagerflow": "1"})
    kept.add(result(report, "add", [0.5], [2.0], 0.5), {"eagerflow": "1", "tensorflow": "2"})
    again = Kept(file, workloads)
    assert again.in_order() == kept.in_order()
    assert [each.median("eagerflow") for each in again.in_order()] == [0.5, 1.0]
    assert again.versions == {"eagerflow": "1", "tensorflow": "2"}
    assert Kept(file, {"add": first.workload}).results.keys() == {"add"}


def test_the_readme_is_filled_between_its_marks(report):
    readme = "before\n<!-- benchmarks -->\nold\n<!-- end -->\nafter\n"
    filled = report.fill(readme, ["new", "lines"])
    assert filled == "before\n<!-- benchmarks -->\nnew\nlines\n<!-- end -->\nafter\n"
    with pytest.raises(ValueError, match="lacks"):
        report.fill("no marks", [])
    real = (FOLDER.parent / "README.md").read_text()
    assert "\nnew\n" in report.fill(real, ["new"])


def test_headlines_are_workloads(report):
    import charts

    sources = "".join(path.read_text() for path in FOLDER.glob("*.py") if path.stem != "report")
    assert all(f'"{name}"' in sources for name in charts.HEADLINES)


def test_every_workload_has_a_chart(report):
    import charts
    import suite

    families = [family for _, families in charts.GROUPS.values() for family in families]
    assert sorted(families) == sorted(suite.FAMILIES)
    assert all(charts.group_of(name) in charts.GROUPS for name in suite.WORKLOADS)


@pytest.mark.skipif(sys.platform != "linux", reason="children are listed by Linux")
def test_busy_processes_end_with_their_context(report):
    import crowd

    def children():
        folder = Path("/proc/self/task")
        return "".join(
            (task / "children").read_text() for task in folder.iterdir() if task.is_dir()
        ).split()

    before = children()
    with crowd.busy_processes():
        assert len(children()) == len(before) + os.cpu_count()
    assert children() == before


def test_time_is_limited_only_where_the_system_can(report, monkeypatch):
    import crowd

    monkeypatch.setattr(crowd, "GROUPS", ())
    with pytest.raises(crowd.NotAllowedError, match="no groups"), crowd.half_the_time([1]):
        pass
