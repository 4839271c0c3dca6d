// Batching rules: how each family of operations runs on several rows at once.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "eager/batched.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "ops/array.h"
#include "ops/bias.h"
#include "ops/compose.h"
#include "ops/convolution.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/images.h"
#include "ops/indexing.h"
#include "ops/linear_systems.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "ops/pooling.h"
#include "ops/reduction.h"
#include "ops/slicing.h"
#include "ops/softmax.h"
#include "ops/window.h"

namespace ef {
namespace {

using Rule = bool (*)(const BatchedCall&);

Shape with_front(int64_t count, const Shape& shape) {
  Shape result = shape;
  result.insert(0, count);
  return result;
}

Shape output_shape(const BatchedCall& c) { return with_front(c.count, c.specs[0].shape); }

// An axis of a row as an axis of the batch; negative axes are unchanged.
int64_t shifted(int64_t axis) { return axis < 0 ? axis : axis + 1; }

// A list with one entry per axis of a row, extended by an entry for the batch axis.
Ints with_front(int64_t front, std::span<const int64_t> rest) {
  Ints list{front};
  for (int64_t value : rest) list.push_back(value);
  return list;
}

// Runs the operation on inputs with the batch axis in front, and adds its results.
bool run_whole(const BatchedCall& c, std::span<const Tensor> inputs, AttrsRef attrs) {
  TensorList results;
  run(c.op, inputs, attrs, results);
  for (Tensor& result : results) c.add(std::move(result));
  return true;
}

// Input i with axes of size one after the batch axis, so that it broadcasts with rows of `rank`
// axes.
Tensor aligned(const BatchedCall& c, size_t i, int rank) {
  const Tensor rows = rows_of(c.inputs[i]);
  if (!rows) return c.inputs[i];
  const int missing = rank + 1 - rows.rank();
  if (missing <= 0) return rows;
  Shape shape = rows.shape();
  for (int k = 0; k < missing; ++k) shape.insert(1, 1);
  return reshape_to(rows, shape);
}

// Inputs broadcast, element by element.
bool broadcasting(const BatchedCall& c) {
  TensorList inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back(aligned(c, i, c.specs[0].shape.rank()));
  }
  return run_whole(c, inputs, c.attrs);
}

// Inputs of one shape. The kernels also broadcast vectors, but tapes cannot record that.
bool same_shapes(const BatchedCall& c) {
  if (recording() || c.specs[0].shape.num_elements() == 1) {
    TensorList inputs;
    for (const Tensor& input : c.inputs) inputs.push_back(as_rows(input, c.count));
    return run_whole(c, inputs, c.attrs);
  }
  TensorList inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back(c.whole(i));
    inputs.back().impl()->settle();
  }
  SpecList specs;
  specs.push_back({c.specs[0].dtype, output_shape(c)});
  TensorList outputs{Tensor::empty(specs[0].dtype, specs[0].shape)};
  if (outputs[0].size() > 0) {
    const KernelRegion region(static_cast<double>(outputs[0].bytes()) / 4);
    KernelContext context(c.op, inputs, c.attrs, specs, outputs);
    c.op.kernel(context);
  }
  c.add(outputs[0]);
  return true;
}

// Operations on the last axes, with any number of axes before them.
bool of_last_axes(const BatchedCall& c) {
  TensorList inputs;
  for (const Tensor& input : c.inputs) inputs.push_back(as_rows(input, c.count));
  return run_whole(c, inputs, c.attrs);
}

// The same where the second result may be empty whatever the input is.
bool of_eigenvalues(const BatchedCall& c) {
  if (c.attrs.as<ops::EighAttrs>().compute_v) return of_last_axes(c);
  TensorList results;
  run(c.op, std::array{c.whole(0)}, c.attrs, results);
  c.add(results[0]);
  c.add(reshape_to(results[1], {c.count, 0}));
  return true;
}

bool reshaping(const BatchedCall& c) {
  c.add(reshape_to(c.whole(0), output_shape(c)));
  return true;
}

bool broadcasting_to(const BatchedCall& c) {
  c.add(broadcast_to_shape(aligned(c, 0, c.specs[0].shape.rank()), output_shape(c)));
  return true;
}

bool without_values(const BatchedCall& c) {
  const double value = &c.op == &ops::ones_like ? 1 : 0;
  c.outputs.push_back(fill(c.specs[0].dtype, c.specs[0].shape, value));
  return true;
}

bool transposing(const BatchedCall& c) {
  const int rank = c.inputs[0].rank();
  const auto& attrs = c.attrs.as<ops::TransposeAttrs>();
  Ints perm{0};
  for (int i = 0; i < rank; ++i) {
    const int64_t axis = attrs.perm ? (*attrs.perm)[static_cast<size_t>(i)] : rank - 1 - i;
    perm.push_back((axis < 0 ? axis + rank : axis) + 1);
  }
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, ops::TransposeAttrs{.perm = perm, .conjugate = attrs.conjugate});
}

bool reducing(const BatchedCall& c) {
  const int rank = c.inputs[0].rank();
  const auto& attrs = c.attrs.as<ops::ReduceAttrs>();
  Ints axes;
  if (attrs.axis) {
    for (int64_t axis : *attrs.axis) axes.push_back(shifted(axis));
  } else {
    for (int i = 0; i < rank; ++i) axes.push_back(i + 1);
  }
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, ops::ReduceAttrs{.axis = axes, .keepdims = attrs.keepdims});
}

// Runs the operation on the rows; `change` adapts its attributes to the batch axis.
template <class T, class Change>
bool run_changed(const BatchedCall& c, const Change& change) {
  T attrs = c.attrs.as<T>();
  change(attrs);
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, attrs);
}

// Operations along one axis.
template <class T>
bool along_axis(const BatchedCall& c) {
  return run_changed<T>(c, [](T& attrs) { attrs.axis = shifted(attrs.axis); });
}

template <class T>
bool joining(const BatchedCall& c) {
  T attrs = c.attrs.as<T>();
  attrs.axis = shifted(attrs.axis);
  TensorList inputs;
  for (const Tensor& input : c.inputs) inputs.push_back(as_rows(input, c.count));
  return run_whole(c, inputs, attrs);
}

bool slicing(const BatchedCall& c) {
  return run_changed<ops::SliceAttrs>(c, [&](ops::SliceAttrs& attrs) {
    attrs.begin = with_front(0, attrs.begin);
    attrs.size = with_front(c.count, attrs.size);
  });
}

bool strided_slicing(const BatchedCall& c) {
  const Tensor rows = c.whole(0);
  return run_whole(c, {&rows, 1}, slice_of_rows(c.attrs.as<ops::StridedSliceAttrs>()));
}

bool strided_slice_gradient(const BatchedCall& c) {
  return run_changed<ops::StridedSliceGradAttrs>(c, [&](ops::StridedSliceGradAttrs& attrs) {
    attrs.shape = output_shape(c);
    attrs.slice = slice_of_rows(attrs.slice);
  });
}

template <class T>
bool padding(const BatchedCall& c) {
  return run_changed<T>(
      c, [](T& attrs) { attrs.paddings = with_front(0, with_front(0, attrs.paddings)); });
}

bool tiling(const BatchedCall& c) {
  return run_changed<ops::TileAttrs>(
      c, [](ops::TileAttrs& attrs) { attrs.multiples = with_front(1, attrs.multiples); });
}

bool reversing(const BatchedCall& c) {
  return run_changed<ops::ReverseAttrs>(c, [](ops::ReverseAttrs& attrs) {
    for (int64_t& axis : attrs.axis) axis = shifted(axis);
  });
}

bool rolling(const BatchedCall& c) {
  return run_changed<ops::RollAttrs>(
      c, [](ops::RollAttrs& attrs) { attrs.axis = shifted(attrs.axis); });
}

bool multiplying(const BatchedCall& c) {
  const Tensor& a = c.inputs[0];
  const Tensor& b = c.inputs[1];
  const bool turn_a = c.attrs.as<ops::MatmulAttrs>().swaps_a();
  if (is_batched(a) && !is_batched(b) && b.rank() == 2 && !turn_a) {
    // All rows are multiplied by the same matrix.
    const Tensor rows = rows_of(a);
    const int64_t width = std::max<int64_t>(rows.shape().back(), 1);
    const Tensor flat = reshape_to(rows, {rows.size() / width, rows.shape().back()});
    if (rows.size() > 0) {
      c.add(reshape_to(call(c.op, {flat, b}, c.attrs), output_shape(c)));
      return true;
    }
  }
  const int rank = std::max(a.rank(), b.rank());
  const Tensor inputs[] = {aligned(c, 0, rank), aligned(c, 1, rank)};
  return run_whole(c, inputs, c.attrs);
}

// Systems of linear equations. If all rows have the same matrices, their right-hand sides become
// columns of one.
template <Rule otherwise>
bool solving(const BatchedCall& c) {
  if (is_batched(c.inputs[0]) || c.inputs[1].rank() != c.specs[0].shape.rank()) return otherwise(c);
  const Tensor rows = rows_of(c.inputs[1]);
  const int rank = rows.rank();
  Ints order, back;
  for (int axis = 1; axis < rank; ++axis) order.push_back(axis);
  order.push_back(0);
  back.push_back(rank - 1);
  for (int axis = 0; axis + 1 < rank; ++axis) back.push_back(axis);
  Shape shape = c.inputs[1].shape(), split = c.specs[0].shape;
  split.push_back(c.count);
  shape[rank - 2] *= c.count;
  const Tensor columns = reshape_to(permute(rows, order), shape);
  c.add(permute(reshape_to(call(c.op, {c.inputs[0], columns}, c.attrs), split), back));
  return true;
}

bool adding_bias(const BatchedCall& c) {
  if (c.attrs.as<ops::BiasAttrs>().data_format != DataFormat::kNhwc) return false;
  const int rank = c.inputs[0].rank();
  c.add(call(ops::add, {aligned(c, 0, rank), aligned(c, 1, rank)}));
  return true;
}

bool bias_gradient(const BatchedCall& c) {
  const int rank = c.inputs[0].rank();
  const int channel = c.attrs.as<ops::BiasAttrs>().channel_axis(rank) + 1;
  Ints axes;
  for (int i = 1; i <= rank; ++i) {
    if (i != channel) axes.push_back(i);
  }
  c.add(sum_over(c.whole(0), axes, false));
  return true;
}

Shape merged(const BatchedCall& c, const Shape& shape) {
  Shape result = shape;
  result[0] *= c.count;
  return result;
}

// Operations that process the elements of the first axis separately, such as images.
// `first` is the only input that may be batched.
bool of_images(const BatchedCall& c, size_t first, AttrsRef attrs) {
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (i != first && is_batched(c.inputs[i])) return false;
  }
  TensorList inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) inputs.push_back(c.whole(i));
  inputs[first] = reshape_to(inputs[first], merged(c, c.inputs[first].shape()));
  c.add(reshape_to(call(c.op, inputs, attrs), output_shape(c)));
  return true;
}

bool of_images(const BatchedCall& c) { return of_images(c, 0, c.attrs); }

// The same if the attributes contain the shape of the images.
bool pooling_gradient(const BatchedCall& c) {
  auto attrs = c.attrs.as<ops::PoolGradAttrs>();
  attrs.shape = merged(c, Shape(attrs.shape));
  return of_images(c, 0, attrs);
}
bool convolution_gradient(const BatchedCall& c) {
  auto attrs = c.attrs.as<ops::Conv2DBackpropInputAttrs>();
  attrs.input_sizes = merged(c, Shape(attrs.input_sizes));
  return of_images(c, 1, attrs);
}

// Inputs that all have the batch axis, as the first of `batch_dims` axes.
bool run_with_batch_dim(const BatchedCall& c, AttrsRef attrs) {
  TensorList inputs;
  for (const Tensor& input : c.inputs) inputs.push_back(as_rows(input, c.count));
  return run_whole(c, inputs, attrs);
}

bool gathering(const BatchedCall& c) {
  auto attrs = c.attrs.as<ops::GatherAttrs>();
  if (attrs.batch_dims < 0) return false;
  if (attrs.batch_dims == 0 && !is_batched(c.inputs[0]) && attrs.axis == 0) {
    // The axes of the indices, the batch axis with them, are those in front.
    const Tensor inputs[] = {c.inputs[0], c.whole(1)};
    return run_whole(c, inputs, attrs);
  }
  attrs.axis = shifted(attrs.axis);
  if (is_batched(c.inputs[1]) || attrs.batch_dims != 0) {
    ++attrs.batch_dims;
    return run_with_batch_dim(c, attrs);
  }
  const Tensor inputs[] = {c.whole(0), c.inputs[1]};
  return run_whole(c, inputs, attrs);
}

bool gathering_gradient(const BatchedCall& c) {
  auto attrs = c.attrs.as<ops::GatherGradAttrs>();
  if (attrs.gather.batch_dims < 0) return false;
  attrs.shape = output_shape(c);
  attrs.gather.axis = shifted(attrs.gather.axis);
  if (is_batched(c.inputs[1]) || attrs.gather.batch_dims != 0) {
    ++attrs.gather.batch_dims;
    return run_with_batch_dim(c, attrs);
  }
  const Tensor inputs[] = {c.whole(0), c.inputs[1]};
  return run_whole(c, inputs, attrs);
}

// Moves the batch axis to the end, which operations on slices preserve, and back.
Tensor rows_last(const Tensor& rows) {
  Ints perm;
  for (int i = 1; i < rows.rank(); ++i) perm.push_back(i);
  perm.push_back(0);
  return permute(rows, perm);
}
Tensor rows_first(const Tensor& rows) {
  Ints perm;
  perm.push_back(rows.rank() - 1);
  for (int i = 0; i + 1 < rows.rank(); ++i) perm.push_back(i);
  return permute(rows, perm);
}

// Slices selected by indices, which are input `indices`.
bool of_slices(const BatchedCall& c, size_t indices, AttrsRef attrs) {
  if (is_batched(c.inputs[indices])) return false;
  TensorList inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back(i == indices ? c.inputs[i] : rows_last(as_rows(c.inputs[i], c.count)));
  }
  c.add(rows_first(call(c.op, inputs, attrs)));
  return true;
}

bool of_indices_second(const BatchedCall& c) { return of_slices(c, 1, c.attrs); }
bool scattering(const BatchedCall& c) {
  auto attrs = c.attrs.as<ops::ScatterNdAttrs>();
  attrs.shape.push_back(c.count);
  return of_slices(c, 0, attrs);
}
bool gathering_nd(const BatchedCall& c) {
  auto attrs = c.attrs.as<ops::GatherNdAttrs>();
  if (attrs.batch_dims == 0 && !is_batched(c.inputs[1])) return of_slices(c, 1, c.attrs);
  if (attrs.batch_dims == 0 && !is_batched(c.inputs[0])) {
    const Tensor inputs[] = {c.inputs[0], c.whole(1)};
    return run_whole(c, inputs, attrs);
  }
  ++attrs.batch_dims;
  return run_with_batch_dim(c, attrs);
}
bool gathering_nd_gradient(const BatchedCall& c) {
  auto attrs = c.attrs.as<ops::GatherNdGradAttrs>();
  if (attrs.gather.batch_dims == 0 && !is_batched(c.inputs[1])) {
    attrs.shape.push_back(c.count);
    return of_slices(c, 1, attrs);
  }
  attrs.shape = output_shape(c);
  ++attrs.gather.batch_dims;
  return run_with_batch_dim(c, attrs);
}

std::unordered_map<const Op*, Rule> make_rules() {
  using namespace ops;
  std::unordered_map<const Op*, Rule> rules;
  for (const Op* op : op_table()) {
    if (op->elementwise) {
      rules[op] = broadcasting;
    } else if (op->infer == same_shape_infer) {
      rules[op] = same_shapes;
    }
  }
  const auto set = [&](Rule rule, std::initializer_list<const Op*> of) {
    for (const Op* op : of) rules[op] = rule;
  };
  set(of_last_axes, {&softmax, &log_softmax, &softmax_grad, &log_softmax_grad, &matrix_band_part,
                     &diag, &diag_part, &cholesky_factor, &cholesky_factor_grad, &lu_inverse,
                     &lu_factors, &lu_determinant, &lu_log_determinant, &cofactors, &cofactors_grad,
                     &qr_factors, &eigh_factors});
  set(solving<of_last_axes>, {&lu_solve, &tridiagonal_solve});
  set(solving<broadcasting>, {&triangle_solve});
  set(reshaping, {&reshape, &expand_dims, &squeeze});
  set(broadcasting_to, {&broadcast_to});
  set(without_values, {&ops::zeros_like, &ops::ones_like});
  set(transposing, {&transpose});
  set(reducing, {&reduce_sum, &reduce_mean, &reduce_prod, &reduce_max, &reduce_min, &reduce_all,
                 &reduce_any});
  set(along_axis<ScanAttrs>, {&cumsum, &cumprod});
  set(joining<LinearScanAttrs>, {&linear_scan});
  set(joining<ConcatAttrs>, {&concat});
  set(joining<StackAttrs>, {&stack});
  set(along_axis<UnstackAttrs>, {&unstack});
  set(along_axis<SplitAttrs>, {&split});
  set(slicing, {&slice});
  set(strided_slicing, {&strided_slice});
  set(strided_slice_gradient, {&strided_slice_grad});
  set(padding<PadAttrs>, {&pad});
  set(padding<MirrorPadGradAttrs>, {&mirror_pad_grad});
  set(tiling, {&tile});
  set(reversing, {&reverse});
  set(rolling, {&roll});
  set(multiplying, {&matmul});
  set(adding_bias, {&bias_add});
  set(bias_gradient, {&bias_add_grad});
  set(of_images, {&conv2d, &depthwise_conv2d, &avg_pool, &max_pool, &resample});
  set(pooling_gradient, {&avg_pool_grad});
  set(convolution_gradient, {&conv2d_backprop_input, &depthwise_conv2d_backprop_input});
  set(gathering, {&gather});
  set(gathering_gradient, {&gather_grad});
  set(gathering_nd, {&gather_nd});
  set(gathering_nd_gradient, {&gather_nd_grad});
  set(scattering, {&scatter_nd});
  set(of_indices_second, {&unsorted_segment_sum, &gather_or_zero, &tensor_scatter_nd_update,
                          &tensor_scatter_nd_add, &tensor_scatter_nd_sub});
  return rules;
}

}  // namespace

ops::StridedSliceAttrs slice_of_rows(const ops::StridedSliceAttrs& slice) {
  return {.begin = with_front(0, slice.begin),
          .end = with_front(0, slice.end),
          .strides = with_front(1, slice.strides),
          // The slice has no begin and no end along the batch axis.
          .begin_mask = slice.begin_mask * 2 + 1,
          .end_mask = slice.end_mask * 2 + 1,
          .ellipsis_mask = slice.ellipsis_mask * 2,
          .new_axis_mask = slice.new_axis_mask * 2,
          .shrink_axis_mask = slice.shrink_axis_mask * 2};
}

bool run_by_rule(const BatchedCall& call) {
  static const std::unordered_map<const Op*, Rule> rules = make_rules();
  const auto rule = rules.find(&call.op);
  return rule != rules.end() && rule->second(call);
}

}  // namespace ef
