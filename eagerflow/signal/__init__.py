"""tf.signal: Fourier and cosine transforms, frames, windows and mel spectra."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, together=True)
