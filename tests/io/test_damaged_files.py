"""Decoders and readers on damaged bytes: they give a result or raise one of a few errors, and take no
memory that a size claims."""

from __future__ import annotations

import os
import random

import pytest

import eagerflow as tf
from file_readers import NAMES, answered, damaged, reader

ROUNDS = int(os.environ.get("FUZZ_EXAMPLES", "8")) * 4
SEED = os.environ.get("FUZZ_SEED", "0")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_damaged_bytes_are_answered(name: str) -> None:
    found = reader(name)
    found.read(found.whole)
    chance = random.Random(f"{SEED}/{name}")
    for _ in range(ROUNDS):
        answered(found, damaged(found.whole, chance))


def test_tables_that_are_no_csv_name_file_and_line(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n1,x\n2,\ry\n")
    with pytest.raises(tf.errors.DataLossError, match="Line 3 in .*table.csv is damaged"):
        tf.data.experimental.make_csv_dataset(str(path), 2)
