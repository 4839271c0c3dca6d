"""Fourier transforms."""

import sys

import numpy as np

import eagerflow as tf


def test_large_fourier_transforms_need_no_scipy(monkeypatch):
    x = np.random.default_rng(0).normal(size=(3, 1 << 15)).astype("f4")
    with_it = tf.signal.rfft(x)
    monkeypatch.setitem(sys.modules, "scipy.fft", None)
    np.testing.assert_allclose(tf.signal.rfft(x), with_it, rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(tf.signal.irfft(with_it), x, atol=1e-4)
