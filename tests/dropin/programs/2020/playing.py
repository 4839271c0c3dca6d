"""An actor and a critic of 2.3 learn a small game; the environment is a numpy_function."""

import collections
import random

import numpy as np
import tensorflow as tf

random.seed(1)  # of which Keras makes the seeds of first weights

SEED = 42
tf.random.set_seed(SEED)
np.random.seed(SEED)


class Balance:
    """A marble on a line; pushes left and right keep it near the middle."""

    def reset(self):
        self.at, self.speed, self.steps = np.random.uniform(-0.1, 0.1), 0.0, 0
        return np.array([self.at, self.speed], np.float32)

    def step(self, action):
        self.speed += (0.1 if action == 1 else -0.1) + 0.05 * np.random.randn() + 0.05 * self.at
        self.at += self.speed
        self.steps += 1
        done = abs(self.at) > 1.5 or self.steps >= 60
        return np.array([self.at, self.speed], np.float32), 1.0, done, {}


env = Balance()


class ActorCritic(tf.keras.Model):
    def __init__(self, num_actions, num_hidden_units):
        super().__init__()
        self.common = tf.keras.layers.Dense(num_hidden_units, activation="relu")
        self.actor = tf.keras.layers.Dense(num_actions)
        self.critic = tf.keras.layers.Dense(1)

    def call(self, inputs):
        x = self.common(inputs)
        return self.actor(x), self.critic(x)


def env_step(action):
    state, reward, done, _ = env.step(action)
    return state.astype(np.float32), np.array(reward, np.int32), np.array(done, np.int32)


def tf_env_step(action):
    return tf.numpy_function(env_step, [action], [tf.float32, tf.int32, tf.int32])


def run_episode(initial_state, model, max_steps):
    action_probs = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
    values = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
    rewards = tf.TensorArray(dtype=tf.int32, size=0, dynamic_size=True)
    initial_state_shape = initial_state.shape
    state = initial_state
    for t in tf.range(max_steps):
        state = tf.expand_dims(state, 0)
        action_logits_t, value = model(state)
        action = tf.random.categorical(action_logits_t, 1)[0, 0]
        action_probs_t = tf.nn.softmax(action_logits_t)
        values = values.write(t, tf.squeeze(value))
        action_probs = action_probs.write(t, action_probs_t[0, action])
        state, reward, done = tf_env_step(action)
        state.set_shape(initial_state_shape)
        rewards = rewards.write(t, reward)
        if tf.cast(done, tf.bool):
            break
    return action_probs.stack(), values.stack(), rewards.stack()


def get_expected_return(rewards, gamma, standardize=True):
    n = tf.shape(rewards)[0]
    returns = tf.TensorArray(dtype=tf.float32, size=n)
    rewards = tf.cast(rewards[::-1], dtype=tf.float32)
    discounted_sum = tf.constant(0.0)
    discounted_sum_shape = discounted_sum.shape
    for i in tf.range(n):
        discounted_sum = rewards[i] + gamma * discounted_sum
        discounted_sum.set_shape(discounted_sum_shape)
        returns = returns.write(i, discounted_sum)
    returns = returns.stack()[::-1]
    if standardize:
        returns = (returns - tf.math.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-7)
    return returns


huber_loss = tf.keras.losses.Huber(reduction=tf.keras.losses.Reduction.SUM)
optimizer = tf.keras.optimizers.Adam(learning_rate=0.02)
model = ActorCritic(2, 32)


@tf.function
def train_step(initial_state, model, optimizer, gamma, max_steps):
    with tf.GradientTape() as tape:
        action_probs, values, rewards = run_episode(initial_state, model, max_steps)
        returns = get_expected_return(rewards, gamma)
        action_probs, values, returns = [
            tf.expand_dims(x, 1) for x in [action_probs, values, returns]
        ]
        advantage = returns - values
        actor_loss = -tf.math.reduce_sum(tf.math.log(action_probs) * advantage)
        loss = actor_loss + huber_loss(values, returns)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return tf.math.reduce_sum(rewards)


lengths = collections.deque()
for episode in range(150):
    initial_state = tf.constant(env.reset(), dtype=tf.float32)
    lengths.append(int(train_step(initial_state, model, optimizer, 0.98, 60)))
first, last = np.mean(list(lengths)[:30]), np.mean(list(lengths)[-30:])
print("longer: %s" % (last > 1.3 * first))
assert last > 1.3 * first, (first, last)
