"""Queues, in graphs and eagerly, and the threads that fill them."""

import concurrent.futures

import numpy as np
import pytest

import eagerflow

tf = eagerflow.compat.v1


def test_order():
    queue = tf.FIFOQueue(10, [tf.int32, tf.string], shapes=[[], []])
    queue.enqueue([1, "a"])
    queue.enqueue_many([[2, 3], ["b", "c"]])
    assert queue.size().numpy() == 3
    number, text = queue.dequeue()
    assert (number.numpy(), text.numpy()) == (1, b"a")
    numbers, texts = queue.dequeue_many(2)
    assert numbers.numpy().tolist() == [2, 3] and texts.numpy().tolist() == [b"b", b"c"]


def test_the_end():
    queue = eagerflow.queue.FIFOQueue(4, tf.float32, shapes=[[2]], names=["x"])
    queue.enqueue({"x": [1.0, 2.0]})
    queue.close()
    assert queue.is_closed().numpy()
    with pytest.raises(tf.errors.CancelledError, match="is closed"):
        queue.enqueue({"x": [1.0, 2.0]})
    assert queue.dequeue_up_to(5)["x"].shape == (1, 2)
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
        queue.dequeue()


def test_priorities_and_padding():
    queue = tf.PriorityQueue(10, tf.string, shapes=[[]])
    for priority, text in ((3, "c"), (1, "a"), (2, "b"), (1, "d")):
        queue.enqueue([np.int64(priority), text])
    assert [queue.dequeue()[1].numpy() for _ in range(4)] == [b"a", b"d", b"b", b"c"]
    queue = tf.PaddingFIFOQueue(10, tf.int32, [[None]])
    queue.enqueue([[1, 2, 3]])
    queue.enqueue([[4]])
    assert queue.dequeue_many(2).numpy().tolist() == [[1, 2, 3], [4, 0, 0]]


def test_random_order():
    queue = tf.RandomShuffleQueue(100, 0, tf.int32, shapes=[[]], seed=3)
    queue.enqueue_many([list(range(50))])
    found = queue.dequeue_many(50).numpy().tolist()
    assert sorted(found) == list(range(50)) != found


def test_bad_elements():
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[2]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
        queue.enqueue([[1, 2, 3]])
    with pytest.raises(ValueError, match="Unexpected number of components"):
        queue.enqueue([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="unknown"):
        tf.FIFOQueue(10, tf.int32).dequeue_many(2)
    with pytest.raises(ValueError, match="same length as dtypes"):
        tf.FIFOQueue(10, [tf.int32, tf.int32], shapes=[[2]])


def test_each_session_has_its_own_elements():
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(10, tf.int32, shapes=[[]])
        put, taken, size = queue.enqueue([7]), queue.dequeue(), queue.size()
        with tf.Session() as one, tf.Session() as other:
            one.run(put)
            assert (one.run(size), other.run(size)) == (1, 0)
            assert one.run(taken) == 7


def test_threads_fill_a_queue():
    with tf.Graph().as_default():
        names = tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False)
        batch = tf.train.batch([names.dequeue()], batch_size=4, allow_smaller_final_batch=True)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            found = []
            with pytest.raises(tf.errors.OutOfRangeError):
                while not coordinator.should_stop():
                    found.append(session.run(batch)[0].tolist())
            coordinator.request_stop()
            coordinator.join(threads)
    assert found == [[b"a", b"b", b"c", b"a"], [b"b", b"c"]]


def test_slices_and_mixed_batches():
    values = np.arange(20, dtype=np.float32).reshape(10, 2)
    with tf.Graph().as_default():
        row, label = tf.train.slice_input_producer([values, np.arange(10)], num_epochs=1, seed=1)
        rows, labels = tf.train.shuffle_batch([row, label], 5, 100, 5, num_threads=2)
        assert rows.shape.as_list() == [5, 2]
        seen = []
        with tf.train.MonitoredSession() as session:
            while not session.should_stop():
                found, numbers = session.run([rows, labels])
                np.testing.assert_array_equal(found, values[numbers])
                seen.extend(numbers.tolist())
    assert sorted(seen) == list(range(10))


def test_an_error_in_a_thread_is_raised_by_join():
    def fail(x):
        raise ValueError("broken example")

    with tf.Graph().as_default():
        queue = tf.train.range_input_producer(3, shuffle=False)
        example = tf.py_func(fail, [queue.dequeue()], tf.float32)
        example.set_shape([])
        tf.train.batch([example], 2)
        with tf.Session() as session:
            coordinator = tf.train.Coordinator()
            tf.train.start_queue_runners(session, coordinator)
            with pytest.raises(tf.errors.OpError, match="broken example"):
                coordinator.join()


def test_closing_a_session_lets_threads_go():
    with tf.Graph().as_default():
        queue = tf.train.range_input_producer(3)
        batch = tf.train.batch([queue.dequeue()], 2)
        session = tf.Session()
        threads = tf.train.start_queue_runners(session)
        assert session.run(batch)[0].shape == (2,)
        session.close()
        for thread in threads:
            thread.join(20)
        assert not any(thread.is_alive() for thread in threads)


def test_a_session_that_is_closed_during_a_run_lets_it_go():
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(3, tf.float32, shapes=[[]])
        session = tf.Session()
        closed = tf.py_func(lambda: session.close() or np.float32(1), [], tf.float32)
        with tf.control_dependencies([closed]):
            element = queue.dequeue()
        with pytest.raises((tf.errors.OutOfRangeError, tf.errors.CancelledError)):
            session.run(element)


def test_producers_need_graphs():
    with pytest.raises(RuntimeError, match="tf.data"):
        tf.train.string_input_producer(["a"])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="non-null"):
        tf.train.string_input_producer([])


def test_readers_take_files_from_a_queue(tmp_path):
    for name, text in (("a.csv", "x,y\n1,2\n3,4\n"), ("b.csv", "x,y\n5,6\n")):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    with tf.Graph().as_default():
        reader = tf.TextLineReader(skip_header_lines=1)
        names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        key, line = reader.read(names)
        row = tf.decode_csv(line, [[0], [0]])
        seen = []
        with tf.train.MonitoredSession() as session:
            while not session.should_stop():
                found = session.run([key, *row])
                seen.append((found[0].decode().rpartition("/")[2], *map(int, found[1:3])))
    assert seen == [("a.csv:2", 1, 2), ("a.csv:3", 3, 4), ("b.csv:2", 5, 6)]


def test_threads_share_a_reader(tmp_path):
    for part in range(4):
        lines = range(100 * part, 100 * part + 100)
        (tmp_path / f"{part}.txt").write_text("".join(f"{line}\n" for line in lines))
    with tf.Graph().as_default():
        # A local variable holds the names.
        files = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
        queue = tf.train.string_input_producer(files, num_epochs=1)
        reader = tf.TextLineReader()
        one, seven = reader.read(queue)[1], reader.read_up_to(queue, 7)[1]
        counts = [reader.num_records_produced(), reader.num_work_units_completed()]
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            runners = tf.train.start_queue_runners(session, coordinator)

            def read(several):
                found = []
                try:
                    while True:
                        found.extend(session.run(seven) if several else [session.run(one)])
                except tf.errors.OutOfRangeError:
                    return found

            with concurrent.futures.ThreadPoolExecutor(6) as pool:
                found = [int(line) for part in pool.map(read, [True, False] * 3) for line in part]
            assert sorted(found) == list(range(400))
            assert session.run(counts) == [400, 4]
            coordinator.request_stop()
            coordinator.join(runners)


def test_whole_files_and_pieces(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"HHabcdefF")
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(4, tf.string, shapes=[[]])
        whole = tf.WholeFileReader().read(queue)[1]
        pieces = tf.FixedLengthRecordReader(2, header_bytes=2, footer_bytes=1)
        piece = pieces.read(queue)[1]
        session.run(queue.enqueue_many([[str(path)] * 2]))
        assert session.run(whole) == b"HHabcdefF"
        assert [session.run(piece) for _ in range(3)] == [b"ab", b"cd", b"ef"]
        assert session.run(pieces.num_work_units_completed()) == 0
        several = tf.FixedLengthRecordReader(2, header_bytes=2, footer_bytes=1)
        keys, values = several.read_up_to(queue, 2)
        assert values.shape.as_list() == [None]
        session.run(queue.enqueue_many([[str(path)] * 2]))
        found = [session.run([keys, values]) for _ in range(3)]
        assert [list(values) for _, values in found] == [[b"ab", b"cd"], [b"ef"], [b"ab", b"cd"]]
        assert found[1][0][0].endswith(b"data:2")
        assert session.run(several.num_records_produced()) == 5
    with pytest.raises(RuntimeError, match="tf.data"):
        tf.TextLineReader()


def test_examples_and_images_are_decoded_in_graphs(tmp_path):
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[4, 5]))
    example = tf.train.Example(features=tf.train.Features(feature={"n": feature}))
    pixels = eagerflow.image.convert_image_dtype(np.zeros((3, 2, 1), np.float32), tf.uint8)
    png = eagerflow.io.encode_png(pixels).numpy()
    with tf.Graph().as_default(), tf.Session() as session:
        text = tf.placeholder(tf.string, [])
        parsed = tf.parse_single_example(text, {"n": tf.FixedLenFeature([2], tf.int64)})
        assert parsed["n"].shape.as_list() == [2]
        picture = tf.image.decode_png(text, channels=1)
        assert picture.shape.as_list() == [None, None, 1]
        numbers = tf.decode_raw(text, tf.uint8)
        assert session.run(parsed, {text: example.SerializeToString()})["n"].tolist() == [4, 5]
        assert session.run(picture, {text: png}).shape == (3, 2, 1)
        assert session.run(numbers, {text: b"\1\2"}).tolist() == [1, 2]


def test_messages_of_unknown_rank():
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.extend([1.0, 2.0])
    example.features.feature["v"].int64_list.value.append(7)
    data = example.SerializeToString()
    features = {"x": tf.FixedLenFeature([2], tf.float32), "v": tf.VarLenFeature(tf.int64)}
    with tf.Graph().as_default(), tf.Session() as session:
        text = tf.placeholder(tf.string)
        one, many = tf.parse_single_example(text, features), tf.parse_example(text, features)
        assert one["x"].shape == [2] and one["v"].shape.rank == 1
        assert many["x"].shape.rank is None and many["v"].dense_shape.shape.rank == 1
        assert session.run(one["x"], {text: data}).tolist() == [1.0, 2.0]
        assert session.run(many["x"], {text: [data] * 2}).tolist() == [[1.0, 2.0]] * 2
        assert session.run(many["v"], {text: [data] * 2}).dense_shape.tolist() == [2, 1]
        with pytest.raises(ValueError, match="must be known"):
            tf.parse_example(text, {"r": eagerflow.io.RaggedFeature(tf.int64)})
        png = tf.image.encode_png(np.full([1, 1, 1], 300, np.uint16))
        pixels = tf.image.decode_png(png, 1, tf.uint16)
        assert pixels.dtype == tf.uint16 and session.run(pixels).tolist() == [[[300]]]


def test_examples_that_are_kept():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.train.range_input_producer(8, shuffle=False, num_epochs=1).dequeue()
        pairs = tf.train.maybe_batch([x, x * 2], tf.equal(x % 2, 0), 2)
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert [part.tolist() for part in session.run(pairs)] == [[0, 2], [0, 4]]
        assert [part.tolist() for part in session.run(pairs)] == [[4, 6], [8, 12]]
        coordinator.request_stop()
        coordinator.join(threads)
    with tf.Graph().as_default(), tf.Session() as session:
        kept = tf.constant([True, False, True])
        rows = tf.train.maybe_shuffle_batch(
            [tf.constant([3, 4, 5])], 4, 20, 0, kept, enqueue_many=True
        )
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert set(session.run(rows)[0].tolist()) <= {3, 5}
        coordinator.request_stop()
        coordinator.join(threads)
        with pytest.raises(ValueError, match="keep_input"):
            tf.train.maybe_batch([tf.constant([1])], kept, 2)
    with pytest.raises(RuntimeError, match="tf.data"):
        tf.train.maybe_batch([1], True, 2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.FIFOQueue(3, tf.int32, shapes=[[]]),
        lambda: tf.RandomShuffleQueue(4, 1, tf.int32, shapes=[[]], seed=1),
        lambda: tf.PriorityQueue(3, [], []),
    ],
    ids=["first", "shuffled", "priority"],
)
def test_more_can_be_asked_for_than_there_is_room_for(make):
    values = list(range(11))
    with tf.Graph().as_default(), tf.Session() as session:
        queue = make()
        rows = queue.enqueue_many([np.array(values, queue.dtypes[0].as_numpy_dtype)])
        coordinator = tf.train.Coordinator()
        runner = tf.train.QueueRunner(queue, [rows])
        batch = queue.dequeue_many(8)
        threads = runner.create_threads(session, coordinator, start=True)
        found = np.asarray(session.run(batch)).ravel().tolist()
        assert len(found) == 8 and set(found) <= set(values)
        coordinator.request_stop()
        coordinator.join(threads)


def test_what_is_not_enough_stays_in_the_queue():
    queue = eagerflow.queue.FIFOQueue(2, tf.int32, shapes=[[]])
    queue.enqueue_many([[1, 2]])
    queue.close()
    with pytest.raises(tf.errors.OutOfRangeError, match="requested 5, current size 2"):
        queue.dequeue_many(5)
    assert queue.dequeue_many(2).numpy().tolist() == [1, 2]


def test_sizes_are_known_where_nothing_is_padded():
    kinds = {
        "fully defined": [
            lambda shapes: tf.FIFOQueue(2, tf.int32, shapes),
            lambda shapes: tf.RandomShuffleQueue(2, 1, tf.int32, shapes),
            lambda shapes: tf.PriorityQueue(2, [tf.int32], shapes),
        ],
        "defined rank": [lambda shapes: tf.PaddingFIFOQueue(2, tf.int32, shapes)],
    }
    for message, makers in kinds.items():
        for make in makers:
            make([[2]])
            with pytest.raises(ValueError, match=message):
                make([tf.TensorShape(None)])
            if message == "fully defined":
                with pytest.raises(ValueError, match=message):
                    make([[None, 2]])
    assert tf.PaddingFIFOQueue(2, tf.int32, [[None, 2]]).shapes[0].as_list() == [None, 2]
