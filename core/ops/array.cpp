// Operations that change a tensor's shape, order its axes, or repeat it.
#include "ops/array.h"

#include <algorithm>
#include <bitset>
#include <limits>

#include "kernels/cpu/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

double move_cost(std::span<const Tensor>, const SpecList& outputs, AttrsRef) {
  return static_cast<double>(outputs[0].shape.num_elements()) *
         static_cast<double>(element_size(outputs[0].dtype)) / 8;
}

// The shape of a reshape if a size of the tensor or of the result is unknown.
Shape partly_reshaped(const Shape& from, const Ints& sizes, const char* op) {
  Shape shape(sizes);
  int unknown = -1;  // the last unknown size
  int unknowns = 0;
  bool given = false;  // whether a size is -1
  int64_t known = 1;   // the product of the other sizes
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t size = shape[i];
    if (size == kUnknownInt || size == -1) {
      if (size == -1 && given) {
        invalid_argument("Only one input size may be -1, not both ", unknown, " and ", i,
                         " [Op:", op, "]");
      }
      given = given || size == -1;
      unknown = i;
      ++unknowns;
      shape[i] = kUnknownSize;
    } else if (size < 0) {
      invalid_argument("Size ", i, " must be non-negative, not ", size, " [Op:", op, "]");
    } else if (__builtin_mul_overflow(known, size, &known)) {
      return shape;
    }
  }
  int64_t factor = 1;  // the growth of the number of elements
  for (int64_t size : from.dims()) {
    if (size >= 0 && __builtin_mul_overflow(factor, size, &factor)) return shape;
  }
  const int64_t count = known_elements(from);
  const bool fits = unknowns == 0 ? factor == 0 ? known == 0 : known % factor == 0
                    : count < 0   ? true
                    : known == 0  ? count == 0
                                  : count % known == 0;
  if (!fits) {
    invalid_argument("Input to reshape is a tensor of shape ", from,
                     ", but the requested shape is ", shape, " [Op:", op, "]");
  }
  if (unknowns == 1 && known != 0 && count >= 0) {
    shape[unknown] = count / known;
  }
  return shape;
}

// The size for -1 if another size is 0. As in TensorFlow, sizes of 0 do not count.
int64_t size_beside_zero(const Shape& from, const Ints& sizes) {
  int64_t count = 1, known = 1;
  for (const int64_t size : from.dims()) {
    if (size != 0 && __builtin_mul_overflow(count, size, &count)) return 0;
  }
  for (const int64_t size : sizes) {
    if (size > 0 && __builtin_mul_overflow(known, size, &known)) return 0;
  }
  return count / known;
}

[[gnu::hot]] void reshape_infer(InferContext& c) {
  const char* op = c.op().tf_name;
  const Ints& sizes = c.attrs<ReshapeAttrs>().shape;
  if (sizes.is_unknown()) [[unlikely]] {
    c.add_output(c.dtype(0), Shape::unranked());
    return;
  }
  const Shape& from = c.shape(0);
  bool partial = !from.ranked();
  uint64_t elements = 1;
  for (int64_t size : from.dims()) {
    partial |= size < 0;
    elements *= static_cast<uint64_t>(size);
  }
  for (int64_t size : sizes) partial |= size == kUnknownInt;
  if (sizes.size() >= kMaxRank) [[unlikely]] {
    invalid_argument("too many dimensions: must be < ", kMaxRank, ", but received ", sizes.size(),
                     " [Op:", op, "]");
  }
  if (partial) [[unlikely]] {
    c.add_output(c.dtype(0), partly_reshaped(from, sizes, op));
    return;
  }
  const auto count = static_cast<int64_t>(elements);
  int unknown = -1;
  int64_t known = 1;
  bool overflow = false;
  bool zero = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (unknown >= 0) {
        invalid_argument("Only one input size may be -1, not both ", unknown, " and ", i,
                         " [Op:", op, "]");
      }
      unknown = static_cast<int>(i);
    } else if (sizes[i] < 0) {
      invalid_argument("Size ", i, " must be non-negative, not ", sizes[i], " [Op:", op, "]");
    } else {
      zero |= sizes[i] == 0;
      overflow = overflow || __builtin_mul_overflow(known, sizes[i], &known);
    }
  }
  if (zero) {
    known = 0;
    overflow = false;
  }
  if (overflow) checked_num_elements(sizes, op);
  Shape shape(sizes);
  if (unknown >= 0) {
    if (known == 0 && count > 0) {
      invalid_argument("Input to reshape is a tensor with ", count,
                       " values, but the requested shape has 0 [Op:", op, "]");
    }
    if (known != 0 && count % known != 0) {
      invalid_argument("Input to reshape is a tensor with ", count,
                       " values, but the requested shape requires a multiple of ", known,
                       " [Op:", op, "]");
    }
    shape[unknown] = known == 0 ? size_beside_zero(from, sizes) : count / known;
  } else if (overflow || known != count) {
    invalid_argument("Input to reshape is a tensor with ", count,
                     " values, but the requested shape has ", known, " [Op:", op, "]");
  }
  c.add_output(c.dtype(0), shape);
}

// The gradient of every operation that keeps the order of elements.
void reshape_gradient(GradContext& g) { g.set(0, reshape_to(g.dy(), g.input_shape(0))); }

// The known sizes of a transposed tensor whose rank, or order of axes, is unknown.
Shape partly_transposed(const Shape& shape, const Ints& perm) {
  if (shape.ranked()) return Shape::of_rank(shape.rank());
  return perm.is_unknown() ? shape : Shape::of_rank(static_cast<int>(perm.size()));
}

[[gnu::hot]] void transpose_infer(InferContext& c) {
  const char* op = c.op().tf_name;
  const std::optional<Ints>& given = c.attrs<TransposeAttrs>().perm;
  Shape result = c.shape(0);
  if (given && (!result.ranked() || given->is_unknown())) [[unlikely]] {
    result = partly_transposed(result, *given);
    if (given->is_unknown()) {
      c.add_output(c.dtype(0), result);
      return;
    }
  }
  const int rank = result.rank();
  if (!given) {
    std::reverse(result.data(), result.data() + rank);
    c.add_output(c.dtype(0), result);
    return;
  }
  const Ints& perm = *given;
  if (static_cast<int>(perm.size()) != rank) {
    invalid_argument("transpose expects a vector of size ", rank,
                     ". But input(1) is a vector of size ", perm.size(), " [Op:", op, "]");
  }
  const bool sized = c.shape(0).ranked();
  std::bitset<kMaxRank> seen;
  int unknown = 0;
  for (int i = 0; i < rank; ++i) {
    if (perm[i] == kUnknownInt) {
      result[i] = kUnknownSize;
      ++unknown;
      continue;
    }
    const int64_t axis = perm[i] < 0 ? perm[i] + rank : perm[i];
    if (axis < 0 || axis >= rank) {
      invalid_argument(axis, " is out of range [0 .. ", rank, ") [Op:", op, "]");
    }
    seen.set(static_cast<size_t>(axis));
    if (sized) result[i] = c.shape(0)[static_cast<int>(axis)];
  }
  for (int i = 0; i < rank; ++i) {
    if (!seen[static_cast<size_t>(i)] && unknown-- <= 0) {
      invalid_argument(i, " is missing from perm ", Shape(perm), " [Op:", op, "]");
    }
  }
  c.add_output(c.dtype(0), result);
}

void transpose_gradient(GradContext& g) {
  TransposeAttrs inverse = g.attrs<TransposeAttrs>();
  if (inverse.perm) inverse.perm = inverse_permutation(*inverse.perm);
  g.set(0, call(transpose, {g.dy()}, inverse));
}

[[gnu::hot]] void expand_dims_infer(InferContext& c) {
  const int rank = c.shape(0).rank();
  const int64_t axis = c.attrs<ExpandDimsAttrs>().axis;
  if (!c.shape(0).ranked() || axis == kUnknownInt) [[unlikely]] {
    c.add_output(c.dtype(0), c.shape(0).ranked() ? Shape::of_rank(rank + 1) : Shape::unranked());
    return;
  }
  if (axis < -rank - 1 || axis > rank) {
    invalid_argument("Tried to expand dim index ", axis, " for tensor with ", rank,
                     " dimensions. [Op:", c.op().tf_name, "]");
  }
  Shape shape = c.shape(0);
  shape.insert(static_cast<int>(axis < 0 ? axis + rank + 1 : axis), 1);
  c.add_output(c.dtype(0), shape);
}

[[gnu::hot]] void squeeze_infer(InferContext& c) {
  const char* op = c.op().tf_name;
  const Shape& shape = c.shape(0);
  const int rank = shape.rank();
  const Ints axes = c.attrs<SqueezeAttrs>().axis.value_or(Ints());
  // Without `axis`, an unknown size may be 1 and be removed.
  if (!shape.ranked() || (axes.empty() && !shape.fully_known())) [[unlikely]] {
    c.add_output(c.dtype(0), Shape::unranked());
    return;
  }
  std::bitset<kMaxRank> drop;
  for (int64_t given : axes) {
    if (given < -rank || given >= rank) {
      invalid_argument("Tried to squeeze dim index ", given, " for tensor with ", rank,
                       " dimensions. [Op:", op, "]");
    }
    const int axis = static_cast<int>(given < 0 ? given + rank : given);
    if (!compatible(shape[axis], 1)) {
      invalid_argument("Can not squeeze dim[", axis, "], expected a dimension of 1, got ",
                       shape[axis], " [Op:", op, "]");
    }
    drop.set(static_cast<size_t>(axis));
  }
  Shape result;
  for (int i = 0; i < rank; ++i) {
    const bool dropped = axes.empty() ? shape[i] == 1 : drop[static_cast<size_t>(i)];
    if (!dropped) result.push_back(shape[i]);
  }
  c.add_output(c.dtype(0), result);
}

[[gnu::hot]] void broadcast_to_infer(InferContext& c) {
  const char* op = c.op().tf_name;
  Shape target = shape_of_sizes(c.attrs<BroadcastToAttrs>().shape, op);
  const Shape& shape = c.shape(0);
  if (!target.ranked() || !shape.ranked()) [[unlikely]] {
    c.add_output(c.dtype(0), target);
    return;
  }
  const int extra = target.rank() - shape.rank();
  if (extra < 0) {
    invalid_argument("Rank of input (", shape.rank(),
                     ") must be no greater than rank of output shape (", target.rank(),
                     "). [Op:", op, "]");
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == target[extra + i] || shape[i] == 1 || shape[i] < 0) continue;
    if (target[extra + i] >= 0) {
      invalid_argument("Incompatible shapes: ", shape, " vs. ", target, " [Op:", op, "]");
    }
    target[extra + i] = shape[i];
  }
  c.add_output(c.dtype(0), target);
}

void tile_infer(InferContext& c) {
  const char* op = c.op().tf_name;
  const Ints& multiples = c.attrs<TileAttrs>().multiples;
  if (kStoredTypes.contains(c.dtype(0))) {
    fail(Code::kUnimplemented,
         "TileOp : The input data type is not supported, DataType : ", c.dtype(0),
         ", Dimension : ", c.shape(0).rank(), " [Op:", op, "]");
  }
  Shape shape = c.shape(0);
  if (multiples.is_unknown()) [[unlikely]] {
    c.add_output(c.dtype(0), shape.ranked() ? Shape::of_rank(shape.rank()) : shape);
    return;
  }
  if (!shape.ranked()) shape = Shape::of_rank(static_cast<int>(multiples.size()));
  const int rank = shape.rank();
  if (static_cast<int>(multiples.size()) != rank) {
    invalid_argument("Expected multiples argument to be a vector of length ", rank,
                     " but got length ", multiples.size(), " [Op:", op, "]");
  }
  for (int i = 0; i < rank; ++i) {
    if (multiples[i] == kUnknownInt) {
      if (shape[i] != 0) shape[i] = kUnknownSize;
      continue;
    }
    if (multiples[i] < 0) {
      invalid_argument("Expected multiples[", i, "] >= 0, but got ", multiples[i], " [Op:", op,
                       "]");
    }
    if (shape[i] < 0) {
      if (multiples[i] == 0) shape[i] = 0;
    } else if (__builtin_mul_overflow(shape[i], multiples[i], &shape[i])) {
      invalid_argument("Encountered overflow when multiplying shape ", c.shape(0),
                       " with multiples ", Shape(multiples), " [Op:", op, "]");
    }
  }
  check_elements(shape, op);
  c.add_output(c.dtype(0), shape);
}

// Adds up the copies, one repeated axis at a time, which is faster than all at once.
void tile_gradient(GradContext& g) {
  const Ints& multiples = g.attrs<TileAttrs>().multiples;
  const Shape& original = g.input_shape(0);
  if (!has_elements(multiples) && !has_elements(original.dims())) {
    fail(Code::kUnimplemented, "The gradient of Tile needs a known rank.");
  }
  const auto rank =
      static_cast<int64_t>(has_elements(multiples) ? multiples.size() : original.dims().size());
  Ints sizes, copies;
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t count = element_of(multiples, axis);
    if (count != 1) {
      copies.push_back(static_cast<int64_t>(sizes.size()));
      sizes.push_back(count);
    }
    sizes.push_back(element_of(original.dims(), axis));
  }
  Tensor grad = g.dy();
  if (!copies.empty()) grad = call(reshape, {grad}, ReshapeAttrs{.shape = sizes});
  for (int64_t removed = 0; int64_t axis : copies) {
    axis -= removed++;
    grad = sum_over(grad, {&axis, 1}, false);
  }
  g.set(0, grad);
}

void reverse_infer(InferContext& c) {
  const char* op = c.op().tf_name;
  const int rank = c.shape(0).rank();
  const Ints& axes = c.attrs<ReverseAttrs>().axis;
  if (!c.shape(0).ranked() || axes.is_unknown()) [[unlikely]] {
    c.add_output(c.dtype(0), c.shape(0));
    return;
  }
  // A tensor without elements or axes is returned before its axes are checked, except in a graph.
  if (!c.symbolic() && (rank == 0 || c.shape(0).num_elements() == 0)) {
    c.add_output(c.dtype(0), c.shape(0));
    return;
  }
  std::bitset<kMaxRank> seen;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] == kUnknownInt) continue;
    if (axes[i] < -rank || axes[i] >= rank) {
      invalid_argument("'axis'[", i, "] = ", axes[i], " is out of valid range [", -rank, ", ",
                       rank - 1, "] [Op:", op, "]");
    }
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (seen[static_cast<size_t>(axis)]) {
      invalid_argument("axis ", axis, " specified more than once. [Op:", op, "]");
    }
    seen.set(static_cast<size_t>(axis));
  }
  c.add_output(c.dtype(0), c.shape(0));
}

// Smaller elements add an axis, larger ones remove one.
void bitcast_infer(InferContext& c) {
  const Shape& shape = c.shape(0);
  const DType from = c.dtype(0), to = c.attrs<BitcastAttrs>().type;
  const auto old_size = static_cast<int64_t>(element_size(from));
  const auto new_size = static_cast<int64_t>(element_size(to));
  if (old_size > new_size) {
    c.add_output(to, joined(shape, {old_size / new_size}));
    return;
  }
  const int64_t parts = new_size / old_size;
  if (parts > 1 && (!may_have_rank_from(shape, 1) || !compatible(size_from_end(shape), parts))) {
    invalid_argument("Cannot bitcast from ", dtype_name(from), " to ", dtype_name(to), ": shape ",
                     shape, " must end in ", parts, " [Op:", c.op().tf_name, "]");
  }
  c.add_output(to, parts > 1 ? without_last(shape, 1) : shape);
}

}  // namespace

const Op bitcast{{
    .name = "bitcast",
    .tf_name = "Bitcast",
    .inputs = {{"input", kNumericTypes | kQuantizedTypes}},
    .attrs = attrs_of<BitcastAttrs>(),
    .infer = bitcast_infer,
    .kernel = cpu::bitcast,
    .doc = R"(Takes the bytes of a tensor for elements of another dtype.

Smaller elements add a last axis; larger ones need a last axis of the right size, which is removed.
Any numeric dtypes. Raises InvalidArgumentError if the sizes do not fit.

>>> tf.bitcast(1.0, tf.int32)
<tf.Tensor: shape=(), dtype=int32, numpy=1065353216>)",
}};

const Op reshape{{
    .name = "reshape",
    .tf_name = "Reshape",
    .inputs = {{"tensor", kAnyTypes | kVariantType}},
    .attrs = attrs_of<ReshapeAttrs>(),
    .tensor_attrs = {{"shape", "Tshape"}},
    .infer = reshape_infer,
    .kernel = cpu::view_as_inferred,
    .gradient = reshape_gradient,
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kWeak,
    .makes_outputs = true,
    .view = true,
    .doc = R"(Gives a tensor another shape; the elements keep their row-major order.

Shares the memory of `tensor`, of any dtype. One entry of `shape` may be -1: it becomes what
the number of elements asks for.

Raises InvalidArgumentError if the sizes do not multiply to the number of elements.

>>> tf.reshape([1, 2, 3, 4, 5, 6], [2, -1]).numpy().tolist()
[[1, 2, 3], [4, 5, 6]])",
}};

const Op transpose{{
    .name = "transpose",
    .tf_name = "Transpose",
    .inputs = {{.name = "a", .dtypes = kMovedTypes | kFloat8Types, .converts = Converts::kAlone}},
    .attrs = attrs_of<TransposeAttrs>(),
    .tensor_attrs = {{"perm", "Tperm"}},
    .infer = transpose_infer,
    .kernel = cpu::transpose,
    .gradient = transpose_gradient,
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kWeak,
    .makes_outputs = true,
    .cost = move_cost,
    .doc = R"(Permutes the axes: axis `i` of the result is axis `perm[i]` of `a`.

Without `perm` the axes are reversed. With `conjugate`, complex elements are conjugated too.

Raises InvalidArgumentError if `perm` is not a permutation of the axes.

>>> tf.transpose([[1, 2, 3], [4, 5, 6]]).numpy().tolist()
[[1, 4], [2, 5], [3, 6]])",
}};

const Op expand_dims{{
    .name = "expand_dims",
    .tf_name = "ExpandDims",
    .inputs = {{"input", kAnyTypes | kVariantType}},
    .attrs = attrs_of<ExpandDimsAttrs>(),
    .tensor_attrs = {{"axis", "Tdim"}},
    .infer = expand_dims_infer,
    .kernel = cpu::view_as_inferred,
    .gradient = reshape_gradient,
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kWeak,
    .makes_outputs = true,
    .view = true,
    .doc = R"(Inserts an axis of length 1 at position `axis`, which may count from the end.

Shares the memory of `input`, of any dtype.

Raises InvalidArgumentError if `axis` is outside `[-rank - 1, rank]`.

>>> tf.expand_dims([1, 2], -1).numpy().tolist()
[[1], [2]])",
}};

const Op squeeze{{
    .name = "squeeze",
    .tf_name = "Squeeze",
    .inputs = {{"input", kAnyTypes}},
    .attrs = attrs_of<SqueezeAttrs>(),
    .infer = squeeze_infer,
    .kernel = cpu::view_as_inferred,
    .gradient = reshape_gradient,
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kWeak,
    .makes_outputs = true,
    .view = true,
    .doc = R"(Removes axes of length 1: those in `axis`, or all of them.

Shares the memory of `input`, of any dtype.

Raises InvalidArgumentError if an axis in `axis` has another length or does not exist.

>>> tf.squeeze([[[1], [2]]]).numpy().tolist()
[1, 2])",
}};

const Op broadcast_to{{
    .name = "broadcast_to",
    .tf_name = "BroadcastTo",
    .inputs = {{"input", kMovedTypes | kFloat8Types}},
    .attrs = attrs_of<BroadcastToAttrs>(),
    .tensor_attrs = {{"shape", "Tidx"}},
    .infer = broadcast_to_infer,
    .kernel = cpu::broadcast_to,
    .gradient = [](GradContext& g) { g.set(0, sum_to_shape(g.dy(), g.input_shape(0))); },
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .cost = move_cost,
    .doc = R"(Repeats a tensor along new leading axes and axes of length 1 until it has `shape`.

The rule is NumPy's broadcasting. Any dtype.

Raises InvalidArgumentError if the shapes do not match.

>>> tf.broadcast_to([1, 2], [2, 2]).numpy().tolist()
[[1, 2], [1, 2]])",
}};

const Op tile{{
    .name = "tile",
    .tf_name = "Tile",
    .inputs = {{"input", kAnyTypes | kVariantType}},
    .attrs = attrs_of<TileAttrs>(),
    .tensor_attrs = {{"multiples", "Tmultiples"}},
    .infer = tile_infer,
    .kernel = cpu::tile,
    .gradient = tile_gradient,
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .cost = move_cost,
    .doc = R"(Repeats a tensor `multiples[i]` times along axis `i`.

Any dtype; `multiples` has one entry for each axis.

Raises InvalidArgumentError for a wrong number of multiples or a negative one.

>>> tf.tile([[1, 2]], [2, 2]).numpy().tolist()
[[1, 2, 1, 2], [1, 2, 1, 2]])",
}};

const Op reverse{{
    .name = "reverse",
    .tf_name = "ReverseV2",
    .inputs = {{.name = "tensor", .dtypes = kAllTypes, .no_kernel = {DType::kInvalid}}},
    .attrs = attrs_of<ReverseAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = reverse_infer,
    .kernel = cpu::reverse,
    .gradient = [](GradContext& g) { g.set(0, call(reverse, {g.dy()}, g.attrs())); },
    .may_be_unknown = Unknown::kRanks,
    .doc = R"(Reverses the order of the elements along the given axes.

Any dtype; axes may count from the end.

Raises InvalidArgumentError for an axis that does not exist or is given twice.

>>> tf.reverse([[1, 2], [3, 4]], [1]).numpy().tolist()
[[2, 1], [4, 3]])",
}};

const Op roll{{
    .name = "roll",
    .tf_name = "Roll",
    .inputs = {{"input", kAllTypes}},
    .attrs = attrs_of<RollAttrs>(),
    .tensor_attrs = {{"shift", "Tshift"}, {"axis", "Taxis"}},
    .infer =
        [](InferContext& c) {
          const int64_t axis = c.attrs<RollAttrs>().axis;
          const Shape& shape = c.shape(0);
          if (shape.ranked() && axis != kUnknownInt &&
              (axis < -shape.rank() || axis >= shape.rank())) {
            invalid_argument("axis ", axis, " is out of range [Op:Roll]");
          }
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::roll,
    .gradient =
        [](GradContext& g) {
          const auto& [shift, axis] = g.attrs<RollAttrs>();
          // The opposite of the smallest integer is itself, and so is that of its distance.
          const int64_t back = shift == std::numeric_limits<int64_t>::min() ? shift : -shift;
          g.set(0, call(roll, {g.dy()}, RollAttrs{.shift = back, .axis = axis}));
        },
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .doc = "Moves elements along an axis; those shifted out at one end wrap around.",
}};

void check_output_count(int64_t count) {
  if (count > kMostOutputs) fail(Code::kValueError, "Number of outputs is too big: ", count);
}

void add_outputs(InferContext& c, int64_t count, const Shape& shape) {
  check_output_count(count);
  for (int64_t i = 0; i < count; ++i) c.add_output(c.dtype(0), shape);
}

}  // namespace ef::ops
