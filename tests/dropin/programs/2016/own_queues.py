"""Queues that a program fills itself: threads, runners, priorities, padding, closing."""

import threading

import numpy as np
import tensorflow as tf

queue = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []], name="points")
point = tf.placeholder(tf.float32, [None, 2])
number = tf.placeholder(tf.int32, [None])
enqueue = queue.enqueue_many([point, number])
close = queue.close()
batch, numbers = queue.dequeue_up_to(4)
print(queue.names, queue.dtypes, [s.as_list() for s in queue.shapes], batch.get_shape())

shuffled = tf.RandomShuffleQueue(50, 10, tf.int32, shapes=[()])
fill = shuffled.enqueue_many([tf.range(10)])
taken = shuffled.dequeue_many(5)
runner = tf.train.QueueRunner(shuffled, [fill] * 2)
tf.train.add_queue_runner(runner)

padded = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
put = [padded.enqueue([tf.range(n)]) for n in (1, 3, 2)]
rows = padded.dequeue_many(3)

first = tf.PriorityQueue(10, [tf.string], [()])
put_first = first.enqueue_many([np.array([5, 1, 3], np.int64), ["five", "one", "three"]])
in_order = first.dequeue_many(3)

with tf.Session() as sess:
    coord = tf.train.Coordinator()

    def produce():
        for start in range(0, 30, 5):
            ids = np.arange(start, start + 5)
            sess.run(enqueue, {point: np.stack([ids, -ids], 1), number: ids})
        sess.run(close)

    producer = threading.Thread(target=produce)
    producer.start()
    seen = []
    try:
        while True:
            _, found = sess.run([batch, numbers])
            seen.extend(found.tolist())
    except tf.errors.OutOfRangeError as error:
        print(type(error).__name__, len(seen))
    producer.join()
    assert seen == list(range(30))

    threads = tf.train.start_queue_runners(sess, coord)
    drawn = np.concatenate([sess.run(taken) for _ in range(6)])
    print(drawn.shape, drawn.min() >= 0, drawn.max() <= 9)
    coord.request_stop()
    sess.run(shuffled.close(cancel_pending_enqueues=True))
    coord.join(threads)

    sess.run(put)
    print(sorted(sess.run(rows).tolist()))
    sess.run(put_first)
    print(sess.run(in_order))
    print(sess.run(padded.size()), sess.run(queue.is_closed()))
