"""LAPACK's factorisations, for large matrices on one thread.

OpenBLAS's threads synchronize after every step of a factorisation. For matrices of a few hundred
rows this is slower than one thread, and far slower if other programs use the processors.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np

from eagerflow.util.optional import found

# Smaller matrices are factored on one thread anyway; larger ones benefit from threads.
_LEAST, _MOST = 64, 1024


class _OneThread:
    """Limits BLAS libraries to one thread inside; does nothing without threadpoolctl."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._libraries: Any = None
        self._with_scipy = False
        self._limit: Any = None

    def _found(self) -> Any:
        with_scipy = "scipy.linalg" in sys.modules
        if self._libraries is None or with_scipy != self._with_scipy:
            threadpoolctl = found("threadpoolctl")
            if threadpoolctl is None:
                return None
            self._libraries = threadpoolctl.ThreadpoolController().select(user_api="blas")
            self._with_scipy = with_scipy
        return self._libraries

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                libraries = self._found()
                self._limit = libraries and libraries.limit(limits=1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None


_one_thread = _OneThread()


def _limited(array: np.ndarray) -> bool:
    return array.ndim >= 2 and _LEAST <= max(array.shape[-2:]) <= _MOST


def _without_copies(array: np.ndarray) -> Any:
    """SciPy's module, if installed, for one large matrix, which it factors faster than NumPy."""
    large = array.ndim == 2 and min(array.shape) >= _LEAST
    return found("scipy.linalg") if large else None


def _run(function: Any, array: np.ndarray, *args: Any, **kwargs: Any) -> Any:
    if not _limited(array):
        return function(array, *args, **kwargs)
    with _one_thread:
        return function(array, *args, **kwargs)


def qr(array: np.ndarray, full_matrices: bool) -> tuple[np.ndarray, np.ndarray]:
    """Q and R; with `full_matrices`, Q is square."""
    if linalg := _without_copies(array):
        mode = "full" if full_matrices else "economic"
        q, r = _run(linalg.qr, array, mode=mode, check_finite=False)
        return q, r
    return _run(np.linalg.qr, array, "complete" if full_matrices else "reduced")


def svd(array: np.ndarray, full_matrices: bool, vectors: bool) -> Any:
    """U, the singular values, and V^H; or the values alone."""
    if vectors and (linalg := _without_copies(array)):
        return _run(linalg.svd, array, full_matrices=full_matrices, check_finite=False)
    return _run(np.linalg.svd, array, full_matrices, vectors)


def eigh(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of a Hermitian matrix, of which the lower triangle is read."""
    if linalg := _without_copies(array):
        return _run(linalg.eigh, array, check_finite=False)
    return _run(np.linalg.eigh, array)


def eigvalsh(array: np.ndarray) -> np.ndarray:
    """The eigenvalues of a Hermitian matrix, of which the lower triangle is read."""
    if linalg := _without_copies(array):
        return _run(linalg.eigvalsh, array, check_finite=False)
    return _run(np.linalg.eigvalsh, array)


def eig(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of any square matrix."""
    return _run(np.linalg.eig, array)


def eigh_tridiagonal(
    main: np.ndarray, side: np.ndarray, select: str, limits: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of a real symmetric tridiagonal matrix.

    Args:
        main: the main diagonal, float64.
        side: the diagonal next to it.
        select: "a" for all, "v" for those in (low, high], "i" for indices low to high.
        limits: the pair (low, high).
    """
    if linalg := found("scipy.linalg"):
        return linalg.eigh_tridiagonal(main, side, False, select, limits)
    values, vectors = eigh(np.diag(main) + np.diag(side, -1))
    if select == "a":
        return values, vectors
    low, high = limits
    if select == "i":
        chosen = np.arange(low, high + 1)
    else:
        chosen = np.flatnonzero((values > low) & (values <= high))
    return values[chosen], vectors[:, chosen]


def schur(array: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """T and Q^H of one complex matrix Q T Q^H, if it is large and SciPy is installed."""
    linalg = _without_copies(array)
    if not linalg:
        return None
    t, q = _run(linalg.schur, array, output="complex", check_finite=False)
    return t, np.conj(q.T)
