"""Distributions of version 1 in eager programs: a posterior by gradient ascent, and by sampling."""

import numpy as np
import tensorflow as tf
import tensorflow.contrib.eager as tfe

tf.enable_eager_execution()
tfd = tf.contrib.distributions
rng = np.random.RandomState(0)
data = rng.normal(1.5, 0.8, 200).astype(np.float32)

mean, log_scale = tfe.Variable(0.0), tfe.Variable(0.0)


def negative_log_likelihood():
    likelihood = tfd.Normal(loc=mean, scale=tf.exp(log_scale))
    prior = tfd.Normal(0.0, 10.0)
    return -tf.reduce_sum(likelihood.log_prob(data)) - prior.log_prob(mean)


optimizer = tf.train.AdamOptimizer(0.1)
gradients = tfe.implicit_gradients(negative_log_likelihood)
for _ in range(150):
    optimizer.apply_gradients(gradients())
print("%.3f %.3f" % (mean.numpy(), np.exp(log_scale.numpy())))
assert abs(mean.numpy() - data.mean()) < 0.02

q = tfd.Normal([0.0, 1.0], [1.0, 2.0])
p = tfd.Normal(0.0, 1.0)
print(q.batch_shape, q.event_shape, tfd.kl_divergence(q, p).numpy(), q.entropy().numpy())
print(
    q.cdf(0.5).numpy(),
    q.mean().numpy(),
    q.stddev().numpy(),
    q.mode().numpy(),
    p.prob([0.0, 1.0]).numpy(),
)
mvn = tfd.MultivariateNormalDiag([1.0, -1.0], [1.0, 2.0])
print(mvn.log_prob([[0.0, 0.0]]).numpy(), mvn.sample(5).shape, mvn.covariance().numpy().tolist())
categorical = tfd.Categorical(logits=[0.0, 1.0, 2.0])
print(
    categorical.prob(2).numpy(), categorical.entropy().numpy(), categorical.sample(7, seed=1).shape
)
bernoulli = tfd.Bernoulli(probs=[0.2, 0.9])
print(bernoulli.log_prob([1, 0]).numpy(), bernoulli.variance().numpy(), bernoulli.mode().numpy())
print(
    tfd.Beta(2.0, 3.0).mean().numpy(),
    tfd.Gamma(2.0, 3.0).log_prob(1.0).numpy(),
    tfd.Poisson(3.0).log_prob(2.0).numpy(),
)
print(
    tfd.Dirichlet([1.0, 2.0, 3.0]).mean().numpy(), tfd.StudentT(3.0, 0.0, 1.0).log_prob(0.5).numpy()
)
print(
    tfd.Uniform(1.0, 3.0).log_prob(2.0).numpy(),
    tfd.Laplace(0.0, 1.0).log_prob(1.0).numpy(),
    tfd.Exponential(2.0).cdf(0.5).numpy(),
)
state, accepted, chain = 0.0, 0, []
target = tfd.Normal(2.0, 0.5)
for _ in range(2000):
    proposal = state + rng.randn() * 0.8
    ratio = (target.log_prob(proposal) - target.log_prob(state)).numpy()
    if np.log(rng.rand()) < ratio:
        state, accepted = proposal, accepted + 1
    chain.append(state)
print(
    "mean of the chain is near 2: %s, accepted %s"
    % (abs(np.mean(chain[200:]) - 2) < 0.15, 600 < accepted < 1700)
)
with tf.GradientTape() as tape:
    location = tf.constant(0.5)
    tape.watch(location)
    drawn = tfd.Normal(location, 1.0).sample(10, seed=2)
print(
    tape.gradient(drawn, location).numpy(), tf.distributions.Normal(0.0, 1.0).log_prob(0.0).numpy()
)
