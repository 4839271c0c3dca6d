"""Draws docs/tensorboard.png: how TensorBoard's web page shows the event files of an example.

    python tools/tensorboard_page.py

Needs the packages of the `dev` extra and Chromium, which looks at the page without a screen.
"""

import argparse
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parent.parent
PAGES = ("scalars", "images", "histograms", "text")
WIDTH, HEIGHT = 1300, 880
COLUMNS = 2
SECONDS = 60


def free_port():
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def has_runs(address):
    """Whether a TensorBoard answers and has read its files."""
    try:
        return bool(json.load(urllib.request.urlopen(f"{address}/data/runs")))
    except OSError:
        return False


@contextlib.contextmanager
def tensorboard(folder):
    """A context that gives the address of a TensorBoard of a folder."""
    port = free_port()
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", folder, "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--load_fast=false"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    address = f"http://localhost:{port}"
    try:
        until = time.monotonic() + SECONDS
        while not has_runs(address):
            if time.monotonic() > until or server.poll() is not None:
                sys.exit("TensorBoard did not start.")
            time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait()


def screenshot(browser, address, path):
    """Saves what the browser shows of an address once it has loaded its data."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    size = f"--window-size={WIDTH},{HEIGHT}"
    subprocess.run(
        [browser, *options, size, "--virtual-time-budget=20000", f"--screenshot={path}", address],
        check=True,
        capture_output=True,
        timeout=3 * SECONDS,
    )


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "tensorboard.png")
    arguments = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        sys.exit("Chromium is needed: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        logs = os.path.join(folder, "logs")
        example = ROOT / "examples" / "digits_tensorboard.py"
        subprocess.run([sys.executable, example, "--out", logs], check=True)
        sheet = Image.new("RGB", (WIDTH, HEIGHT * len(PAGES) // COLUMNS // 2))
        with tensorboard(logs) as address:
            for k, page in enumerate(PAGES):
                path = os.path.join(folder, f"{page}.png")
                screenshot(browser, f"{address}/#{page}", path)
                with Image.open(path) as picture:
                    small = picture.convert("RGB").resize((WIDTH // 2, HEIGHT // 2), Image.LANCZOS)
                sheet.paste(small, (k % COLUMNS * WIDTH // 2, k // COLUMNS * HEIGHT // 2))
        sheet.quantize(128).save(arguments.out, optimize=True)
    print(arguments.out)


if __name__ == "__main__":
    main()
