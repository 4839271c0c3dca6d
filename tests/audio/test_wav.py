"""WAV files; the bytes and samples are those of TensorFlow 2.21."""

import contextlib

import numpy as np
import pytest

import eagerflow as tf

Invalid = tf.errors.InvalidArgumentError
SOUND = np.linspace(-1.2, 1.2, 12).reshape(6, 2).astype(np.float32)
RECORDED = bytes.fromhex(
    "524946463c00000057415645666d74201000000001000200803e000000fa000004001000646174611800000000805482"
    "419e2fba1cd609f2f70de429d145bf61ac7dff7f"
)


def test_a_sound_becomes_these_bytes():
    assert tf.audio.encode_wav(SOUND, 16000).numpy() == RECORDED


def test_bytes_become_samples():
    sound = tf.audio.decode_wav(RECORDED)
    assert int(sound.sample_rate) == 16000 and sound.sample_rate.dtype is tf.int32
    np.testing.assert_allclose(sound.audio, np.clip(SOUND, -1, 1), atol=1 / 32768)
    np.testing.assert_array_equal(sound.audio[0], np.float32([-1.0, -0.9818115234375]))


def test_channels_and_samples_are_chosen():
    whole = tf.audio.decode_wav(RECORDED).audio.numpy()
    one = tf.audio.decode_wav(RECORDED, desired_channels=1).audio
    np.testing.assert_array_equal(one, whole[:, :1])
    three = tf.audio.decode_wav(RECORDED, desired_channels=3).audio
    np.testing.assert_array_equal(three, whole[:, [0, 1, 1]])
    short = tf.audio.decode_wav(RECORDED, desired_samples=3).audio
    np.testing.assert_array_equal(short, whole[:3])
    long = tf.audio.decode_wav(RECORDED, desired_samples=9).audio
    np.testing.assert_array_equal(long, np.pad(whole, ((0, 3), (0, 0))))


@pytest.mark.parametrize(
    "data, message",
    [
        (b"junk", "Expected RIFF"),
        (RECORDED[:50], "too short"),
        (RECORDED[:20], "too short"),
        (RECORDED[:20] + b"\3" + RECORDED[21:], "Bad audio format"),
        (RECORDED[:34] + b"\10" + RECORDED[35:], "16-bit"),
        (RECORDED[:36], "No data chunk"),
        ([RECORDED], "scalar"),
    ],
)
def test_other_data_is_refused(data, message):
    with pytest.raises(Invalid, match=message):
        tf.audio.decode_wav(data)


def test_damaged_files_are_decoded_or_refused():
    rng = np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(RECORDED)
        for place in rng.integers(0, len(damaged), 2):
            damaged[place] = rng.integers(0, 256)
        with contextlib.suppress(Invalid):
            assert tf.audio.decode_wav(bytes(damaged)).audio.shape.rank == 2


def test_sounds_must_be_matrices_with_a_rate():
    with pytest.raises(Invalid, match="2-dimensional"):
        tf.audio.encode_wav(SOUND[0], 16000)
    with pytest.raises(Invalid, match="sample_rate"):
        tf.audio.encode_wav(SOUND, 0)


def test_sounds_in_functions():
    @tf.function
    def again(data):
        audio, rate = tf.audio.decode_wav(data, desired_channels=2)
        assert audio.shape.as_list() == [None, 2] and rate.shape.rank == 0
        return tf.audio.encode_wav(audio, rate)

    assert again(RECORDED).numpy() == RECORDED
    mapped = tf.data.Dataset.from_tensors(RECORDED).map(lambda x: tf.audio.decode_wav(x, -1, 4)[0])
    assert mapped.element_spec.shape.as_list() == [4, None]
    assert next(iter(mapped)).shape == [4, 2]
