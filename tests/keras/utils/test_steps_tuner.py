"""How many steps are run in one call."""

import eagerflow as tf

keras, layers = tf.keras, tf.keras.layers


def test_a_tuner_repeats_what_made_the_program_faster():
    steps = tf.Variable(4, dtype=tf.int64)
    optimizer = keras.optimizers.SGD()
    tuner = keras.utils.StepsPerExecutionTuner(optimizer, steps, change_spe_interval=1)
    start = tuner._seen[1]
    counts = []
    for look, iteration in enumerate((100, 300, 310, 311, 312), 1):
        tuner._look(iteration, start + look)
        counts.append(int(steps))
    # Faster, faster, slower and slower again: each time the other way; then nothing changes.
    assert counts == [6, 9, 4, 6, 6]
    tuner.steps_per_execution = 3
    assert int(tuner.steps_per_execution) == 3
    thread = tuner.start()
    assert tuner.start() is thread
    tuner.stop()
    thread.join(5)
    assert not thread.is_alive()
