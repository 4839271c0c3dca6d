"""Flips bits in every format and reads: what was saved, a documented error, or something else.

`python stress/flips.py COUNT [READER ...]` turns COUNT bits one at a time in what each reader of
tests/file_readers.py reads: every bit once, then pairs of bits. In formats with checksums no flip may
change what is read without a word; in the others such changes are counted. Elsewhere there must be a
result or one of the errors that readers may raise, within ten seconds and without much memory.
"""

from __future__ import annotations

import multiprocessing
import random
import signal
import sys
import traceback
import warnings
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

SECONDS = 10


def flipped(whole: bytes, index: int, chance: random.Random) -> bytes:
    """The bytes with one flipped bit, in sequence; later with two."""
    data = bytearray(whole)
    bits = 8 * len(data)
    places = [index * 7919 % bits] if index < bits else chance.sample(range(bits), 2)
    for place in places:
        data[place // 8] ^= 1 << place % 8
    return bytes(data)


def flip(name: str, begin: int, count: int, results: Connection) -> None:
    """Sends the kind of each answer with its number, from `begin` on."""
    import eagerflow as tf
    import file_readers

    warnings.simplefilter("ignore")
    tf.get_logger().setLevel("CRITICAL")
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process, in whatever code it is
    reader = file_readers.reader(name)
    whole = reader.read(reader.whole)
    for index in range(begin, count):
        data = flipped(reader.whole, index, random.Random(index))
        signal.alarm(SECONDS)
        try:
            found = file_readers.answered(reader, data)
            if found is None:
                kind = "refused"
            else:
                kind = "same" if file_readers.same(found, whole) else "changed"
                if kind == "changed" and index >= 8 * len(reader.whole):
                    kind = "changed by two"
        except BaseException:
            kind = f"wrong {index}\n{traceback.format_exc()}"
        signal.alarm(0)
        results.send((index, kind))


def campaign(name: str, count: int) -> int:
    """Flips in one format; prints the counts and gives the number of findings."""
    import file_readers

    counts = {"same": 0, "refused": 0, "changed": 0, "changed by two": 0}
    findings: list[str] = []
    done = 0
    while done < count and len(findings) < 10:
        receiver, sender = multiprocessing.Pipe(False)
        process = multiprocessing.Process(target=flip, args=(name, done, count, sender))
        process.start()
        sender.close()
        try:
            while done < count:
                done, kind = receiver.recv()
                done += 1
                if kind in counts:
                    counts[kind] += 1
                elif not any(kind.splitlines()[-1][:60] in known for known in findings):
                    findings.append(kind)
        except EOFError:
            process.join()
            findings.append(f"flip {done} ended the process with {process.exitcode}")
            done += 1
        process.join()
    text = ", ".join(f"{number} {kind}" for kind, number in counts.items())
    if name in file_readers.CHECKED and counts["changed"]:
        findings.append(f"{counts['changed']} changes were not noticed")
    print(
        f"{name}: {done} flips: {text}, {len(findings)} findings", *findings, sep="\n  ", flush=True
    )
    return len(findings)


def main() -> int:
    import file_readers

    count, *names = sys.argv[1:]
    multiprocessing.set_start_method("spawn")
    return 1 if sum(campaign(name, int(count)) for name in names or file_readers.NAMES) else 0


if __name__ == "__main__":
    sys.exit(main())
