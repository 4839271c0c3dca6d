"""Distributions in graphs and of a program's own, and those that only tf.contrib has."""

import numpy as np
import pytest
from scipy import stats

import eagerflow as tf
from eagerflow.contrib import distributions as tfd


def test_in_a_function():
    @tf.function
    def draw(loc):
        made = tfd.Normal(loc, 1.0)
        logits = tf.stack([loc, loc])
        return made.sample(2, seed=1), made.log_prob(0.5), tfd.Multinomial(3.0, logits).mean()

    sample, density, counts = draw(tf.constant([1.0, 2.0]))
    assert sample.shape == (2, 2) and counts.shape == (2, 2)
    np.testing.assert_allclose(density, stats.norm([1, 2], 1).logpdf(0.5), rtol=1e-6)
    np.testing.assert_allclose(tf.reduce_sum(counts, -1), [3, 3], rtol=1e-6)


def test_unknown_batches_of_graphs():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loc = tf.compat.v1.placeholder(tf.float32, [None])
        scale = tf.compat.v1.placeholder(tf.float32, [])
        made = tfd.Normal(loc, scale, validate_args=True)
        sample = made.sample((2,))
        assert sample.shape.as_list() == [2, None]
        fetched = [sample, made.batch_shape_tensor(), made.is_scalar_batch()]
        values, sizes, scalar = session.run(fetched, {loc: [1.0, 2.0, 3.0], scale: 1.0})
        assert values.shape == (2, 3) and sizes.tolist() == [3] and not scalar
        with pytest.raises(tf.errors.InvalidArgumentError, match="x > 0"):
            session.run(sample, {loc: [1.0], scale: -1.0})


class Exponential(tfd.Distribution):
    """With the rate one."""

    def __init__(self, name="Own"):
        super().__init__(tf.float32, tfd.NOT_REPARAMETERIZED, False, True, locals(), name=name)

    def _log_prob(self, value):
        return -value

    def _batch_shape(self):
        return tf.TensorShape([])

    def _event_shape(self):
        return tf.TensorShape([])


def test_a_programs_own():
    made = Exponential()
    np.testing.assert_allclose(made.prob(1.0), np.exp(-1), rtol=1e-6)
    assert made.copy(name="other").name == "other" and made.is_scalar_batch()
    assert (
        str(made)
        == 'tfp.distributions.Exponential("Own", batch_shape=(), event_shape=(), dtype=float32)'
    )
    for missing in (made.sample, made.mean, lambda: made.cdf(1.0)):
        with pytest.raises(NotImplementedError, match="is not implemented: Exponential"):
            missing()
    with pytest.raises(
        NotImplementedError, match="type Exponential and distribution_b type Normal"
    ):
        made.kl_divergence(tfd.Normal(0.0, 1.0))
    tfd.RegisterKL(Exponential, tfd.Normal)(lambda a, b, name=None: tf.constant(np.nan))
    assert np.isnan(tfd.kl_divergence(made, tfd.Normal(0.0, 1.0)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="returned NaN"):
        tfd.kl_divergence(made, tfd.Normal(0.0, 1.0), allow_nan_stats=False)


def test_poisson_and_logistic():
    poisson, logistic = tfd.Poisson([2.0, 5.0]), tfd.Logistic(1.0, 2.0)
    theirs = stats.poisson([2, 5]), stats.logistic(1, 2)
    np.testing.assert_allclose(poisson.log_prob([0.0, 4.0]), theirs[0].logpmf([0, 4]), rtol=1e-6)
    np.testing.assert_allclose(poisson.cdf([1.0, 4.0]), theirs[0].cdf([1, 4]), rtol=1e-6)
    np.testing.assert_allclose(poisson.variance(), [2, 5])
    np.testing.assert_allclose(tfd.Poisson(log_rate=0.0).rate, 1)
    np.testing.assert_allclose(logistic.log_prob([-3.0, 4.0]), theirs[1].logpdf([-3, 4]), rtol=1e-6)
    np.testing.assert_allclose(logistic.log_cdf(-90.0), theirs[1].logcdf(-90), rtol=1e-6)
    np.testing.assert_allclose(logistic.entropy(), theirs[1].entropy(), rtol=1e-6)
    np.testing.assert_allclose(logistic.stddev(), theirs[1].std(), rtol=1e-6)
    for made in (poisson, logistic):
        sample = made.sample(20000, seed=1).numpy()
        np.testing.assert_allclose(sample.mean(0), made.mean(), atol=0.1)
        np.testing.assert_allclose(sample.std(0), made.stddev(), rtol=0.05)
    with pytest.raises(ValueError, match="exactly one"):
        tfd.Poisson()


def test_normal_vectors():
    made = tfd.MultivariateNormalDiag([1.0, 2.0], [2.0, 3.0])
    theirs = stats.multivariate_normal([1, 2], np.diag([4.0, 9.0]))
    assert made.batch_shape == () and made.event_shape == (2,)
    np.testing.assert_allclose(made.log_prob([0.0, 0.5]), theirs.logpdf([0, 0.5]), rtol=1e-6)
    np.testing.assert_allclose(made.entropy(), theirs.entropy(), rtol=1e-6)
    np.testing.assert_allclose(made.covariance(), theirs.cov)
    assert made.sample((4, 3)).shape == (4, 3, 2)
    other = tfd.MultivariateNormalDiag(tf.zeros([2]), scale_identity_multiplier=1.0)
    np.testing.assert_allclose(made.kl_divergence(other), 8.0 - np.log(6), rtol=1e-6)
    with pytest.raises(ValueError, match="one or both"):
        tfd.MultivariateNormalDiag()


def test_independent_events():
    logits = tf.reshape(tf.linspace(-1.0, 1.0, 12), [3, 4])
    inner = tfd.Bernoulli(logits=logits)
    made = tfd.Independent(inner)
    assert made.batch_shape == (3,) and made.event_shape == (4,)
    assert made.event_shape_tensor().numpy().tolist() == [4]
    np.testing.assert_allclose(
        made.log_prob(tf.ones([3, 4])), tf.reduce_sum(inner.log_prob(tf.ones([3, 4])), 1)
    )
    assert made.sample(5).shape == (5, 3, 4)
    np.testing.assert_allclose(made.kl_divergence(made), [0, 0, 0], atol=1e-6)
    with pytest.raises(ValueError, match="cannot exceed"):
        tfd.Independent(inner, 3)


def test_marked_classes():
    made = tfd.OneHotCategorical(probs=[[0.25, 0.75], [1.0, 0.0]])
    assert made.sample(6).numpy().sum(-1).tolist() == [[1, 1]] * 6
    np.testing.assert_allclose(made.prob([[0, 1], [1, 0]]), [0.75, 1.0], rtol=1e-6)
    np.testing.assert_allclose(made.covariance()[0], [[0.1875, -0.1875], [-0.1875, 0.1875]])
    assert made.mode().numpy().tolist() == [[0, 1], [1, 0]]
