"""Files from the network, kept in Keras's cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from eagerflow.io.damage import DamagedFileError, part_of
from eagerflow.io.replacing import replaced
from eagerflow.keras.utils import io_utils
from eagerflow.keras.utils.progbar import Progbar
from eagerflow.typing import FilePath
from eagerflow.util.expansion import refuse_unpacking
from eagerflow.util.program_warnings import warn
from eagerflow.util.regular import check_regular, open_regular

_PIECE = 1 << 16


def _hasher(algorithm: str, file_hash: str | None = None) -> Any:
    if algorithm == "sha256" or (
        algorithm == "auto" and file_hash is not None and len(file_hash) == 64
    ):
        return hashlib.sha256()
    return hashlib.md5()


def hash_file(fpath: FilePath, algorithm: str = "sha256", chunk_size: int = _PIECE) -> str:
    """The hash of a file's bytes, in hexadecimal digits.

    Args:
        fpath: the file.
        algorithm: "sha256" or "md5".
        chunk_size: how much is read at once.
    """
    hasher = _hasher(algorithm)
    with open_regular(fpath) as file:
        while piece := file.read(chunk_size):
            hasher.update(piece)
    return hasher.hexdigest()


def validate_file(
    fpath: FilePath, file_hash: str, algorithm: str = "auto", chunk_size: int = _PIECE
) -> bool:
    """Whether a file has this hash; "auto" chooses the algorithm by the hash's length."""
    name = _hasher(algorithm, file_hash).name
    return hash_file(fpath, name, chunk_size) == str(file_hash)


def get_file(
    fname: str | None = None,
    origin: str | None = None,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: object = "auto",
    cache_dir: object = None,
) -> str:
    """The path of a file, which is downloaded unless it is in the cache.

    The cache is `~/.keras/datasets`. A cached file with another hash than `file_hash` is downloaded
    again; without a network it is used, with a warning.

    Args:
        fname: the file's name in the cache; by default the last part of the address. An absolute
            path is used unchanged.
        origin: the address.
        untar: whether the file is a tar archive to be unpacked; the result is its folder.
        md5_hash: the older name of `file_hash`.
        file_hash: the file's MD5 or SHA256.
        cache_subdir: the folder in the cache.
        hash_algorithm: "md5", "sha256" or "auto".
        extract: whether the file is an archive to be unpacked into its folder.
        archive_format: "tar", "zip", a list of them, "auto" for both, None for none.
        cache_dir: the cache, `~/.keras` by default.

    Raises:
        ValueError: without an address, and if the downloaded file has another hash.
        ConnectionError: if the file is neither cached nor can it be downloaded; the message says
            where to put it.
        DamagedFileError: if the archive to be unpacked is damaged.

    >>> import pathlib, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> source = pathlib.Path(folder, "words.txt")
    >>> source.write_text("one two")
    7
    >>> path = tf.keras.utils.get_file("copy.txt", source.as_uri(), cache_dir=folder)
    Downloading data from file:///...
    >>> open(path).read()
    'one two'
    """
    if origin is None:
        raise ValueError('Please specify the "origin" argument (URL of the file to download).')
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    folder = _cache_folder(cache_dir, cache_subdir)
    name = os.fspath(fname) if fname else os.path.basename(urlsplit(origin).path)
    if not name:
        raise ValueError(
            f"Can't parse the file name from the origin provided: '{origin}'."
            "Please specify the `fname` as the input param."
        )
    path = os.path.join(folder, name)
    unpacked = path
    if untar:
        unpacked = path.removesuffix(".tar.gz")
        path = unpacked + ".tar.gz"
        if os.path.exists(unpacked) and not os.path.exists(path):
            return unpacked
    _provide(path, origin, file_hash, hash_algorithm)
    if untar:
        if not os.path.exists(unpacked):
            extract_archive(path, folder, "tar")
        return unpacked
    if extract:
        extract_archive(path, folder, archive_format)
    return path


def _cache_folder(cache_dir: Any, cache_subdir: str) -> str:
    if cache_dir is None:
        cache_dir = os.environ.get("KERAS_HOME") or os.path.join("~", ".keras")
    base = os.path.expanduser(os.fspath(cache_dir))
    folder = os.path.join(base, cache_subdir)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        folder = os.path.join(tempfile.gettempdir(), ".keras", cache_subdir)
        os.makedirs(folder, exist_ok=True)
    return folder


def _provide(path: str, origin: str, file_hash: str | None, algorithm: str) -> None:
    """Downloads the file unless it is in the cache with the right hash."""
    import urllib.error

    cached = os.path.exists(path)
    if cached:
        if file_hash is None or validate_file(path, file_hash, algorithm):
            return
        io_utils.print_msg(
            "A local file was found, but it seems to be incomplete or outdated because the "
            f"{algorithm} file hash does not match the original value of {file_hash} so we will "
            "re-download the data."
        )
    io_utils.print_msg(f"Downloading data from {origin}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with replaced(path) as temporary:
            _download(origin, temporary)
            if file_hash is not None and not validate_file(temporary, file_hash, algorithm):
                raise ValueError(
                    f"Incomplete or corrupted file detected. The {algorithm} file hash does not "
                    f"match the provided value of {file_hash}."
                )
    except (urllib.error.URLError, OSError) as error:
        if cached:
            warn(
                f"{origin} cannot be reached ({error}): using {path}, whose hash is not {file_hash}."
            )
            return
        code = getattr(error, "code", None) or getattr(error, "errno", None)
        reason = getattr(error, "reason", None) or error
        known = ""
        if file_hash is not None:
            known = f" (its {_hasher(algorithm, file_hash).name} hash is {file_hash})"
        raise ConnectionError(
            f"URL fetch failure on {origin}: {code} -- {reason}. Without a network, put the file "
            f"at {path}{known}."
        ) from error


def _download(origin: str, path: str) -> None:
    """Downloads into a new file, with a progress bar."""
    import urllib.error
    import urllib.request

    if urlsplit(origin).scheme == "file":
        source = urllib.request.url2pathname(urlsplit(origin).path)
        if os.path.exists(source):
            check_regular(source, os.stat(source).st_mode)
    with open(path, "wb") as file, urllib.request.urlopen(origin) as response:
        size = response.headers.get("Content-Length")
        bar = Progbar(int(size) if size else None)
        done = 0
        while piece := response.read(_PIECE):
            file.write(piece)
            done += len(piece)
            bar.update(done)
        if size and done < int(size):
            raise urllib.error.ContentTooShortError(
                f"got only {done} of {size} bytes",
                None,  # type: ignore[arg-type]
            )


def extract_archive(file_path: str, path: str = ".", archive_format: Any = "auto") -> bool:
    """Unpacks a file into a folder if it is an archive.

    Args:
        file_path: the archive.
        path: the folder.
        archive_format: "tar", "zip", a list of them, "auto" for both, None for none.

    Returns:
        Whether the file was an archive of these kinds.

    Raises:
        DamagedFileError: if the archive is damaged, or has members outside of the folder.
    """
    import struct
    import tarfile
    import zipfile
    import zlib

    if archive_format is None:
        return False
    kinds = ["tar", "zip"] if archive_format == "auto" else archive_format
    damage = (tarfile.TarError, zipfile.BadZipFile, zlib.error, struct.error, EOFError)
    try:
        with part_of(os.fspath(file_path), "The archive"):
            return _extracted(file_path, path, [kinds] if isinstance(kinds, str) else kinds)
    except (*damage, NotImplementedError, RuntimeError) as error:
        # zipfile raises the last two for methods that it lacks, and for encrypted members.
        raise DamagedFileError(os.fspath(file_path), "The archive", error) from error


def _extracted(file_path: str, path: str, kinds: Iterable[str]) -> bool:
    import tarfile
    import zipfile

    size = os.path.getsize(file_path)
    for kind in kinds:
        if kind == "tar" and tarfile.is_tarfile(file_path):
            with tarfile.open(file_path) as tar:
                refuse_unpacking(file_path, size, (member.size for member in tar))
                if hasattr(tarfile, "data_filter"):
                    tar.extractall(path, filter="data")
                else:
                    _checked_members(tar, path)
            return True
        if kind == "zip" and zipfile.is_zipfile(file_path):
            with zipfile.ZipFile(file_path) as archive:
                sizes = (info.file_size for info in archive.infolist())
                refuse_unpacking(file_path, size, sizes)
                archive.extractall(path)
            return True
    return False


def _checked_members(tar: Any, path: str) -> None:
    """Unpacks the members below the folder, for a Python whose tarfile has no filters."""
    root = os.path.realpath(path)
    inside = [
        member
        for member in tar.getmembers()
        if os.path.realpath(os.path.join(root, member.name)).startswith(root + os.sep)
    ]
    try:
        tar.extractall(path, inside)
    except BaseException:
        shutil.rmtree(os.path.join(path, inside[0].name), ignore_errors=True)
        raise
