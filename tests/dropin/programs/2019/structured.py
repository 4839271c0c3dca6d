"""Feature columns with Keras, schedules, and the experimental models of 2.0."""

import random

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_wine

random.seed(1)  # of which Keras makes the seeds of first weights

wine = load_wine()
rng = np.random.RandomState(0)
order = rng.permutation(178)
frame = {
    n.replace("/", "_"): wine.data[order, i].astype("float32")
    for i, n in enumerate(wine.feature_names[:5])
}
frame["kind"] = np.array(["red", "white", "rose"])[rng.randint(0, 3, 178)]
target = (wine.target[order] == 0).astype("float32")


def df_to_dataset(rows, shuffle=True, batch_size=32):
    data = {k: v[rows] for k, v in frame.items()}
    ds = tf.data.Dataset.from_tensor_slices((data, target[rows]))
    return (ds.shuffle(200, seed=1) if shuffle else ds).batch(batch_size)


train_ds, val_ds = df_to_dataset(slice(0, 140)), df_to_dataset(slice(140, 178), shuffle=False)
columns = []
for header in ("alcohol", "malic_acid", "ash", "magnesium"):
    mean, std = frame[header].mean(), frame[header].std()
    columns.append(
        tf.feature_column.numeric_column(header, normalizer_fn=lambda x, m=mean, s=std: (x - m) / s)
    )
bucket = tf.feature_column.bucketized_column(
    tf.feature_column.numeric_column("alcohol"), [12.0, 12.8, 13.5]
)
kind = tf.feature_column.categorical_column_with_vocabulary_list("kind", ["red", "white", "rose"])
columns += [
    bucket,
    tf.feature_column.indicator_column(kind),
    tf.feature_column.embedding_column(kind, dimension=2),
    tf.feature_column.indicator_column(
        tf.feature_column.crossed_column([bucket, kind], hash_bucket_size=20)
    ),
]
feature_layer = tf.keras.layers.DenseFeatures(columns)
print(feature_layer(next(iter(train_ds))[0]).shape)
model = tf.keras.Sequential(
    [
        feature_layer,
        tf.keras.layers.Dense(16, activation="relu"),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(
    optimizer=tf.keras.optimizers.Adam(0.02),
    loss="binary_crossentropy",
    metrics=["accuracy", tf.keras.metrics.AUC(name="auc")],
)
history = model.fit(train_ds, validation_data=val_ds, epochs=12, verbose=0)
loss, accuracy, auc = model.evaluate(val_ds, verbose=0)
print(sorted(history.history), "good: %s" % (accuracy > 0.85))
assert accuracy > 0.8, accuracy

decayed = tf.keras.experimental.CosineDecay(0.1, 10)
restarts = tf.keras.experimental.CosineDecayRestarts(0.1, 5)
print([round(float(s(k)), 5) for s in (decayed, restarts) for k in (0, 3, 7)])
x = rng.randn(100, 3).astype("float32")
y = x.sum(1, keepdims=True) + np.maximum(x[:, :1], 0)
linear = tf.keras.experimental.LinearModel()
dnn = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
wide_deep = tf.keras.experimental.WideDeepModel(linear, dnn)
wide_deep.compile(optimizer=["sgd", "adam"], loss="mse", metrics=["mse"])
fitted = wide_deep.fit([x, x], y, epochs=15, verbose=0)
print("falls: %s" % (fitted.history["loss"][-1] < 0.3 * fitted.history["loss"][0]))
