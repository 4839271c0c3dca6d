"""What programs for PyTorch, NumPy, JAX and scikit-learn write, and what to write here instead.

Errors of names that do not exist here have these lines (`eagerflow/util/hints.py`), and
`docs/from_pytorch.md` shows them (`tools/habits_page.py`). Each line has a name, what is written there and
what is written here, and some are followed by a remark. `tests/util/test_habits.py` runs the latter.
"""

from __future__ import annotations

from typing import NamedTuple


class Habit(NamedTuple):
    """One name of another package.

    Attributes:
        theirs: an expression with the name, as programs for the other package have it.
        ours: an expression of this package that computes the same.
        remark: what else there is to know.
    """

    theirs: str
    ours: str
    remark: str = ""


def _habits(lines: str) -> dict[str, Habit]:
    """The habits of lines `name | theirs | ours`, with remarks in indented lines below some."""
    found: dict[str, Habit] = {}
    name = ""
    for line in lines.strip().splitlines():
        if line.startswith(" "):
            found[name] = found[name]._replace(remark=line.strip())
        else:
            name, theirs, ours = line.split(" | ")
            found[name] = Habit(theirs, ours)
    return found


# Attributes and methods of tensors and variables.
TENSOR = _habits("""
__setitem__ | x[0] = row | x.at[0].set(row)
    Tensors do not change; variables have v[0].assign(row).
sum | x.sum(1) | tf.reduce_sum(x, 1)
mean | x.mean(1) | tf.reduce_mean(x, 1)
max | x.max(1) | tf.reduce_max(x, 1)
min | x.min(1) | tf.reduce_min(x, 1)
amax | x.amax(1) | tf.reduce_max(x, 1)
amin | x.amin(1) | tf.reduce_min(x, 1)
prod | x.prod(1) | tf.reduce_prod(x, 1)
std | x.std(1) | tf.math.reduce_std(x, 1)
    It divides by n, as NumPy does; PyTorch divides by n - 1.
var | x.var(1) | tf.math.reduce_variance(x, 1)
    It divides by n, as NumPy does; PyTorch divides by n - 1.
all | mask.all(1) | tf.reduce_all(mask, 1)
any | mask.any(1) | tf.reduce_any(mask, 1)
norm | x.norm() | tf.norm(x)
logsumexp | x.logsumexp(1) | tf.reduce_logsumexp(x, 1)
argmax | x.argmax(1) | tf.argmax(x, 1)
argmin | x.argmin(1) | tf.argmin(x, 1)
argsort | x.argsort(1) | tf.argsort(x, 1)
sort | x.sort(1) | tf.sort(x, 1)
topk | x.topk(2) | tf.math.top_k(x, 2)
unique | x.unique() | tf.unique(tf.reshape(x, [-1])).y
nonzero | x.nonzero() | tf.where(x)
cumsum | x.cumsum(1) | tf.cumsum(x, 1)
cumprod | x.cumprod(1) | tf.math.cumprod(x, 1)
abs | x.abs() | tf.abs(x)
neg | x.neg() | -x
sqrt | x.sqrt() | tf.sqrt(x)
rsqrt | x.rsqrt() | tf.math.rsqrt(x)
square | x.square() | tf.square(x)
exp | x.exp() | tf.exp(x)
log | x.log() | tf.math.log(x)
sin | x.sin() | tf.sin(x)
cos | x.cos() | tf.cos(x)
tanh | x.tanh() | tf.tanh(x)
sigmoid | x.sigmoid() | tf.sigmoid(x)
relu | x.relu() | tf.nn.relu(x)
softmax | x.softmax(1) | tf.nn.softmax(x, 1)
log_softmax | x.log_softmax(1) | tf.nn.log_softmax(x, 1)
round | x.round() | tf.round(x)
floor | x.floor() | tf.floor(x)
ceil | x.ceil() | tf.math.ceil(x)
clip | x.clip(0, 2) | tf.clip_by_value(x, 0, 2)
clamp | x.clamp(0, 2) | tf.clip_by_value(x, 0, 2)
isnan | x.isnan() | tf.math.is_nan(x)
isfinite | x.isfinite() | tf.math.is_finite(x)
conj | x.conj() | tf.math.conj(x)
real | x.real | tf.math.real(x)
imag | x.imag | tf.math.imag(x)
add | x.add(y) | x + y
sub | x.sub(y) | x - y
mul | x.mul(y) | x * y
div | x.div(y) | x / y
pow | x.pow(2) | x ** 2
eq | x.eq(y) | x == y
lt | x.lt(y) | x < y
gt | x.gt(y) | x > y
matmul | x.matmul(x.t()) | x @ tf.transpose(x)
mm | x.mm(x.t()) | tf.matmul(x, x, transpose_b=True)
bmm | batch.bmm(batch) | tf.matmul(batch, batch)
dot | x.dot(x.T) | tf.tensordot(x, tf.transpose(x), 1)
t | x.t() | tf.transpose(x)
T | x.T | tf.transpose(x)
mT | x.mT | tf.linalg.matrix_transpose(x)
transpose | x.transpose(1, 0) | tf.transpose(x, [1, 0])
permute | x.permute(1, 0) | tf.transpose(x, [1, 0])
swapaxes | x.swapaxes(0, 1) | tf.experimental.numpy.swapaxes(x, 0, 1)
view | x.view(-1, 2) | tf.reshape(x, [-1, 2])
view_as | x.view_as(y) | tf.reshape(x, y.shape)
reshape | x.reshape(-1, 2) | tf.reshape(x, [-1, 2])
flatten | x.flatten() | tf.reshape(x, [-1])
ravel | x.ravel() | tf.reshape(x, [-1])
unsqueeze | x.unsqueeze(0) | tf.expand_dims(x, 0)
squeeze | x.squeeze() | tf.squeeze(x)
expand | row.expand(2, 3) | tf.broadcast_to(row, [2, 3])
expand_as | row.expand_as(x) | tf.broadcast_to(row, x.shape)
repeat | row.repeat(2) | tf.repeat(row, 2)
    This is NumPy's; PyTorch's is tf.tile(row, [2]).
repeat_interleave | row.repeat_interleave(2) | tf.repeat(row, 2)
tile | row.tile(2) | tf.tile(row, [2])
roll | row.roll(1) | tf.roll(row, 1, 0)
flip | row.flip(0) | tf.reverse(row, [0])
chunk | row.chunk(3) | tf.split(row, 3)
split | row.split(1) | tf.split(row, 3)
    The number is that of the parts, not their size.
unbind | x.unbind(0) | tf.unstack(x, axis=0)
gather | x.gather(1, index) | tf.gather(x, index, axis=1, batch_dims=1)
take | row.take(columns) | tf.gather(row, columns)
index_select | x.index_select(0, columns) | tf.gather(x, columns, axis=0)
masked_fill | x.masked_fill(mask, 0.0) | tf.where(mask, 0.0, x)
masked_select | x.masked_select(mask) | tf.boolean_mask(x, mask)
scatter | x.scatter(0, index, row) | x.at[0].set(row)
    The indices are those of rows.
scatter_add | x.scatter_add(0, index, row) | tf.tensor_scatter_nd_add(x, [[0]], [row])
    The indices are those of rows.
where | x.where(mask, 0.0) | tf.where(mask, x, 0.0)
tril | x.tril() | tf.linalg.band_part(x, -1, 0)
triu | x.triu() | tf.linalg.band_part(x, 0, -1)
diag | x.diag() | tf.linalg.diag_part(x)
diagonal | x.diagonal() | tf.linalg.diag_part(x)
trace | x.trace() | tf.linalg.trace(x)
inverse | square.inverse() | tf.linalg.inv(square)
det | square.det() | tf.linalg.det(square)
add_ | v.add_(x) | v.assign_add(x)
    Tensors do not change; variables do: v.assign, v.assign_add, v.assign_sub.
sub_ | v.sub_(x) | v.assign_sub(x)
    Tensors do not change; variables do: v.assign, v.assign_add, v.assign_sub.
mul_ | v.mul_(2.0) | v.assign(v * 2.0)
    Tensors do not change; variables do.
copy_ | v.copy_(x) | v.assign(x)
    Tensors do not change; variables do.
fill_ | v.fill_(2.0) | v.assign(tf.fill(v.shape, 2.0))
    Tensors do not change; variables do.
zero_ | v.zero_() | v.assign(tf.zeros_like(v))
    Tensors do not change; variables do.
fill | v.fill(2.0) | v.assign(tf.fill(v.shape, 2.0))
    Tensors do not change; variables do.
item | scalar.item() | scalar.numpy().item()
    Or float(scalar), int(scalar).
tolist | x.tolist() | x.numpy().tolist()
tobytes | x.tobytes() | x.numpy().tobytes()
detach | x.detach() | tf.stop_gradient(x)
clone | x.clone() | tf.identity(x)
copy | x.copy() | tf.identity(x)
contiguous | x.contiguous() | x
    Tensors always are contiguous.
is_contiguous | x.is_contiguous() | True
    Tensors always are contiguous.
data | x.data | tf.stop_gradient(x)
backward | loss.backward() | tape.gradient(loss, variables)
    The block `with tf.GradientTape() as tape:` computes the loss.
grad | v.grad | tape.gradient(loss, v)
    Gradients are returned, not stored.
grad_fn | loss.grad_fn | eagerflow.debug.show_tape(tape)
    The block `with eagerflow.debug.trace(), tf.GradientTape() as tape:` computes the loss.
requires_grad | v.requires_grad | v.trainable
    Tapes watch trainable variables by themselves, and a tensor after tape.watch(x).
requires_grad_ | x.requires_grad_() | tape.watch(x)
    Tapes watch trainable variables by themselves.
retain_grad | x.retain_grad() | tape.gradient(loss, x)
register_hook | x.register_hook(lambda g: 2 * g) | tf.custom_gradient(lambda x: (x, lambda g: 2 * g))(x)
is_leaf | v.is_leaf | isinstance(v, tf.Variable)
to | x.to(torch.float64) | tf.cast(x, tf.float64)
    Devices are chosen by `with tf.device("GPU:0"):`; a GPU is used without it.
cuda | x.cuda() | tf.identity(x)
    A GPU is used where there is one; `with tf.device("GPU:0"):` chooses.
is_cuda | x.is_cuda | "GPU" in x.device
block_until_ready | x.block_until_ready() | x.numpy()
type | x.type(torch.int32) | tf.cast(x, tf.int32)
type_as | x.type_as(y) | tf.cast(x, y.dtype)
astype | x.astype("int32") | tf.cast(x, "int32")
float | x.float() | tf.cast(x, tf.float32)
double | x.double() | tf.cast(x, tf.float64)
half | x.half() | tf.cast(x, tf.float16)
bfloat16 | x.bfloat16() | tf.cast(x, tf.bfloat16)
int | x.int() | tf.cast(x, tf.int32)
long | x.long() | tf.cast(x, tf.int64)
bool | x.bool() | tf.cast(x, tf.bool)
is_floating_point | x.is_floating_point() | x.dtype.is_floating
size | x.size(0) | x.shape[0]
    The number of elements is tf.size(x).
numel | x.numel() | x.shape.num_elements()
    Or tf.size(x), a tensor.
nelement | x.nelement() | x.shape.num_elements()
    Or tf.size(x), a tensor.
dim | x.dim() | x.shape.rank
ndimension | x.ndimension() | x.shape.rank
stride | x.stride() | x.numpy().strides
strides | x.strides | x.numpy().strides
nbytes | x.nbytes | x.numpy().nbytes
itemsize | x.itemsize | x.dtype.size
element_size | x.element_size() | x.dtype.size
new_zeros | x.new_zeros(2) | tf.zeros([2], x.dtype)
new_ones | x.new_ones(2) | tf.ones([2], x.dtype)
new_tensor | x.new_tensor([1.0]) | tf.constant([1.0], x.dtype)
""")

# What variables have and tensors lack.
VARIABLE = _habits("""
__setitem__ | v[0] = row | v[0].assign(row)
""")

# Those of `tf.Module`, and of layers and models, which are modules.
MODULE = _habits("""
parameters | model.parameters() | model.trainable_variables
named_parameters | model.named_parameters() | [(v.name, v) for v in model.trainable_variables]
buffers | model.buffers() | model.non_trainable_variables
children | model.children() | model.submodules
modules | model.modules() | model.submodules
named_modules | model.named_modules() | [(m.name, m) for m in model.submodules]
named_children | model.named_children() | [(m.name, m) for m in model.submodules]
zero_grad | model.zero_grad() | tape.gradient(loss, model.trainable_variables)
    Gradients do not add up: nothing has to be reset.
forward | model.forward(x) | model(x)
to | model.to("cuda") | model(x)
    A GPU is used where there is one; `with tf.device("GPU:0"):` chooses.
cuda | model.cuda() | model(x)
    A GPU is used where there is one; `with tf.device("GPU:0"):` chooses.
cpu | model.cpu() | model(x)
    `with tf.device("CPU:0"):` chooses the device.
""")

# Those of layers and models.
LAYER = _habits("""
train | model.train() | model(x, training=True)
eval | model.eval() | model(x, training=False)
    That is the default outside of `fit`.
state_dict | model.state_dict() | model.get_weights()
    Files are written by model.save_weights("m.weights.h5").
load_state_dict | model.load_state_dict(state) | model.set_weights(weights)
    Files are read by model.load_weights("m.weights.h5").
requires_grad_ | model.requires_grad_(False) | model.trainable = False
register_buffer | layer.register_buffer("n", x) | layer.add_weight(name="n", shape=[2], trainable=False)
register_parameter | layer.register_parameter("w", p) | layer.add_weight(name="w", shape=[2])
register_forward_hook | layer.register_forward_hook(f) | tf.keras.Model(model.input, model.layers[0].output)
    The model returns what a layer computes.
add_module | model.add_module("out", layer) | model.out = layer
weight | layer.weight | layer.kernel
in_features | layer.in_features | layer.kernel.shape[0]
out_features | layer.out_features | layer.units
half | model.half() | tf.keras.mixed_precision.set_global_policy("mixed_float16")
    It holds for layers made after it.
predict_proba | model.predict_proba(x) | model.predict(x)
score | model.score(x, y) | model.evaluate(x, y)
partial_fit | model.partial_fit(x, y) | model.train_on_batch(x, y)
""")

OPTIMIZER = _habits("""
step | optimizer.step() | optimizer.apply_gradients(zip(gradients, variables))
zero_grad | optimizer.zero_grad() | tape.gradient(loss, variables)
    Gradients do not add up: nothing has to be reset.
param_groups | optimizer.param_groups[0]["lr"] = 0.1 | optimizer.learning_rate.assign(0.1)
state_dict | optimizer.state_dict() | [v.numpy() for v in optimizer.variables]
    tf.train.Checkpoint(optimizer=optimizer) saves it.
load_state_dict | optimizer.load_state_dict(state) | tf.train.Checkpoint(optimizer=optimizer)
    Its `restore` reads a file.
""")

# Those of what `tf.function` returns.
FUNCTION = _habits("""
lower | f.lower(x) | f.get_concrete_function(x)
trace | f.trace(x) | f.get_concrete_function(x)
graph | f.graph | f.get_concrete_function(x).graph
code | f.code | tf.autograph.to_code(f.python_function)
eval_shape | f.eval_shape(x) | f.get_concrete_function(x).structured_outputs
""")

DATASET = _habits("""
head | dataset.head(2) | dataset.take(2)
shape | dataset.shape | dataset.element_spec
size | dataset.size | dataset.cardinality()
next | dataset.next() | next(iter(dataset))
dataset | loader.dataset | dataset
to | dataset.to("cuda") | dataset.prefetch(tf.data.AUTOTUNE)
    A GPU is used where there is one.
numpy | dataset.numpy() | list(dataset.as_numpy_iterator())
random_split | dataset.random_split([2, 2]) | (dataset.take(2), dataset.skip(2))
""")

TAPE = _habits("""
backward | tape.backward(loss) | tape.gradient(loss, variables)
grad | tape.grad(loss, variables) | tape.gradient(loss, variables)
""")

# Names of modules, as paths below `tf`.
NAMES = _habits("""
tensor | torch.tensor([1.0]) | tf.constant([1.0])
as_tensor | torch.as_tensor([1.0]) | tf.convert_to_tensor([1.0])
from_numpy | torch.from_numpy(array) | tf.constant(array)
    tf.experimental.dlpack does not copy.
array | np.array([1.0]) | tf.constant([1.0])
asarray | np.asarray([1.0]) | tf.convert_to_tensor([1.0])
ndarray | isinstance(x, np.ndarray) | isinstance(x, tf.Tensor)
arange | torch.arange(5) | tf.range(5)
full | torch.full([2], 7.0) | tf.fill([2], 7.0)
full_like | torch.full_like(x, 7.0) | tf.fill(x.shape, 7.0)
empty | torch.empty(2) | tf.zeros([2])
empty_like | torch.empty_like(x) | tf.zeros_like(x)
rand | torch.rand(2, 3) | tf.random.uniform([2, 3])
randn | torch.randn(2, 3) | tf.random.normal([2, 3])
randint | torch.randint(0, 10, [3]) | tf.random.uniform([3], 0, 10, tf.int32)
randperm | torch.randperm(5) | tf.random.shuffle(tf.range(5))
manual_seed | torch.manual_seed(0) | tf.random.set_seed(0)
no_grad | with torch.no_grad(): | with tape.stop_recording():
    Without a tape, nothing is recorded anyway.
inference_mode | with torch.inference_mode(): | with tape.stop_recording():
    Without a tape, nothing is recorded anyway.
enable_grad | with torch.enable_grad(): | tf.GradientTape()
set_grad_enabled | torch.set_grad_enabled(False) | with tape.stop_recording():
    Without a tape, nothing is recorded anyway.
grad | jax.grad(f)(scalar) | tf.func.grad(f)(scalar)
value_and_grad | jax.value_and_grad(f)(scalar) | tf.func.value_and_grad(f)(scalar)
jacobian | jax.jacobian(f)(x) | tf.func.jacrev(f)(x)
jacrev | jax.jacrev(f)(x) | tf.func.jacrev(f)(x)
jacfwd | jax.jacfwd(f)(x) | tf.func.jacfwd(f)(x)
jvp | jax.jvp(f, [x], [x]) | tf.func.jvp(f, (x,), (x,))
vjp | jax.vjp(f, x) | tf.func.vjp(f, x)
vmap | jax.vmap(f)(x) | tf.func.vmap(f)(x)
pmap | jax.pmap(f)(x) | tf.distribute.MirroredStrategy().run(f, [x])
jit | jax.jit(f) | tf.function(f)
compile | torch.compile(f) | tf.function(f)
lax | jax.lax.scan(f, init, xs) | tf.scan(lambda a, b: a + b, row)
    Loops are tf.while_loop or Python's, within tf.function.
cat | torch.cat([x, y], dim=1) | tf.concat([x, y], axis=1)
concatenate | np.concatenate([x, y], 1) | tf.concat([x, y], axis=1)
hstack | np.hstack([x, y]) | tf.concat([x, y], axis=1)
vstack | np.vstack([x, y]) | tf.concat([x, y], axis=0)
chunk | torch.chunk(row, 3) | tf.split(row, 3)
unbind | torch.unbind(x) | tf.unstack(x)
unsqueeze | torch.unsqueeze(x, 0) | tf.expand_dims(x, 0)
permute | torch.permute(x, [1, 0]) | tf.transpose(x, [1, 0])
flatten | torch.flatten(x) | tf.reshape(x, [-1])
ravel | np.ravel(x) | tf.reshape(x, [-1])
sum | torch.sum(x, 1) | tf.reduce_sum(x, 1)
mean | torch.mean(x, 1) | tf.reduce_mean(x, 1)
max | torch.max(x, 1) | tf.reduce_max(x, 1)
    Of two tensors: tf.maximum(x, y).
min | torch.min(x, 1) | tf.reduce_min(x, 1)
    Of two tensors: tf.minimum(x, y).
amax | np.amax(x, 1) | tf.reduce_max(x, 1)
amin | np.amin(x, 1) | tf.reduce_min(x, 1)
prod | torch.prod(x, 1) | tf.reduce_prod(x, 1)
std | np.std(x, 1) | tf.math.reduce_std(x, 1)
var | np.var(x, 1) | tf.math.reduce_variance(x, 1)
all | torch.all(mask) | tf.reduce_all(mask)
any | torch.any(mask) | tf.reduce_any(mask)
logsumexp | torch.logsumexp(x, 1) | tf.reduce_logsumexp(x, 1)
clip | np.clip(x, 0, 2) | tf.clip_by_value(x, 0, 2)
clamp | torch.clamp(x, 0, 2) | tf.clip_by_value(x, 0, 2)
power | np.power(x, 2) | tf.pow(x, 2)
mm | torch.mm(x, x.t()) | tf.matmul(x, x, transpose_b=True)
bmm | torch.bmm(batch, batch) | tf.matmul(batch, batch)
dot | np.dot(row, row) | tf.tensordot(row, row, 1)
inner | np.inner(row, row) | tf.tensordot(row, row, 1)
outer | torch.outer(row, row) | tf.tensordot(row, row, 0)
topk | torch.topk(x, 2) | tf.math.top_k(x, 2)
index_select | torch.index_select(x, 0, columns) | tf.gather(x, columns, axis=0)
take | np.take(row, columns) | tf.gather(row, columns)
masked_select | torch.masked_select(x, mask) | tf.boolean_mask(x, mask)
repeat_interleave | torch.repeat_interleave(row, 2) | tf.repeat(row, 2)
flip | torch.flip(row, [0]) | tf.reverse(row, [0])
isnan | torch.isnan(x) | tf.math.is_nan(x)
isinf | torch.isinf(x) | tf.math.is_inf(x)
isfinite | torch.isfinite(x) | tf.math.is_finite(x)
nonzero | torch.nonzero(x) | tf.where(x)
tril | torch.tril(x) | tf.linalg.band_part(x, -1, 0)
triu | torch.triu(x) | tf.linalg.band_part(x, 0, -1)
inverse | torch.inverse(square) | tf.linalg.inv(square)
relu | torch.relu(x) | tf.nn.relu(x)
softmax | torch.softmax(x, 1) | tf.nn.softmax(x, 1)
float | torch.float | tf.float32
long | torch.long | tf.int64
int | torch.int | tf.int32
float_ | np.float_ | tf.float64
pi | np.pi | math.pi
    It is of Python's module math.
inf | np.inf | math.inf
    It is of Python's module math.
nan | np.nan | math.nan
    It is of Python's module math.
numpy | jax.numpy | tf.experimental.numpy
cuda | torch.cuda.is_available() | bool(tf.config.list_physical_devices("GPU"))
save | torch.save(model.state_dict(), path) | model.save_weights(path)
    tf.train.Checkpoint saves other objects.
load | torch.load(path) | model.load_weights(path)
    tf.saved_model.load reads SavedModels.
optim | torch.optim.Adam(model.parameters()) | tf.keras.optimizers.Adam(0.001)
Adam | optim.Adam(model.parameters()) | tf.keras.optimizers.Adam(0.001)
SGD | optim.SGD(model.parameters(), 0.1) | tf.keras.optimizers.SGD(0.1)
utils | torch.utils.data.DataLoader(data) | tf.data.Dataset.from_tensor_slices(x).batch(2)
DataLoader | DataLoader(data, 2, True) | tf.data.Dataset.from_tensor_slices(x).shuffle(100).batch(2)
tree_map | jax.tree_map(f, xs) | tf.nest.map_structure(f, [x])
tree | jax.tree.map(f, xs) | tf.nest.map_structure(f, [x])
device_put | jax.device_put(x) | tf.identity(x)
    `with tf.device("GPU:0"):` chooses the device.
device_count | torch.cuda.device_count() | len(tf.config.list_physical_devices("GPU"))
random.PRNGKey | jax.random.PRNGKey(0) | tf.random.Generator.from_seed(0)
    Or tf.random.set_seed(0).
random.key | jax.random.key(0) | tf.random.Generator.from_seed(0)
    Or tf.random.set_seed(0).
random.seed | np.random.seed(0) | tf.random.set_seed(0)
random.manual_seed | torch.random.manual_seed(0) | tf.random.set_seed(0)
random.rand | np.random.rand(2, 3) | tf.random.uniform([2, 3])
random.randn | np.random.randn(2, 3) | tf.random.normal([2, 3])
random.random | np.random.random([2, 3]) | tf.random.uniform([2, 3])
random.randint | np.random.randint(0, 10, 3) | tf.random.uniform([3], 0, 10, tf.int32)
random.permutation | np.random.permutation(5) | tf.random.shuffle(tf.range(5))
random.choice | np.random.choice(row) | tf.random.shuffle(row)[0]
random.bernoulli | jax.random.bernoulli(key, 0.5, [3]) | tf.random.uniform([3]) < 0.5
random.default_rng | np.random.default_rng(0) | tf.random.Generator.from_seed(0)
nn.Module | class Net(nn.Module): | tf.keras.Model
    Its method is `call`, not `forward`. tf.Module is the bare minimum.
nn.Parameter | nn.Parameter(x) | tf.Variable(x)
nn.Sequential | nn.Sequential(a, b) | tf.keras.Sequential([tf.keras.layers.Dense(2)])
nn.ModuleList | nn.ModuleList([a, b]) | [tf.keras.layers.Dense(2)]
    Layers in lists of attributes are tracked.
nn.ModuleDict | nn.ModuleDict({"a": a}) | {"a": tf.keras.layers.Dense(2)}
    Layers in dictionaries of attributes are tracked.
nn.Linear | nn.Linear(4, 10) | tf.keras.layers.Dense(10)
    The first call determines the size of inputs.
nn.Dense | nn.Dense(10) | tf.keras.layers.Dense(10)
nn.Conv1d | nn.Conv1d(3, 16, 5) | tf.keras.layers.Conv1D(16, 5)
    Inputs are [batch, step, channel].
nn.Conv2d | nn.Conv2d(3, 16, 5) | tf.keras.layers.Conv2D(16, 5)
    Images are [batch, row, column, channel].
nn.Conv3d | nn.Conv3d(3, 16, 5) | tf.keras.layers.Conv3D(16, 5)
    Channels are the last axis.
nn.Conv | nn.Conv(16, [5, 5]) | tf.keras.layers.Conv2D(16, 5)
nn.ConvTranspose2d | nn.ConvTranspose2d(3, 16, 5) | tf.keras.layers.Conv2DTranspose(16, 5)
nn.MaxPool2d | nn.MaxPool2d(2) | tf.keras.layers.MaxPooling2D(2)
nn.AvgPool2d | nn.AvgPool2d(2) | tf.keras.layers.AveragePooling2D(2)
nn.AdaptiveAvgPool2d | nn.AdaptiveAvgPool2d(1) | tf.keras.layers.GlobalAveragePooling2D()
nn.BatchNorm1d | nn.BatchNorm1d(16) | tf.keras.layers.BatchNormalization()
nn.BatchNorm2d | nn.BatchNorm2d(16) | tf.keras.layers.BatchNormalization()
nn.LayerNorm | nn.LayerNorm(16) | tf.keras.layers.LayerNormalization()
nn.GroupNorm | nn.GroupNorm(4, 16) | tf.keras.layers.GroupNormalization(4)
nn.Dropout | nn.Dropout(0.5) | tf.keras.layers.Dropout(0.5)
nn.Embedding | nn.Embedding(100, 8) | tf.keras.layers.Embedding(100, 8)
nn.LSTM | nn.LSTM(4, 8) | tf.keras.layers.LSTM(8, return_sequences=True)
nn.GRU | nn.GRU(4, 8) | tf.keras.layers.GRU(8, return_sequences=True)
nn.RNN | nn.RNN(4, 8) | tf.keras.layers.SimpleRNN(8, return_sequences=True)
nn.MultiheadAttention | nn.MultiheadAttention(16, 4) | tf.keras.layers.MultiHeadAttention(4, 4)
nn.Flatten | nn.Flatten() | tf.keras.layers.Flatten()
nn.Upsample | nn.Upsample(scale_factor=2) | tf.keras.layers.UpSampling2D(2)
nn.ReLU | nn.ReLU() | tf.keras.layers.ReLU()
nn.GELU | nn.GELU() | tf.keras.layers.Activation("gelu")
nn.Sigmoid | nn.Sigmoid() | tf.keras.layers.Activation("sigmoid")
nn.Tanh | nn.Tanh() | tf.keras.layers.Activation("tanh")
nn.Softmax | nn.Softmax(-1) | tf.keras.layers.Softmax()
nn.LeakyReLU | nn.LeakyReLU(0.1) | tf.keras.layers.LeakyReLU(0.1)
nn.Identity | nn.Identity() | tf.keras.layers.Identity()
nn.CrossEntropyLoss | nn.CrossEntropyLoss() | tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
nn.NLLLoss | nn.NLLLoss() | tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    Its inputs are logits.
nn.BCELoss | nn.BCELoss() | tf.keras.losses.BinaryCrossentropy()
nn.BCEWithLogitsLoss | nn.BCEWithLogitsLoss() | tf.keras.losses.BinaryCrossentropy(from_logits=True)
nn.MSELoss | nn.MSELoss() | tf.keras.losses.MeanSquaredError()
nn.L1Loss | nn.L1Loss() | tf.keras.losses.MeanAbsoluteError()
nn.SmoothL1Loss | nn.SmoothL1Loss() | tf.keras.losses.Huber()
nn.HuberLoss | nn.HuberLoss() | tf.keras.losses.Huber()
nn.KLDivLoss | nn.KLDivLoss() | tf.keras.losses.KLDivergence()
nn.cross_entropy | F.cross_entropy(z, labels) | tf.nn.sparse_softmax_cross_entropy_with_logits(labels, z)
nn.mse_loss | F.mse_loss(x, y) | tf.reduce_mean((x - y) ** 2)
nn.functional | F.relu(x) | tf.nn.relu(x)
    Its functions are in tf.nn.
nn.one_hot | F.one_hot(labels, 3) | tf.one_hot(labels, 3)
nn.pad | F.pad(row, (1, 1)) | tf.pad(row, [[1, 1]])
nn.interpolate | F.interpolate(images, [8, 8]) | tf.image.resize(images, [8, 8])
nn.init | nn.init.xavier_uniform_(w) | tf.keras.initializers.GlorotUniform()
    Layers take it as kernel_initializer.
nn.utils | nn.utils.clip_grad_norm_(model.parameters(), 1.0) | tf.clip_by_global_norm(gradients, 1.0)
keras.layers.Linear | nn.Linear(4, 10) | tf.keras.layers.Dense(10)
    The first call determines the size of inputs.
keras.losses.CrossEntropyLoss | CrossEntropyLoss() | tf.keras.losses.CategoricalCrossentropy(from_logits=True)
keras.losses.MSELoss | nn.MSELoss() | tf.keras.losses.MeanSquaredError()
data.DataLoader | DataLoader(data, 2, True) | tf.data.Dataset.from_tensor_slices(x).shuffle(100).batch(2)
hub | hub.load(url) | tf.saved_model.load(folder)
    Download the model first; tf.keras.layers.TFSMLayer makes it a layer.
estimator | estimator.train(input_fn) | model.fit(x, y)
    TensorFlow has none. `pip install 'eagerflow[estimator]'` lets `python -m eagerflow` run them.
addons | tfa.optimizers.AdamW(1e-4) | tf.keras.optimizers.AdamW(weight_decay=1e-4)
    Its names have become names of tf.keras.
datasets | tfds.load("mnist") | tf.keras.datasets.mnist.load_data
    The package tensorflow_datasets has others, which tfds.as_numpy makes arrays.
""")

# Names of arguments, and what they are called here; of several, the one that the function has.
KEYWORDS = {
    "dim": "axis axes",
    "dims": "axis axes perm shape",
    "axes": "axis perm",
    "axis": "axes",
    "keepdim": "keepdims",
    "keep_dims": "keepdims",
    "bias": "use_bias",
    "in_features": "input_dim",
    "out_features": "units",
    "features": "units filters",
    "hidden_size": "units",
    "out_channels": "filters",
    "stride": "strides",
    "dilation": "dilation_rate dilations",
    "kernel": "kernel_size",
    "num_embeddings": "input_dim",
    "embedding_dim": "output_dim",
    "p": "rate",
    "eps": "epsilon",
    "negative_slope": "alpha",
    "elementwise_affine": "scale center",
    "affine": "scale center",
    "return_sequence": "return_sequences",
    "lr": "learning_rate",
    "betas": "beta_1",
    "wd": "weight_decay",
    "alpha": "rho learning_rate",
    "size": "shape",
    "low": "minval",
    "high": "maxval",
    "std": "stddev",
    "scale": "stddev",
    "loc": "mean",
    "fill_value": "value",
    "num_classes": "depth classes",
    "other": "y b",
    "input": "input_tensor x tensor a logits features input",
    "tensors": "values",
    "tensor": "value x",
    "repeats": "multiples repeats",
    "descending": "direction",
    "offset": "k",
    "epoch": "epochs",
    "num_epochs": "epochs",
    "n_epochs": "epochs",
    "nb_epoch": "epochs",
    "max_epochs": "epochs",
    "drop_last": "drop_remainder",
    "num_workers": "num_parallel_calls workers",
    "labels": "y y_true",
    "target": "y y_true labels",
    "criterion": "loss",
    "weight": "class_weight sample_weight",
    "weights": "loss_weights",
    "reduce": "reduction",
    "retain_graph": "persistent",
    "create_graph": "persistent",
    "has_aux": "auxiliary",
    "patience_epochs": "patience",
    "threshold": "min_delta",
    "gamma": "decay_rate",
    "step_size": "decay_steps",
}

# Arguments that need no counterpart.
SUPERFLUOUS = {
    "inplace": "tensors do not change: use the result",
    "out": "tensors do not change: use the result",
    "in_features": "the first call determines the size of inputs",
    "in_channels": "the first call determines the number of channels",
    "num_features": "the first call determines the size of inputs",
    "input_size": "the first call determines the size of inputs",
    "batch_first": "the first axis is the batch; time_major=True makes it the second",
    "requires_grad": "tf.Variable is watched by tapes, and tape.watch(x) watches a tensor",
    "device": 'use `with tf.device("GPU:0"):`',
    "pin_memory": "dataset.prefetch(tf.data.AUTOTUNE) overlaps reading with training",
    "memory_format": "tensors have one layout, with channels last",
    "params": "apply_gradients takes the variables",
    "static_argnums": "Python values of arguments are static without it",
    "static_argnames": "Python values of arguments are static without it",
    "fullgraph": "the whole function is traced",
    "order": "elements are stored row by row",
    "copy": "tensors do not change: none is needed",
    "where": "use tf.where or tf.boolean_mask on the argument",
}
