"""One fuzzing process: `python fuzz/worker.py TARGET FINDINGS [libFuzzer's arguments]`.

Targets: `calls` (calls.py), `raw` (raw_calls.py), `files` (every reader of tests/file_readers.py), or
one reader's name. Exceptions that are findings are written into the folder FINDINGS and the process
goes on; crashes, hangs and memory end it, with libFuzzer's report. With `--show FILE`, the input is
explained, then run.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "fuzz")]


def guided_by_engine() -> bool:
    """Hands the native module's counters to libFuzzer; False if the module was built without."""
    import limits

    engine = limits.ENGINE
    if not limits.GUIDED:
        return False
    fuzzer = ctypes.CDLL(importlib.import_module("atheris.core_with_libfuzzer").__file__)
    size = ctypes.c_size_t.in_dll(engine, "eagerflow_coverage_size").value
    counters = ctypes.addressof(
        (ctypes.c_uint8 * size).in_dll(engine, "eagerflow_coverage_counters")
    )
    fuzzer.__sanitizer_cov_8bit_counters_init(
        ctypes.c_void_p(counters), ctypes.c_void_p(counters + size)
    )
    # One row of address and flags for each counter, as libFuzzer wants it. It outlives this call.
    global _addresses
    _addresses = (ctypes.c_size_t * (2 * size))()
    begin = ctypes.addressof(_addresses)
    fuzzer.__sanitizer_cov_pcs_init(
        ctypes.c_void_p(begin), ctypes.c_void_p(begin + ctypes.sizeof(_addresses))
    )
    for name in ("cmp1 cmp2 cmp4 cmp8 const_cmp1 const_cmp2 const_cmp4 const_cmp8 switch").split():
        handler = getattr(fuzzer, f"__sanitizer_cov_trace_{name}")
        slot = ctypes.c_void_p.in_dll(engine, f"eagerflow_{name}")
        slot.value = ctypes.cast(handler, ctypes.c_void_p).value
    return True


def target(name: str) -> tuple[Callable[[bytes], object], Callable[[bytes], str]]:
    """What runs an input, and what explains it."""
    if name == "calls":
        import calls

        return calls.run, calls.text
    if name == "raw":
        import raw_calls

        return raw_calls.run, raw_calls.text
    import file_readers
    import limits
    from byte_choices import ByName, Choices

    names = file_readers.NAMES if name == "files" else [name]
    readers = ByName({reader: file_readers.reader(reader) for reader in names})

    def parts(data: bytes) -> tuple[str, file_readers.Reader, bytes]:
        return *readers.pick(Choices(data[:2])), data[2:]

    def run(data: bytes) -> object:
        place, reader, content = parts(data)
        whole = len(reader.whole) + len(content)
        return limits.within(place, lambda: file_readers.answered(reader, content), whole)

    def text(data: bytes) -> str:
        reader, _, content = parts(data)
        return f"{reader} reads {content!r}"

    run.seeds = [  # type: ignore[attr-defined]
        readers.code(reader) + readers[reader].whole for reader in names
    ]
    return run, text


def noted(run: Callable, text: Callable, folder: Path) -> Callable[[bytes], None]:
    """`run`, whose exceptions become files, one for each place that raises one."""
    known: set[str] = set()

    def one_input(data: bytes) -> None:
        try:
            run(data)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [frame for frame in frames if "eagerflow" in frame.filename] or frames
            place = getattr(error, "place", f"{own[-1].filename} {own[-1].lineno}")
            place = f"{type(error).__name__} {place}"
            key = hashlib.sha1(place.encode()).hexdigest()[:12]
            if key in known or (folder / f"exception-{key}.txt").exists():
                return
            known.add(key)
            (folder / f"exception-{key}").write_bytes(data)
            (folder / f"exception-{key}.txt").write_text(
                f"{text(data)}\n\n{''.join(traceback.format_exception(error))}"
            )

    return one_input


def main() -> None:
    warnings.simplefilter("ignore")
    name, folder, *options = sys.argv[1:]
    if folder == "--show":
        run, text = target(name)
        data = Path(options[0]).read_bytes()
        print(text(data), flush=True)
        run(data)
        return
    with atheris.instrument_imports(include=["eagerflow"]):
        run, text = target(name)
    print("guided by the engine:", guided_by_engine(), file=sys.stderr)
    if seeds := next((option[8:] for option in options if option.startswith("--seeds=")), None):
        for index, seed in enumerate(getattr(run, "seeds", [])):
            Path(seeds, f"whole-{index}").write_bytes(seed)
    options = [option for option in options if not option.startswith("--")]
    atheris.Setup([sys.argv[0], *options], noted(run, text, Path(folder)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
