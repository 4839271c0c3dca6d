"""Images in graphs: decoding, distortions, boxes, filters; an image is optimized by a SciPy minimizer."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
picture = (rng.rand(12, 16, 3) * 255).astype(np.uint8)
with tf.Session() as sess:
    png, jpeg = sess.run([tf.image.encode_png(picture), tf.image.encode_jpeg(picture, quality=95)])

content = tf.placeholder(tf.string, [])
decoded = tf.image.decode_png(content, channels=3)
decoded.set_shape([12, 16, 3])
any_image = tf.image.decode_image(jpeg, channels=3)
floats = tf.image.convert_image_dtype(decoded, tf.float32)
small = tf.image.resize_images(floats, [6, 8])
nearest = tf.image.resize_images(floats, [6, 8], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR)
cropped = tf.image.resize_image_with_crop_or_pad(decoded, 10, 20)
center = tf.image.central_crop(floats, 0.5)
flipped = tf.image.flip_left_right(decoded)
standard = tf.image.per_image_standardization(floats)
distorted = tf.random_crop(floats, [8, 8, 3], seed=1)
distorted = tf.image.random_flip_left_right(distorted, seed=2)
distorted = tf.image.random_brightness(distorted, 0.2, seed=3)
distorted = tf.image.random_contrast(distorted, 0.5, 1.5, seed=4)
hsv = tf.image.rgb_to_hsv(floats)
boxes = tf.constant([[[0.1, 0.2, 0.5, 0.9]]])
drawn = tf.image.draw_bounding_boxes(floats[None], boxes)
crops = tf.image.crop_and_resize(floats[None], boxes[0], [0], [4, 4])
chosen = tf.image.non_max_suppression(
    [[0.0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]], [0.9, 0.8, 0.7], 3
)
begin, size, box = tf.image.sample_distorted_bounding_box(
    [12, 16, 3], boxes, seed=5, min_object_covered=0.1
)
patches = tf.extract_image_patches(floats[None], [1, 3, 3, 1], [1, 3, 3, 1], [1, 1, 1, 1], "VALID")
gray = tf.image.rgb_to_grayscale(floats)
sobel = tf.constant([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]])[:, :, None, None]
edges = tf.nn.conv2d(gray[None], sobel, [1, 1, 1, 1], "VALID")
up = tf.layers.conv2d_transpose(
    gray[None], 1, 4, strides=2, padding="same", kernel_initializer=tf.ones_initializer()
)
depthwise = tf.nn.depthwise_conv2d(floats[None], tf.ones([2, 2, 3, 1]), [1, 1, 1, 1], "VALID")
dilated = tf.nn.convolution(gray[None], tf.ones([2, 2, 1, 1]), "VALID", dilation_rate=[2, 2])
variation = tf.image.total_variation(floats)
print(
    any_image.get_shape(),
    small.get_shape(),
    patches.get_shape(),
    up.get_shape(),
    distorted.get_shape(),
)

canvas = tf.Variable(tf.zeros([4, 4]), name="canvas")
target = tf.constant(np.outer(np.arange(4.0), np.ones(4)).astype(np.float32))
loss = tf.reduce_sum(tf.squared_difference(canvas, target)) + 0.1 * tf.nn.l2_loss(canvas)
minimizer = tf.contrib.opt.ScipyOptimizerInterface(loss, method="L-BFGS-B", options={"maxiter": 50})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {content: png}
    assert (sess.run(decoded, feed) == picture).all() and sess.run(any_image).shape == (12, 16, 3)
    for name, fetch in (
        ("small", small),
        ("nearest", nearest),
        ("standard", standard),
        ("hsv", hsv),
        ("center", center),
    ):
        value = sess.run(fetch, feed)
        print(name, value.shape, "%.4f %.4f" % (value.mean(), value.std()))
    print(
        sess.run([cropped, flipped], feed)[0].shape,
        sess.run(distorted, feed).shape,
        sess.run(chosen),
    )
    for name, fetch in (
        ("crops", crops),
        ("patches", patches),
        ("edges", edges),
        ("depthwise", depthwise),
        ("dilated", dilated),
    ):
        value = sess.run(fetch, feed)
        print(name, value.shape, "%.4f" % value.mean())
    sess.run(tf.global_variables_initializer())
    print(
        "%.3f %.3f" % (sess.run(variation, feed), sess.run(up, feed).mean()),
        sess.run(drawn, feed).shape,
        sess.run(size).shape,
    )
    minimizer.minimize(sess)
    print("%.4f" % sess.run(loss), np.round(canvas.eval()[:, 0], 3))
