"""Files from the network, and their cache."""

import hashlib
import http.server
import io
import tarfile
import threading
import zipfile

import pytest

import eagerflow as tf

utils = tf.keras.utils


CONTENT = b"some bytes" * 1000


HASH = hashlib.sha256(CONTENT).hexdigest()


NOWHERE = "http://localhost:9/data.bin"


def tar_bytes():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        info = tarfile.TarInfo("things/a.txt")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"abc"))
    return buffer.getvalue()


def zip_bytes():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("inside/b.txt", "xyz")
    return buffer.getvalue()


FILES = {"/data.bin": CONTENT, "/things.tar.gz": tar_bytes(), "/pack.zip": zip_bytes()}


@pytest.fixture
def server():
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            content = FILES.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("localhost", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        running.root = f"http://localhost:{running.server_port}"
        running.asked = asked
        yield running
        running.shutdown()
        thread.join()


def test_download_once(server, tmp_path, capsys):
    path = utils.get_file(origin=server.root + "/data.bin", cache_dir=tmp_path, file_hash=HASH)
    assert path == str(tmp_path / "datasets" / "data.bin")
    assert open(path, "rb").read() == CONTENT
    assert "Downloading data from" in capsys.readouterr().out
    again = utils.get_file("data.bin", server.root + "/data.bin", cache_dir=tmp_path)
    assert again == path and server.asked == ["/data.bin"]
    assert [p.name for p in (tmp_path / "datasets").iterdir()] == ["data.bin"]


def test_archives(server, tmp_path):
    folder = utils.get_file(
        "things", server.root + "/things.tar.gz", untar=True, cache_dir=tmp_path
    )
    assert open(folder + "/a.txt").read() == "abc"
    utils.get_file(
        origin=server.root + "/pack.zip", extract=True, cache_dir=tmp_path, cache_subdir="x"
    )
    assert (tmp_path / "x" / "inside" / "b.txt").read_text() == "xyz"


def test_hashes(server, tmp_path, capsys):
    origin = server.root + "/data.bin"
    with pytest.raises(ValueError, match="does not match"):
        utils.get_file(origin=origin, cache_dir=tmp_path, file_hash="0" * 64)
    assert not (tmp_path / "datasets" / "data.bin").exists()
    (tmp_path / "datasets" / "data.bin").write_bytes(b"old")
    md5 = hashlib.md5(CONTENT).hexdigest()
    path = utils.get_file(origin=origin, cache_dir=tmp_path, md5_hash=md5)
    assert open(path, "rb").read() == CONTENT
    assert "re-download" in capsys.readouterr().out


def test_without_a_network(tmp_path):
    with pytest.raises(
        ConnectionError, match="put the file at .*data.bin .its sha256 hash is " + HASH
    ):
        utils.get_file(origin=NOWHERE, cache_dir=tmp_path, file_hash=HASH)
    (tmp_path / "datasets" / "data.bin").write_bytes(b"old")
    with pytest.warns(UserWarning, match="cannot be reached"):
        path = utils.get_file(origin=NOWHERE, cache_dir=tmp_path, file_hash=HASH)
    assert open(path, "rb").read() == b"old"


def test_a_missing_file(server, tmp_path):
    with pytest.raises(ConnectionError, match="URL fetch failure on .*none: 404"):
        utils.get_file(origin=server.root + "/none", cache_dir=tmp_path)
    with pytest.raises(ValueError, match='"origin"'):
        utils.get_file("name")


@pytest.mark.parametrize("content", [tar_bytes(), zip_bytes()], ids=["tar", "zip"])
def test_damaged_archives_are_reported_as_such(content, tmp_path):
    (tmp_path / "source").mkdir()
    source = tmp_path / "source" / "archive"
    refused = 0
    for index in range(len(content)):
        source.write_bytes(content[:index] + bytes([content[index] ^ 0x55]) + content[index + 1 :])
        try:
            utils.get_file(
                f"copy-{index}", source.as_uri(), cache_dir=tmp_path, cache_subdir=".", extract=True
            )
        except (tf.errors.DataLossError, OSError, ValueError):
            refused += 1
    assert refused
