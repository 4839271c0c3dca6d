"""Sets the alignment of a library's segments to a page of 4 KiB.

    python align_segments.py LIBRARY

Linkers of some years ago ask for 2 MiB, and tools that add segments to a library (`patchelf`, which
`auditwheel` runs) fill that up: 4 MB of zeros. Addresses and offsets that agree modulo 2 MiB agree
modulo 4 KiB, too. Format: ELF-64, little-endian (System V ABI, chapters 4 and 5).
"""

import struct
import sys

PAGE = 4096
LOAD = 1  # PT_LOAD


def main(path: str) -> None:
    """Changes the program headers of the file."""
    with open(path, "r+b") as file:
        header = file.read(64)
        if header[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"{path} is no ELF-64 file")
        start = struct.unpack_from("<Q", header, 32)[0]
        size, count = struct.unpack_from("<HH", header, 54)
        for k in range(count):
            file.seek(start + k * size)
            kind = struct.unpack("<I", file.read(4))[0]
            place = start + k * size + 48
            file.seek(place)
            align = struct.unpack("<Q", file.read(8))[0]
            if kind == LOAD and align > PAGE:
                file.seek(place)
                file.write(struct.pack("<Q", PAGE))


if __name__ == "__main__":
    main(sys.argv[1])
