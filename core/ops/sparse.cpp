// Operations on sparse tensors: inference and gradients.
#include "ops/sparse.h"

#include <algorithm>
#include <bitset>

#include "kernels/cpu/sparse.h"
#include "ops/compose.h"

namespace ef::ops {
namespace {

const InputSpec kPlaces{"indices", {DType::kInt64}};

// The number of columns of a matrix of indices.
int64_t checked_rank(const Shape& places, const char* op) {
  if (places.rank() != 2) {
    invalid_argument("indices must be a matrix, got shape ", places, " [Op:", op, "]");
  }
  return places[1];
}

void check_sizes(std::span<const int64_t> sizes, int64_t rank, const char* op) {
  checked_num_elements(sizes, op);
  if (static_cast<int64_t>(sizes.size()) != rank) {
    invalid_argument("indices of ", rank, " axes do not fit a tensor of rank ", sizes.size(),
                     " [Op:", op, "]");
  }
}

// Checks that there is one row of indices per value; returns their number.
int64_t checked_pairs(const Shape& values, const Shape& places, const char* op) {
  if (places.rank() != 2 || places[1] != 2 || values.rank() != 1 || values[0] != places[0]) {
    invalid_argument("values of shape ", values, " and indices of shape ", places,
                     " make no sparse matrix [Op:", op, "]");
  }
  return places[0];
}

void check_matrix(const Shape& shape, const char* name, const char* op) {
  if (shape.rank() != 2) {
    invalid_argument("Tensor '", name, "' is not a matrix: ", shape, " [Op:", op, "]");
  }
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
          if (static_cast<int64_t>(perm.size()) != rank ||
              static_cast<int64_t>(seen.count()) != rank) {
            invalid_argument("the order of axes is no permutation of ", rank,
                             " axes [Op:Transpose]");
          }
          if (shape.size() != perm.size()) {
            invalid_argument("indices of ", rank, " axes do not fit a tensor of rank ",
                             shape.size(), " [Op:SparseReorder]");
          }
          c.add_output(DType::kInt64, c.shape(0));
          c.add_output(DType::kInt64, {c.shape(0)[0]});
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
    .infer =
        [](InferContext& c) {
          if (checked_rank(c.shape(0), c.op().tf_name) !=
              checked_rank(c.shape(1), c.op().tf_name)) {
            invalid_argument("Ranks of input tensors must match, but saw ranks: ", c.shape(0)[1],
                             " and ", c.shape(1)[1], " [Op:SparseAdd]");
          }
          c.add_output(DType::kInt64, c.shape(0));
          c.add_output(DType::kInt64, {c.shape(0)[0]});
          c.add_output(DType::kInt64, {c.shape(0)[0]});
        },
    .outputs = 3,
    .kernel = cpu::sparse_union,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The merged indices of two sparse tensors in order, and the position of each in either "
           "tensor, or -1.",
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
          if (static_cast<int64_t>(sizes.size()) != rank) {
            invalid_argument("indices of ", rank, " axes do not fit a tensor of rank ",
                             sizes.size(), " [Op:SparseReduce]");
          }
          Ints chosen;
          for (int64_t axis : axes) {
            if (axis < 0 || axis >= rank) {
              invalid_argument("Invalid reduction dimension ", axis, ", for input with ", rank,
                               " dimensions. [Op:SparseReduce]");
            }
            chosen.push_back(sizes[static_cast<size_t>(axis)]);
          }
          checked_num_elements(chosen, c.op().tf_name);
          c.add_output(DType::kInt64, {c.shape(0)[0]});
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
          const auto& [begin, size] = c.attrs<SparseSlicePlacesAttrs>();
          for (const Ints* list : {&begin, &size}) {
            if (static_cast<int64_t>(list->size()) != rank) {
              invalid_argument("start and size must have ", rank, " elements, got ", list->size(),
                               " [Op:SparseSlice]");
            }
          }
          c.add_output(DType::kInt64, c.shape(0));
          c.add_output(DType::kInt64, {c.shape(0)[0]});
        },
    .outputs = 2,
    .kernel = cpu::sparse_slice_places,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The indices within a slice, relative to its start, and their old positions.",
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
          check_sizes(shape, rank, c.op().tf_name);
          if (checked_num_elements(target, c.op().tf_name) !=
              checked_num_elements(shape, c.op().tf_name)) {
            invalid_argument(
                "the requested shape has another number of elements "
                "[Op:SparseReshape]");
          }
          c.add_output(DType::kInt64, {c.shape(0)[0], static_cast<int64_t>(target.size())});
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
          if (checked_rank(c.shape(0), c.op().tf_name) < 1) {
            invalid_argument("a scalar has no rows [Op:SparseFillEmptyRows]");
          }
          const int64_t rows = c.attrs<SparseFillRowsAttrs>().rows;
          checked_num_elements({&rows, 1}, c.op().tf_name);
          c.add_output(DType::kInt64, c.shape(0));
          c.add_output(DType::kInt64, {c.shape(0)[0]});
          c.add_output(DType::kBool, {rows});
        },
    .outputs = 3,
    .kernel = cpu::sparse_fill_rows,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Indices in the order of their rows, with one added for each empty row; their old "
           "positions, -1 for added ones; and which rows were empty.",
}};

const Op sparse_matmul{{
    .name = "sparse_matmul",
    .tf_name = "SparseMatmul",
    .inputs = {{"values", kNumericTypes}, {"indices", {DType::kInt64}}, {"b", kNumericTypes}},
    .attrs = attrs_of<SparseMatmulAttrs>(),
    .infer =
        [](InferContext& c) {
          checked_pairs(c.shape(0), c.shape(1), c.op().tf_name);
          check_matrix(c.shape(2), "b", c.op().tf_name);
          const SparseMatmulAttrs& attrs = c.attrs<SparseMatmulAttrs>();
          const int64_t sizes[2] = {attrs.rows, attrs.columns};
          for (int64_t size : sizes) checked_num_elements({&size, 1}, c.op().tf_name);
          const bool adjoint = attrs.adjoint;
          const int64_t inner = sizes[adjoint ? 0 : 1];
          if (inner != c.shape(2)[0]) {
            invalid_argument(
                "Cannot multiply A and B because inner dimension does not match: ", inner, " vs. ",
                c.shape(2)[0], ".  Did you forget a transpose?  Dimensions of A: [", sizes[0], ", ",
                sizes[1], "].  Dimensions of B: ", c.shape(2), " [Op:SparseTensorDenseMatMul]");
          }
          const Shape shape{sizes[adjoint ? 1 : 0], c.shape(2)[1]};
          checked_num_elements(shape.dims(), c.op().tf_name);
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::sparse_matmul,
    .gradient =
        [](GradContext& g) {
          const auto [rows, columns, adjoint] = g.attrs<SparseMatmulAttrs>();
          const Tensor dy = g.dy();
          if (g.wants(0)) {
            const Tensor other = conjugate(g.input(2));
            // Where the conjugate is read, the gradient is conjugated.
            g.set(0, adjoint ? conjugate(call(sparse_dots, {g.input(1), other, dy}))
                             : call(sparse_dots, {g.input(1), dy, other}));
          }
          if (g.wants(2)) {
            g.set(2,
                  call(sparse_matmul, {g.input(0), g.input(1), dy},
                       SparseMatmulAttrs{.rows = rows, .columns = columns, .adjoint = !adjoint}));
          }
        },
    .needs = {{.inputs = 6}, {}, {.inputs = 3}},
    .cost =
        [](std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef) {
          const double columns = inputs[2].rank() == 2 ? static_cast<double>(inputs[2].dim(1)) : 1;
          return static_cast<double>(inputs[0].size()) * (2 + columns / 4) +
                 static_cast<double>(outputs[0].shape.num_elements()) / 8;
        },
    .doc = "The product of a sparse matrix, or its conjugate transpose, and a dense one.",
}};

const Op sparse_dots{{
    .name = "sparse_dots",
    .tf_name = "SparseDots",
    .inputs = {{"indices", {DType::kInt64}}, {"a", kNumericTypes}, {"b", kNumericTypes}},
    .infer =
        [](InferContext& c) {
          if (c.shape(0).rank() != 2 || c.shape(0)[1] != 2) {
            invalid_argument("indices must be pairs, got shape ", c.shape(0), " [Op:SparseDots]");
          }
          check_matrix(c.shape(1), "a", c.op().tf_name);
          check_matrix(c.shape(2), "b", c.op().tf_name);
          if (c.shape(1)[1] != c.shape(2)[1]) {
            invalid_argument("rows of ", c.shape(1), " and ", c.shape(2),
                             " have no products [Op:SparseDots]");
          }
          c.add_output(c.dtype(1), {c.shape(0)[0]});
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
    .doc = "For pairs (i, j), the sum of products of row i of one matrix and row j of another.",
}};

}  // namespace ef::ops
