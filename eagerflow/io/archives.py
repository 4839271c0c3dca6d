"""Reading zip archives that may have been made to use up memory."""

from __future__ import annotations

import zipfile

_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def refuse_packing(info: zipfile.ZipInfo) -> None:
    """Refuses a member whose compression `zipfile` cannot unpack in pieces.

    Raises:
        ValueError: if it is packed with bzip2 or LZMA.
    """
    if info.compress_type not in _PACKINGS:
        raise ValueError(f"{info.filename} is not packed as such archives are: stored or deflated")


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member; unpacks at most the size that the archive declares.

    `ZipFile.read` unpacks everything before it counts.

    Raises:
        KeyError: if there is none.
        ValueError: if it is packed with bzip2 or LZMA.
        zipfile.BadZipFile: if it is damaged.
    """
    info = archive.getinfo(name)
    refuse_packing(info)
    with archive.open(info) as file:
        content = file.read(info.file_size)
        file.read(1)  # its checksum is looked at where it ends
    return content
