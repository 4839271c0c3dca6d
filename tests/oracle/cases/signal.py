"""Fourier and cosine transforms, frames, windows and mel spectra."""

from oracle.inputs import gradient, gradient2, resolve, tensor
from oracle.registry import case, errors

REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
WHOLE = {
    f"{kind}{size}": rank
    for kind in ("fft", "ifft")
    for rank, size in enumerate(("", "2d", "3d"), 1)
}


@case(loose=20, dtype=COMPLEX, shape=((3, 4, 5), (1, 2, 3), (2, 0, 3)), name=list(WHOLE))
def whole(tf, dtype, shape, name):
    return resolve(tf, f"signal.{name}")(tensor(tf, shape, dtype))


@case(loose=50, name=list(WHOLE))
def whole_gradient(tf, name):
    x = tensor(tf, (2, 3, 4), "complex128")
    function = resolve(tf, f"signal.{name}")
    return gradient(tf, function, x), gradient(tf, lambda x: tf.abs(function(x)), x)


LENGTHS = {"none": None, "shorter": (2, 3, 4), "longer": (5, 6, 7)}


@case(loose=20, dtype=REAL, rank=(1, 2, 3), length=list(LENGTHS))
def half(tf, dtype, rank, length):
    x = tensor(tf, (3, 4, 5), dtype)
    size = LENGTHS[length] and LENGTHS[length][-rank:]
    function = resolve(tf, f"signal.rfft{('', '2d', '3d')[rank - 1]}")
    if length == "shorter" or rank == 3:  # TensorFlow has no gradients for them
        return function(x, size)
    return gradient(tf, lambda x: function(x, size), x)


@case(loose=20, dtype=COMPLEX, rank=(1, 2, 3), length=list(LENGTHS))
def from_half(tf, dtype, rank, length):
    x = tensor(tf, (3, 4, 5), dtype)
    size = LENGTHS[length] and LENGTHS[length][-rank:]
    function = resolve(tf, f"signal.irfft{('', '2d', '3d')[rank - 1]}")
    return function(x, size)


@case(loose=20, length=(None, 8, 9))
def irfft_gradient(tf, length):
    size = None if length is None else [length]
    x = tensor(tf, (2, 5), "complex128")
    return gradient(tf, lambda x: tf.signal.irfft(x, size), x)


@case(loose=1000)
def second_gradients(tf):
    x = tensor(tf, (2, 6), "float64")
    return gradient2(tf, lambda x: tf.abs(tf.signal.rfft(x)) ** 2, x)


@case(axes=(None, 0, 1))
def shifts(tf, axes):
    x = tensor(tf, (3, 4, 5))
    return tf.signal.fftshift(x, axes), tf.signal.ifftshift(x, axes), tf.signal.fftshift(x, [1, 2])


@case(pad=(False, True), axis=(0, 1, -1), length=(1, 3, 9), step=(1, 2, 4))
def frame(tf, pad, axis, length, step):
    x = tensor(tf, (7, 8))
    return gradient(tf, lambda x: tf.signal.frame(x, length, step, pad, 1.5, axis), x)


@case
def frame_kinds(tf):
    return tf.signal.frame(["a", "b", "c"], 2, 1), tf.signal.frame([1, 2, 3], tf.constant(2), 1)


@case(shape=((3, 5), (2, 4, 3), (1, 4), (2, 0, 3)), step=(1, 2, 3, 7))
def overlap_and_add(tf, shape, step):
    return gradient(tf, lambda x: tf.signal.overlap_and_add(x, step), tensor(tf, shape))


@case(loose=20, length=(4, 5), size=(None, 8), window=(None, "hann_window", "hamming_window"))
def stft(tf, length, size, window):
    window = window and resolve(tf, f"signal.{window}")
    x = tensor(tf, (2, 20), "float64")

    def both(x):
        return tf.signal.inverse_stft(
            tf.signal.stft(x, length, 2, size, window), length, 2, size, window
        )

    padded = tf.signal.stft(x, length, 3, size, window, pad_end=True)
    return padded, gradient(tf, both, x)


@case(loose=20, step=(2, 3))
def inverse_window(tf, step):
    x = tensor(tf, (20,))
    window = tf.signal.inverse_stft_window_fn(step)
    return window(8, tf.float32), tf.signal.inverse_stft(
        tf.signal.stft(x, 8, step), 8, step, None, window
    )


@case(
    loose=20, dtype=("float16", "float32", "float64"), length=(1, 2, 5, 8), periodic=(True, False)
)
def cosine_windows(tf, dtype, length, periodic):
    dtype = tf.as_dtype(dtype)
    return [
        tf.signal.hann_window(length, periodic, dtype),
        tf.signal.hamming_window(length, periodic, dtype),
    ]


@case(loose=20, dtype=("float32", "float64"), length=(1, 2, 6, 9))
def other_windows(tf, dtype, length):
    dtype = tf.as_dtype(dtype)
    return [
        tf.signal.vorbis_window(length, dtype),
        tf.signal.kaiser_window(length, dtype=dtype),
        tf.signal.kaiser_window(length, 3.5, dtype),
    ]


@case(loose=20, dtype=("float32", "float64"), length=(2, 8))
def derived_window(tf, dtype, length):
    return tf.signal.kaiser_bessel_derived_window(length, 4.0, tf.as_dtype(dtype))


@case(loose=50, type=(1, 2, 3, 4), norm=(None, "ortho"), n=(None, 3, 7), dtype=REAL)
def dct(tf, type, norm, n, dtype):
    x = tensor(tf, (2, 5), dtype)
    if type == 1 and norm:
        norm = None
    inverse = tf.signal.idct(x, type, n, norm=norm)
    return inverse, gradient(tf, lambda x: tf.signal.dct(x, type, n, norm=norm), x)


@case(loose=50, norm=(None, "ortho"), window=(None, "vorbis_window"), pad=(False, True))
def mdct(tf, norm, window, pad):
    window = window and resolve(tf, f"signal.{window}")

    def both(x):
        spectrum = tf.signal.mdct(x, 8, window, pad, norm)
        return tf.signal.inverse_mdct(spectrum, window, norm)

    x = tensor(tf, (2, 18), "float64")
    return tf.signal.mdct(x, 8, window, pad, norm), gradient(tf, both, x)


@case(loose=50, dtype=REAL, bins=(1, 5), count=(9, 33))
def mel(tf, dtype, bins, count):
    kind = tf.as_dtype(dtype)
    return [
        tf.signal.linear_to_mel_weight_matrix(bins, count, dtype=kind),
        tf.signal.linear_to_mel_weight_matrix(bins, count, 16000, 0.0, 8000.0, kind),
        tf.signal.mfccs_from_log_mel_spectrograms(tensor(tf, (2, bins), dtype)),
    ]


def _mel(tf, **arguments):
    return tf.signal.linear_to_mel_weight_matrix(**{"num_mel_bins": 3, **arguments})


errors(
    "signal",
    "wrong",
    {
        "fft scalar": (lambda tf: tf.signal.fft(tf.constant(1 + 0j)), ["rank"]),
        "fft2d vector": (lambda tf: tf.signal.fft2d([1 + 0j]), ["rank"]),
        "rfft complex": (lambda tf: tf.signal.rfft(tf.constant([1 + 0j])), ["RFFT"]),
        "rfft lengths": (lambda tf: tf.signal.rfft([1.0], [2, 2]), ["fft_length"]),
        "rfft3d": (lambda tf: tf.signal.rfft3d([1.0]), ["rank"]),
        "irfft real": (lambda tf: tf.signal.irfft(tf.constant([1.0])), ["IRFFT"]),
        "frame step": (lambda tf: tf.signal.frame([1.0], 1, 0), []),
        "frame length": (lambda tf: tf.signal.frame([1.0], -1, 1), []),
        "frame axis": (lambda tf: tf.signal.frame([1.0], 1, 1, axis=3), []),
        "overlap vector": (lambda tf: tf.signal.overlap_and_add([1.0], 1), ["rank"]),
        "overlap step": (lambda tf: tf.signal.overlap_and_add([[1.0]], 1.0), ["integer"]),
        "stft int": (lambda tf: tf.signal.stft([1, 2, 3], 2, 1), ["floating"]),
        "window int": (lambda tf: tf.signal.hann_window(3, dtype=tf.int32), ["floating"]),
        "window vector": (lambda tf: tf.signal.hann_window([3]), ["rank 0"]),
        "dct type": (lambda tf: tf.signal.dct([1.0], 5), ["Types"]),
        "dct axis": (lambda tf: tf.signal.dct([1.0], axis=0), ["axis"]),
        "dct norm": (lambda tf: tf.signal.dct([1.0], norm="x"), ["normalization"]),
        "dct n": (lambda tf: tf.signal.dct([1.0], n=0), ["positive"]),
        "dct1 ortho": (lambda tf: tf.signal.dct([1.0, 2.0], 1, norm="ortho"), ["Type-I"]),
        "mdct length": (lambda tf: tf.signal.mdct(tf.zeros([9]), 6), ["multiple of 4"]),
        "mel bins": (lambda tf: _mel(tf, num_mel_bins=0), ["positive"]),
        "mel lower": (lambda tf: _mel(tf, lower_edge_hertz=-1.0), ["non-negative"]),
        "mel order": (lambda tf: _mel(tf, lower_edge_hertz=4000.0), [">="]),
        "mel upper": (lambda tf: _mel(tf, upper_edge_hertz=9000.0), ["Nyquist"]),
        "mel rate": (lambda tf: _mel(tf, sample_rate=0), ["positive"]),
    },
)
