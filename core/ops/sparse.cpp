// Operations on sparse tensors: inference and gradients.
#include "ops/sparse.h"

#include <algorithm>
#include <array>
#include <bitset>

#include "kernels/cpu/sparse.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/indexing.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

const InputSpec kPlaces{"indices", {DType::kInt64}};

// The number of columns of a matrix of indices: the rank of the sparse tensor.
int64_t checked_rank(const Shape& places, const char* op) {
  if (!may_have_rank(places, 2)) {
    invalid_argument("indices must be a matrix, got shape ", places, " [Op:", op, "]");
  }
  return size_of(places, 1);
}

// Whether a list has an entry for each axis.
bool one_per_axis(const Ints& list, int64_t rank) {
  return rank < 0 || list.is_unknown() || static_cast<int64_t>(list.size()) == rank;
}

void check_axes(const Ints& sizes, int64_t rank, const char* op) {
  if (one_per_axis(sizes, rank)) return;
  invalid_argument("indices of ", rank, " axes do not fit a tensor of rank ", sizes.size(),
                   " [Op:", op, "]");
}

// The shape of indices whose number is unknown.
Shape other_places(int64_t rank) { return {kUnknownSize, rank}; }

bool may_be_pairs(const Shape& places) {
  return may_have_rank(places, 2) && compatible(size_of(places, 1), 2);
}

void check_pairs(const Shape& values, const Shape& places, const char* op) {
  if (!may_be_pairs(places) || !may_have_rank(values, 1) ||
      !compatible(size_of(values, 0), size_of(places, 0))) {
    invalid_argument("values of shape ", values, " and indices of shape ", places,
                     " make no sparse matrix [Op:", op, "]");
  }
}

// The rank of two sparse tensors, from their indices.
int64_t common_rank(InferContext& c, int a, int b) {
  const int64_t rank = checked_rank(c.shape(a), c.op().tf_name);
  const int64_t other = checked_rank(c.shape(b), c.op().tf_name);
  if (!compatible(rank, other)) {
    invalid_argument("Ranks of input tensors must match, but saw ranks: ", rank, " and ", other,
                     " [Op:SparseAdd]");
  }
  return merged(rank, other);
}

// The rows or columns of a sparse matrix, which may be unknown.
int64_t checked_side(int64_t size, const char* op) {
  if (size != kUnknownInt) checked_num_elements({&size, 1}, op);
  return size_or_unknown(size);
}

void check_matrix(const Shape& shape, const char* name, const char* op) {
  if (!may_have_rank(shape, 2)) {
    invalid_argument("Tensor '", name, "' is not a matrix: ", shape, " [Op:", op, "]");
  }
}

// Of each factor of a product (a, b, the gradient of the result): which are x and y of its term.
constexpr std::array<std::array<int, 2>, 3> kOperands{{{2, 1}, {0, 2}, {0, 1}}};

// Places of two sparse tensors, and the position of each in both.
void infer_merged_places(InferContext& c) {
  c.add_output(DType::kInt64, other_places(common_rank(c, 0, 1)));
  for (int i = 0; i < 2; ++i) c.add_output(DType::kInt64, {kUnknownSize});
}

// Values and indices of a result that two sparse tensors, of values and indices each, have
// together.
void infer_merged(InferContext& c) {
  for (int i = 0; i < 4; i += 2) {
    if (!may_have_rank(c.shape(i), 1) ||
        !compatible(size_of(c.shape(i), 0), size_of(c.shape(i + 1), 0))) {
      invalid_argument("values of shape ", c.shape(i), " and indices of shape ", c.shape(i + 1),
                       " make no sparse tensor [Op:", c.op().tf_name, "]");
    }
  }
  c.add_output(c.dtype(0), {kUnknownSize});
  c.add_output(DType::kInt64, other_places(common_rank(c, 1, 3)));
}

// The gradients of values whose results are at the places of `merged`: sums of `terms` by place.
void set_by_place(GradContext& g, int i, const Tensor& terms, const Tensor& places) {
  g.set(i, call(unsorted_segment_sum, {terms, places},
                UnsortedSegmentAttrs{.num_segments = g.input_shape(i)[0]}));
}

}  // namespace

const Op sparse_order{{
    .name = "sparse_order",
    .tf_name = "SparseOrder",
    .inputs = {kPlaces},
    .attrs = attrs_of<SparseOrderAttrs>(),
    .infer =
        [](InferContext& c) {
          const int64_t rank = checked_rank(c.shape(0), c.op().tf_name);
          const auto& [shape, perm] = c.attrs<SparseOrderAttrs>();
          std::bitset<kMaxRank> seen;
          for (int64_t axis : perm) {
            if (axis >= 0 && axis < std::min<int64_t>(rank, kMaxRank)) {
              seen.set(static_cast<size_t>(axis));
            }
          }
          const bool known = rank >= 0 && perm.fully_known();
          if (!one_per_axis(perm, rank) || (known && static_cast<int64_t>(seen.count()) != rank)) {
            invalid_argument("the order of axes is no permutation of ", rank,
                             " axes [Op:Transpose]");
          }
          check_axes(shape, rank, "SparseReorder");
          const Shape places = ranked_as(c.shape(0), 2);
          c.add_output(DType::kInt64, places);
          c.add_output(DType::kInt64, {kUnknownSize});
        },
    .outputs = 2,
    .kernel = cpu::sparse_order,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Indices with their axes permuted, in row-major order, and the permutation of the "
           "elements, which is empty if it is the identity.",
}};

const Op sparse_union{{
    .name = "sparse_union",
    .tf_name = "SparseUnion",
    .inputs = {{"a", {DType::kInt64}}, {"b", {DType::kInt64}}},
    .infer = infer_merged_places,
    .outputs = 3,
    .kernel = cpu::sparse_union,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The merged indices of two sparse tensors in order, and the position of each in either "
           "tensor, or -1.",
}};

const Op sparse_intersection{{
    .name = "sparse_intersection",
    .tf_name = "SparseIntersection",
    .inputs = {{"a", {DType::kInt64}}, {"b", {DType::kInt64}}},
    .infer = infer_merged_places,
    .outputs = 3,
    .kernel = cpu::sparse_intersection,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The indices, in order, that two sparse tensors have in order, and the position of each "
           "in both tensors. If they are repeated, each meets each.",
}};

const Op sparse_multiply{{
    .name = "sparse_multiply",
    .tf_name = "SparseMultiply",
    .inputs = {{"a", kNumericTypes},
               {"a_indices", {DType::kInt64}},
               {"b", kNumericTypes},
               {"b_indices", {DType::kInt64}}},
    .infer = infer_merged,
    .outputs = 2,
    .kernel = cpu::sparse_multiply,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          TensorList common;
          run(sparse_intersection, std::array{g.input(1), g.input(3)}, {}, common);
          for (int i = 0; i < 4; i += 2) {
            if (!g.wants(i)) continue;
            const Tensor other =
                call(gather_or_zero, {g.input(2 - i), common[static_cast<size_t>(2 - i / 2)]});
            set_by_place(g, i, dy * conjugate(other), common[static_cast<size_t>(1 + i / 2)]);
          }
        },
    .needs = {{.inputs = 14}, {}, {.inputs = 11}, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The product of two sparse tensors whose indices are in order, element by element: its "
           "elements, and the indices that both have. If they are repeated, each meets each.",
}};

const Op sparse_sum{{
    .name = "sparse_sum",
    .tf_name = "SparseSum",
    .inputs = {{"a", kNumericTypes},
               {"a_indices", {DType::kInt64}},
               {"b", kNumericTypes},
               {"b_indices", {DType::kInt64}}},
    .infer = infer_merged,
    .outputs = 2,
    .kernel = cpu::sparse_sum,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          TensorList merged;
          run(sparse_union, std::array{g.input(1), g.input(3)}, {}, merged);
          for (int i = 0; i < 4; i += 2) {
            if (g.wants(i)) set_by_place(g, i, dy, merged[static_cast<size_t>(1 + i / 2)]);
          }
        },
    .needs = {{.inputs = 10}, {}, {.inputs = 10}, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The sum of two sparse tensors whose indices are in order: its elements, and the merged "
           "indices.",
}};

const Op sparse_flat_places{{
    .name = "sparse_flat_places",
    .tf_name = "SparseFlatPlaces",
    .inputs = {kPlaces},
    .attrs = attrs_of<SparseFlatPlacesAttrs>(),
    .infer =
        [](InferContext& c) {
          const int64_t rank = checked_rank(c.shape(0), c.op().tf_name);
          const auto& [sizes, axes] = c.attrs<SparseFlatPlacesAttrs>();
          check_axes(sizes, rank, "SparseReduce");
          const bool known = !axes.is_unknown() && !sizes.is_unknown();
          Ints chosen;
          for (size_t i = 0; known && i < axes.size(); ++i) {
            const int64_t axis = axes[i];
            if (axis == kUnknownInt) continue;
            if (axis < 0 || axis >= static_cast<int64_t>(sizes.size())) {
              invalid_argument("Invalid reduction dimension ", axis, ", for input with ", rank,
                               " dimensions. [Op:SparseReduce]");
            }
            chosen.push_back(sizes[static_cast<size_t>(axis)]);
          }
          shape_of_sizes(chosen, c.op().tf_name);
          c.add_output(DType::kInt64, {size_of(c.shape(0), 0)});
        },
    .kernel = cpu::sparse_flat_places,
    .doc = "The indices along some axes as flat row-major indices.",
}};

const Op sparse_slice_places{{
    .name = "sparse_slice_places",
    .tf_name = "SparseSlicePlaces",
    .inputs = {kPlaces},
    .attrs = attrs_of<SparseSlicePlacesAttrs>(),
    .infer =
        [](InferContext& c) {
          const int64_t rank = checked_rank(c.shape(0), c.op().tf_name);
          const auto& [begin, size, step, in_order] = c.attrs<SparseSlicePlacesAttrs>();
          for (const Ints* list : {&begin, &size, &step}) {
            if (!one_per_axis(*list, rank)) {
              invalid_argument("start, size and step must have ", rank, " elements, got ",
                               list->size(), " [Op:SparseSlice]");
            }
          }
          if (std::ranges::count(step, 0) > 0) {
            invalid_argument("steps must not be zero [Op:SparseSlice]");
          }
          c.add_output(DType::kInt64, other_places(rank));
          c.add_output(DType::kInt64, {kUnknownSize});
        },
    .outputs = 2,
    .kernel = cpu::sparse_slice_places,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The indices within a slice, as positions in it, and the elements that they are of.",
}};

const Op sparse_reshape_places{{
    .name = "sparse_reshape_places",
    .tf_name = "SparseReshapePlaces",
    .inputs = {kPlaces},
    .attrs = attrs_of<SparseReshapePlacesAttrs>(),
    .infer =
        [](InferContext& c) {
          const int64_t rank = checked_rank(c.shape(0), c.op().tf_name);
          const auto& [shape, target] = c.attrs<SparseReshapePlacesAttrs>();
          const char* const op = c.op().tf_name;
          const Shape from = shape_of_sizes(shape, op);
          const Shape to = shape_of_sizes(target, op);
          check_axes(shape, rank, op);
          if (!compatible(known_elements(from), known_elements(to))) {
            invalid_argument(
                "the requested shape has another number of elements "
                "[Op:SparseReshape]");
          }
          c.add_output(DType::kInt64,
                       {size_of(c.shape(0), 0), to.ranked() ? to.rank() : kUnknownSize});
        },
    .kernel = cpu::sparse_reshape_places,
    .doc = "The indices of the same elements in another shape.",
}};

const Op sparse_fill_rows{{
    .name = "sparse_fill_rows",
    .tf_name = "SparseFillRows",
    .inputs = {kPlaces},
    .attrs = attrs_of<SparseFillRowsAttrs>(),
    .infer =
        [](InferContext& c) {
          const int64_t rank = checked_rank(c.shape(0), c.op().tf_name);
          if (rank == 0) {
            invalid_argument("a scalar has no rows [Op:SparseFillEmptyRows]");
          }
          const Ints rows{c.attrs<SparseFillRowsAttrs>().rows};
          c.add_output(DType::kInt64, other_places(rank));
          c.add_output(DType::kInt64, {kUnknownSize});
          c.add_output(DType::kBool, shape_of_sizes(rows, c.op().tf_name));
        },
    .outputs = 3,
    .kernel = cpu::sparse_fill_rows,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Indices in the order of their rows, with one added for each empty row; their old "
           "positions, -1 for added ones; and which rows were empty.",
}};

const Op sparse_layout{{
    .name = "sparse_layout",
    .tf_name = "SparseLayout",
    .inputs = {kPlaces},
    .attrs = attrs_of<SparseLayoutAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto& [rows, columns] = c.attrs<SparseLayoutAttrs>();
          if (!may_be_pairs(c.shape(0))) {
            invalid_argument("indices must be pairs, got shape ", c.shape(0), " [Op:SparseLayout]");
          }
          for (int64_t side : {rows, columns}) checked_side(side, c.op().tf_name);
          c.add_output(DType::kInt32, {kUnknownSize});
        },
    .kernel = cpu::sparse_layout,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc =
        "The indices of a sparse matrix, if they are in order, by rows: where each row begins, "
        "where the last one ends, and the columns. Empty if they are not in order, or the matrix "
        "has many more rows than elements.",
}};

const Op sparse_matmul{{
    .name = "sparse_matmul",
    .tf_name = "SparseMatmul",
    .inputs = {{"values", kNumericTypes},
               {"indices", {DType::kInt64}},
               {"b", kNumericTypes},
               {.name = "layout", .dtypes = {DType::kInt32}, .optional = true}},
    .attrs = attrs_of<SparseMatmulAttrs>(),
    .infer =
        [](InferContext& c) {
          check_pairs(c.shape(0), c.shape(1), c.op().tf_name);
          check_matrix(c.shape(2), "b", c.op().tf_name);
          const SparseMatmulAttrs& attrs = c.attrs<SparseMatmulAttrs>();
          const Shape sizes{checked_side(attrs.rows, c.op().tf_name),
                            checked_side(attrs.columns, c.op().tf_name)};
          const bool adjoint = attrs.adjoint;
          const int64_t inner = sizes[adjoint ? 0 : 1];
          if (!compatible(inner, size_of(c.shape(2), 0))) {
            invalid_argument(
                "Cannot multiply A and B because inner dimension does not match: ", inner, " vs. ",
                c.shape(2)[0], ".  Did you forget a transpose?  Dimensions of A: [", sizes[0], ", ",
                sizes[1], "].  Dimensions of B: ", c.shape(2), " [Op:SparseTensorDenseMatMul]");
          }
          if (c.num_inputs() > 3) {
            const int64_t count = size_of(c.shape(0), 0);
            const bool known = count >= 0 && sizes[0] >= 0;
            if (!may_have_rank(c.shape(3), 1) ||
                (known && !compatible(size_of(c.shape(3), 0), sizes[0] + 1 + count))) {
              invalid_argument("a layout of shape ", c.shape(3), " does not fit ", count,
                               " elements in ", sizes[0], " rows [Op:SparseTensorDenseMatMul]");
            }
          }
          const Shape shape{sizes[adjoint ? 1 : 0], size_of(c.shape(2), 1)};
          check_elements(shape, c.op().tf_name);
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::sparse_matmul,
    .gradient =
        [](GradContext& g) {
          const auto [rows, columns, adjoint] = g.attrs<SparseMatmulAttrs>();
          const Tensor dy = g.dy();
          if (g.wants(0)) {
            const Tensor other = conjugate(g.input(2));
            // If the product conjugates the values, so does the gradient.
            g.set(0, adjoint ? conjugate(call(sparse_dots, {g.input(1), other, dy}))
                             : call(sparse_dots, {g.input(1), dy, other}));
          }
          if (g.wants(2)) {
            TensorList operands{g.input(0), g.input(1), dy};
            if (g.num_inputs() > 3) operands.push_back(g.input(3));
            g.set(2,
                  call(sparse_matmul, operands,
                       SparseMatmulAttrs{.rows = rows, .columns = columns, .adjoint = !adjoint}));
          }
        },
    .needs = {{.inputs = 6}, {}, {.inputs = 11}, {}},
    .may_be_unknown = Unknown::kRanks,
    .cost =
        [](std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef) {
          const double columns = inputs[2].rank() == 2 ? static_cast<double>(inputs[2].dim(1)) : 1;
          return static_cast<double>(inputs[0].size()) * (2 + columns / 4) +
                 static_cast<double>(outputs[0].shape.num_elements()) / 8;
        },
    .doc =
        "The product of a sparse matrix, or its conjugate transpose, and a dense one. `layout` is "
        "what sparse_layout gives for the indices, for speed.",
}};

const Op sparse_dots{{
    .name = "sparse_dots",
    .tf_name = "SparseDots",
    .inputs = {{"indices", {DType::kInt64}}, {"a", kNumericTypes}, {"b", kNumericTypes}},
    .infer =
        [](InferContext& c) {
          if (!may_be_pairs(c.shape(0))) {
            invalid_argument("indices must be pairs, got shape ", c.shape(0), " [Op:SparseDots]");
          }
          check_matrix(c.shape(1), "a", c.op().tf_name);
          check_matrix(c.shape(2), "b", c.op().tf_name);
          if (!compatible(size_of(c.shape(1), 1), size_of(c.shape(2), 1))) {
            invalid_argument("rows of ", c.shape(1), " and ", c.shape(2),
                             " have no products [Op:SparseDots]");
          }
          c.add_output(c.dtype(1), {size_of(c.shape(0), 0)});
        },
    .kernel = cpu::sparse_dots,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          SparseMatmulAttrs attrs{.rows = g.input_shape(1)[0], .columns = g.input_shape(2)[0]};
          if (g.wants(1)) {
            g.set(1, call(sparse_matmul, {dy, g.input(0), conjugate(g.input(2))}, attrs));
          }
          if (g.wants(2)) {
            attrs.adjoint = true;
            g.set(2,
                  call(sparse_matmul, {conjugate(dy), g.input(0), conjugate(g.input(1))}, attrs));
          }
        },
    .needs = {{}, {.inputs = 5}, {.inputs = 3}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "For pairs (i, j), the sum of products of row i of one matrix and row j of another.",
}};

const Op sparse_product{{
    .name = "sparse_product",
    .tf_name = "SparseProduct",
    .inputs = {{"a", kNumericTypes},
               {"a_indices", {DType::kInt64}},
               {"b", kNumericTypes},
               {"b_indices", {DType::kInt64}}},
    .attrs = attrs_of<SparseProductAttrs>(),
    .infer =
        [](InferContext& c) {
          const char* const op = c.op().tf_name;
          check_pairs(c.shape(0), c.shape(1), op);
          check_pairs(c.shape(2), c.shape(3), op);
          const auto& [rows, inner, columns] = c.attrs<SparseProductAttrs>();
          for (int64_t side : {rows, inner, columns}) checked_side(side, op);
          c.add_output(c.dtype(0), {kUnknownSize});
          c.add_output(DType::kInt64, other_places(2));
        },
    .outputs = 2,
    .kernel = cpu::sparse_product,
    .gradient =
        [](GradContext& g) {
          const auto& [rows, inner, columns] = g.attrs<SparseProductAttrs>();
          const Tensor dy = g.dy();
          const auto set = [&](int input, int64_t of, const Tensor& x, const Tensor& y) {
            g.set(input, call(sparse_product_term, {x, y, g.input(1), g.input(3), g.output(1)},
                              SparseProductTermAttrs{rows, inner, columns, of}));
          };
          if (g.wants(0)) set(0, 0, dy, conjugate(g.input(2)));
          if (g.wants(2)) set(2, 1, conjugate(g.input(0)), dy);
        },
    .needs = {{.inputs = 14, .outputs = 2}, {}, {.inputs = 11, .outputs = 2}, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc =
        "The product of two sparse matrices: its elements in row-major order, and their indices.",
}};

const Op sparse_product_term{{
    .name = "sparse_product_term",
    .tf_name = "SparseProductTerm",
    .inputs = {{"x", kNumericTypes},
               {"y", kNumericTypes},
               {"a_indices", {DType::kInt64}},
               {"b_indices", {DType::kInt64}},
               {"c_indices", {DType::kInt64}}},
    .attrs = attrs_of<SparseProductTermAttrs>(),
    .infer =
        [](InferContext& c) {
          const char* const op = c.op().tf_name;
          const auto& attrs = c.attrs<SparseProductTermAttrs>();
          if (attrs.of < 0 || attrs.of > 2) {
            invalid_argument("of must be 0, 1 or 2, got ", attrs.of, " [Op:", op, "]");
          }
          const auto& operands = kOperands[static_cast<size_t>(attrs.of)];
          for (int i = 0; i < 2; ++i) check_pairs(c.shape(i), c.shape(2 + operands[i]), op);
          const Shape& places = c.shape(2 + static_cast<int>(attrs.of));
          if (!may_be_pairs(places)) {
            invalid_argument("indices must be pairs, got shape ", places, " [Op:", op, "]");
          }
          for (int64_t side : {attrs.rows, attrs.inner, attrs.columns}) checked_side(side, op);
          c.add_output(c.dtype(0), {size_of(places, 0)});
        },
    .kernel = cpu::sparse_product_term,
    .gradient =
        [](GradContext& g) {
          SparseProductTermAttrs attrs = g.attrs<SparseProductTermAttrs>();
          const auto of = static_cast<size_t>(attrs.of);
          std::array<Tensor, 3> factors;
          factors[of] = g.dy();
          for (int i = 0; i < 2; ++i) {
            if (!g.wants(i)) continue;
            factors[static_cast<size_t>(kOperands[of][1 - i])] = conjugate(g.input(1 - i));
            attrs.of = kOperands[of][i];
            const auto& [x, y] = kOperands[static_cast<size_t>(attrs.of)];
            g.set(i, call(sparse_product_term,
                          {factors[static_cast<size_t>(x)], factors[static_cast<size_t>(y)],
                           g.input(2), g.input(3), g.input(4)},
                          attrs));
          }
        },
    .needs = {{.inputs = 30}, {.inputs = 29}},
    .may_be_unknown = Unknown::kRanks,
    .doc =
        "The sums of a[i, k] * b[k, j] * c[i, j] without the factor `of` (0: a, 1: b, 2: c), at "
        "each of its elements. x and y are the values of the others: c and b, a and c, or a and b.",
}};

}  // namespace ef::ops
