"""LAPACK's factorisations, for large matrices on one thread.

OpenBLAS's threads wait for each other after every step of a factorisation. For matrices of some
hundred rows that costs more than it brings, and far more where other programs want the processors.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np

# Smaller matrices are factored on one thread anyway; with larger ones, threads are of use.
_LEAST, _MOST = 64, 1024


class _OneThread:
    """While anybody is inside, BLAS libraries use one thread; where threadpoolctl is missing, all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._libraries: Any = None
        self._with_scipy = False
        self._limit: Any = None

    def _found(self) -> Any:
        with_scipy = "scipy.linalg" in sys.modules
        if self._libraries is None or with_scipy != self._with_scipy:
            from threadpoolctl import ThreadpoolController

            self._libraries = ThreadpoolController().select(user_api="blas")
            self._with_scipy = with_scipy
        return self._libraries

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                try:
                    self._limit = self._found().limit(limits=1)
                except ImportError:
                    self._limit = None

    def __exit__(self, *_: Any) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None


_one_thread = _OneThread()


def _limited(array: np.ndarray) -> bool:
    return array.ndim >= 2 and _LEAST <= max(array.shape[-2:]) <= _MOST


def _is_large(array: np.ndarray) -> bool:
    """Whether it is one matrix that SciPy, which does without copies, factors sooner than NumPy."""
    return array.ndim == 2 and min(array.shape) >= _LEAST


def _run(function: Any, array: np.ndarray, *args: Any, **kwargs: Any) -> Any:
    if not _limited(array):
        return function(array, *args, **kwargs)
    with _one_thread:
        return function(array, *args, **kwargs)


def qr(array: np.ndarray, full_matrices: bool) -> tuple[np.ndarray, np.ndarray]:
    """Q and R; with `full_matrices`, Q is square."""
    if _is_large(array):
        import scipy.linalg

        mode = "full" if full_matrices else "economic"
        q, r = _run(scipy.linalg.qr, array, mode=mode, check_finite=False)
        return q, r
    return _run(np.linalg.qr, array, "complete" if full_matrices else "reduced")


def svd(array: np.ndarray, full_matrices: bool, vectors: bool) -> Any:
    """U, the singular values, and V^H; or the values alone."""
    if vectors and _is_large(array):
        import scipy.linalg

        return _run(scipy.linalg.svd, array, full_matrices=full_matrices, check_finite=False)
    return _run(np.linalg.svd, array, full_matrices, vectors)


def eigh(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of a Hermitian matrix, of which the lower triangle is read."""
    if _is_large(array):
        import scipy.linalg

        return _run(scipy.linalg.eigh, array, check_finite=False)
    return _run(np.linalg.eigh, array)


def eigvalsh(array: np.ndarray) -> np.ndarray:
    """The eigenvalues of a Hermitian matrix, of which the lower triangle is read."""
    if _is_large(array):
        import scipy.linalg

        return _run(scipy.linalg.eigvalsh, array, check_finite=False)
    return _run(np.linalg.eigvalsh, array)


def eig(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of any square matrix."""
    return _run(np.linalg.eig, array)
