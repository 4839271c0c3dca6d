// The indices of sparse tensors: sorted, sliced, reshaped and filled.
#include "kernels/cpu/sparse.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "device/scratch.h"
#include "kernels/cpu/radix.h"
#include "kernels/cpu/sparse_rows.h"
#include "ops/sparse.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

std::string row_text(const int64_t* row, int64_t rank) {
  std::string text = "[";
  for (int64_t k = 0; k < rank; ++k) text += (k ? ", " : "") + std::to_string(row[k]);
  return text + "]";
}

// Writes each row of indices as a flat row-major index. Returns false if an index is out of bounds
// or a flat index would overflow.
bool number_places(const int64_t* places, int64_t count, std::span<const int64_t> sizes,
                   uint64_t* numbers) {
  const auto rank = static_cast<int64_t>(sizes.size());
  uint64_t total = 1;
  for (int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(total, static_cast<uint64_t>(size), &total))
      return false;
  }
  bool inside = true;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t number = 0;
    for (int64_t k = 0; k < rank; ++k) {
      const int64_t index = places[i * rank + k];
      inside &= static_cast<uint64_t>(index) < static_cast<uint64_t>(sizes[static_cast<size_t>(k)]);
      number = number * static_cast<uint64_t>(sizes[static_cast<size_t>(k)]) +
               static_cast<uint64_t>(index);
    }
    numbers[i] = number;
  }
  return inside;
}

// The permutation that sorts the indices.
void find_order(const int64_t* places, int64_t count, std::span<const int64_t> sizes,
                int64_t* order) {
  const auto rank = static_cast<int64_t>(sizes.size());
  if (count <= std::numeric_limits<int32_t>::max()) {
    using Item = Placed<uint64_t>;
    const Scratch memory(2 * static_cast<size_t>(count) * sizeof(Item));
    const Scratch numbers(static_cast<size_t>(count) * sizeof(uint64_t));
    if (number_places(places, count, sizes, numbers.as<uint64_t>())) {
      Item* items = memory.as<Item>();
      for (int64_t i = 0; i < count; ++i) {
        items[i] = {numbers.as<uint64_t>()[i], static_cast<int32_t>(i)};
      }
      items = radix_sort(items, items + count, count);
      for (int64_t i = 0; i < count; ++i) order[i] = items[i].place;
      return;
    }
  }
  std::iota(order, order + count, int64_t{0});
  std::stable_sort(order, order + count, [=](int64_t a, int64_t b) {
    return compare(places + a * rank, places + b * rank, rank) < 0;
  });
}

bool are_in_order(const int64_t* places, int64_t count, int64_t rank) {
  if (rank == 2) {
    bool ordered = true;
    for (int64_t i = 1; ordered && i < count;) {
      // In blocks without branches.
      for (const int64_t end = std::min(count, i + 512); i < end; ++i) {
        const int64_t *const a = places + 2 * i - 2, *const b = places + 2 * i;
        ordered &= (a[0] < b[0]) | ((a[0] == b[0]) & (a[1] <= b[1]));
      }
    }
    return ordered;
  }
  for (int64_t i = 1; i < count; ++i) {
    if (compare(places + (i - 1) * rank, places + i * rank, rank) > 0) return false;
  }
  return true;
}

// Whether axes in another order are one axis before all others, which keep their order.
bool moves_one_axis(const Ints& perm) {
  for (size_t k = 2; k < perm.size(); ++k) {
    if (perm[k] < perm[k - 1]) return false;
  }
  return perm.size() > 1;
}

// Writes indices that are in order, and the permutation, for axes of which one was moved to the
// front: by counting, as a sparse matrix by rows becomes one by columns. Returns false where an
// index is out of bounds or that axis is too long.
bool sort_by_axis(const int64_t* places, int64_t count, const Ints& perm, int64_t size,
                  int64_t* sorted, int64_t* order) {
  const auto rank = static_cast<int64_t>(perm.size());
  const int64_t axis = perm[0];
  if (size <= 0 || size > count + 4096) return false;
  const int64_t pieces = std::max<int64_t>(
      1, std::min<int64_t>({max_threads(), count / kSparseGrain, 2 * count / size}));
  const Scratch memory(static_cast<size_t>(pieces * size) * sizeof(int64_t));
  auto* const next = memory.as<int64_t>();
  std::fill_n(next, pieces * size, int64_t{0});
  std::atomic<bool> all_inside = true;
  const auto each_piece = [&](const auto& visit) {
    for_pieces(pieces, [&](int64_t piece) {
      visit(next + piece * size, count * piece / pieces, count * (piece + 1) / pieces);
    });
  };
  each_piece([&](int64_t* counts, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = places[i * rank + axis];
      if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(size)) {
        all_inside = false;
        return;
      }
      ++counts[index];
    }
  });
  if (!all_inside) return false;
  int64_t total = 0;
  for (int64_t index = 0; index < size; ++index) {
    for (int64_t piece = 0; piece < pieces; ++piece) {
      int64_t& at = next[piece * size + index];
      total += std::exchange(at, total);
    }
  }
  each_piece([&](int64_t* at, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t* const row = places + i * rank;
      const int64_t to = at[row[axis]]++;
      order[to] = i;
      if (rank == 2) {
        sorted[2 * to] = row[axis];
        sorted[2 * to + 1] = row[1 - axis];
        continue;
      }
      for (int64_t k = 0; k < rank; ++k) {
        sorted[to * rank + k] = row[perm[static_cast<size_t>(k)]];
      }
    }
  });
  return true;
}

}  // namespace

void sparse_order(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const int64_t count = indices.dim(0), rank = indices.dim(1);
  const auto& [shape, perm] = context.attrs<ops::SparseOrderAttrs>();
  bool same_axes = true;
  for (int64_t k = 0; k < rank; ++k) same_axes &= perm[static_cast<size_t>(k)] == k;
  const auto* places = indices.data<int64_t>();
  const bool ordered = are_in_order(places, count, rank);
  if (ordered && same_axes) {
    context.output(0) = indices.alias();
    context.output(1) = Tensor::empty(DType::kInt64, {0});
    return;
  }
  if (ordered && moves_one_axis(perm)) {
    const Tensor sorted = Tensor::empty(DType::kInt64, indices.shape());
    const Tensor order = Tensor::empty(DType::kInt64, {count});
    if (sort_by_axis(places, count, perm, shape[static_cast<size_t>(perm[0])],
                     sorted.mutable_data<int64_t>(), order.mutable_data<int64_t>())) {
      context.output(0) = sorted;
      context.output(1) = order;
      return;
    }
  }
  Ints sizes;
  for (int64_t axis : perm) sizes.push_back(shape[static_cast<size_t>(axis)]);
  Tensor moved = indices;
  if (!same_axes) {
    moved = Tensor::empty(DType::kInt64, indices.shape());
    auto* to = moved.mutable_data<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t k = 0; k < rank; ++k) {
        to[i * rank + k] = places[i * rank + perm[static_cast<size_t>(k)]];
      }
    }
    places = moved.data<int64_t>();
    if (are_in_order(places, count, rank)) {
      context.output(0) = moved;
      context.output(1) = Tensor::empty(DType::kInt64, {0});
      return;
    }
  }
  const Tensor order = Tensor::empty(DType::kInt64, {count});
  auto* const at = order.mutable_data<int64_t>();
  find_order(places, count, {sizes.data(), sizes.size()}, at);
  const Tensor sorted = Tensor::empty(DType::kInt64, indices.shape());
  auto* const to = sorted.mutable_data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < rank; ++k) to[i * rank + k] = places[at[i] * rank + k];
  }
  context.output(0) = sorted;
  context.output(1) = order;
}

void sparse_flat_places(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const int64_t count = indices.dim(0), rank = indices.dim(1);
  const auto& attrs = context.attrs<ops::SparseFlatPlacesAttrs>();
  const Ints& sizes = attrs.shape;
  const Ints& axes = attrs.axes;
  const auto* places = indices.data<int64_t>();
  auto* const to = context.output(0).mutable_data<int64_t>();
  std::atomic<bool> all_inside = true;
  parallel_for(count, kSparseGrain, [&](int64_t begin, int64_t end) {
    bool inside = true;
    for (int64_t i = begin; i < end; ++i) {
      uint64_t number = 0;
      for (int64_t axis : axes) {
        const auto size = static_cast<uint64_t>(sizes[static_cast<size_t>(axis)]);
        const auto index = static_cast<uint64_t>(places[i * rank + axis]);
        inside &= index < size;
        number = number * size + index;
      }
      to[i] = static_cast<int64_t>(number);
    }
    if (!inside) all_inside = false;
  });
  if (all_inside) return;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t axis : axes) {
      const int64_t index = places[i * rank + axis];
      if (index >= 0 && index < sizes[static_cast<size_t>(axis)]) continue;
      invalid_argument("indices[", i, "] = ", row_text(places + i * rank, rank),
                       " is out of bounds: need 0 <= index < ",
                       row_text(sizes.data(), static_cast<int64_t>(sizes.size())),
                       " [Op:SparseReduce]");
    }
  }
}

namespace {

// Of one axis: the indices begin, begin + step, ..., of which there are `size`.
struct AxisSlice {
  AxisSlice(int64_t begin, int64_t size, int64_t step)
      : begin(begin),
        size(static_cast<uint64_t>(std::max<int64_t>(size, 0))),
        stride(step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step)),
        downwards(step < 0) {}

  // The position of an index among them; one that is not there has a position of at least `size`.
  uint64_t position(int64_t index) const {
    if (downwards ? index > begin : index < begin) return size;
    // Unsigned, so that differences cannot overflow.
    const auto from = static_cast<uint64_t>(begin), to = static_cast<uint64_t>(index);
    const uint64_t distance = downwards ? from - to : to - from;
    if (stride == 1) return distance;
    return distance % stride == 0 ? distance / stride : size;
  }

  // Whether `has` answers: no difference of an index and `begin` can overflow to a number below
  // size.
  bool is_plain() const {
    return stride == 1 && !downwards && begin >= 0 && begin <= kPlain && size <= kPlain;
  }
  bool has(int64_t index) const {
    return static_cast<uint64_t>(index) - static_cast<uint64_t>(begin) < size;
  }

  static constexpr int64_t kPlain = int64_t{1} << 62;
  int64_t begin;
  uint64_t size;
  uint64_t stride;
  bool downwards;
};

// Narrows the range [first, last) of rows in order to those that may be within slices: by the
// first axis, and by the next one as long as the axes before it have one index.
void narrow(const int64_t* places, int64_t rank, std::span<const AxisSlice> slices, int64_t& first,
            int64_t& last) {
  for (int64_t k = 0; k < rank; ++k) {
    const AxisSlice& slice = slices[static_cast<size_t>(k)];
    if (slice.size == 0) last = first;
    if (slice.stride != 1 || slice.downwards) return;
    const auto bound = [&](const auto& is_before) {
      int64_t begin = first, end = last;
      while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (is_before(places[middle * rank + k])) {
          begin = middle + 1;
        } else {
          end = middle;
        }
      }
      return begin;
    };
    const int64_t start = bound([&](int64_t index) { return index < slice.begin; });
    last = bound(
        [&](int64_t index) { return index < slice.begin || slice.position(index) < slice.size; });
    first = start;
    if (slice.size != 1) return;
  }
}

}  // namespace

void sparse_slice_places(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const int64_t count = indices.dim(0), rank = indices.dim(1);
  const auto& attrs = context.attrs<ops::SparseSlicePlacesAttrs>();
  const auto* places = indices.data<int64_t>();
  std::vector<AxisSlice> slices;
  for (size_t k = 0; k < static_cast<size_t>(rank); ++k) {
    slices.emplace_back(attrs.begin[k], attrs.size[k], attrs.step[k]);
  }
  int64_t first = 0, last = count;
  if (attrs.in_order) narrow(places, rank, slices, first, last);
  const int64_t pieces = pieces_of(last - first);
  const auto bound = [&](int64_t piece) { return first + (last - first) * piece / pieces; };
  // Each piece has room for its rows, and for one that is not kept.
  const Scratch memory(static_cast<size_t>(last - first + pieces) * sizeof(int64_t));
  std::vector<int64_t> starts(static_cast<size_t>(pieces) + 1);
  const auto each_piece = [&](const auto& visit) {
    for_pieces(pieces, [&](int64_t piece) {
      visit(piece, memory.as<int64_t>() + bound(piece) - first + piece);
    });
  };
  const bool are_plain = std::ranges::all_of(slices, &AxisSlice::is_plain);
  each_piece([&](int64_t piece, int64_t* kept) {
    int64_t found = 0;
    const auto keep = [&](const auto& is_inside) {
      constexpr int64_t kBlock = 16;
      const int64_t end = bound(piece + 1);
      for (int64_t from = bound(piece); from < end; from += kBlock) {
        const int64_t to = std::min(from + kBlock, end);
        // Most blocks of a small part have no row in it: these are passed over at once.
        bool some = false;
        for (int64_t i = from; i < to; ++i) some |= is_inside(places + i * rank);
        if (!some) continue;
        for (int64_t i = from; i < to; ++i) {
          kept[found] = i;
          found += is_inside(places + i * rank);
        }
      }
    };
    if (rank == 2 && are_plain) {
      const AxisSlice rows = slices[0], columns = slices[1];
      keep([=](const int64_t* row) { return rows.has(row[0]) & columns.has(row[1]); });
    } else {
      keep([&](const int64_t* row) {
        bool inside = true;
        for (const AxisSlice& slice : slices) inside &= slice.position(*row++) < slice.size;
        return inside;
      });
    }
    starts[static_cast<size_t>(piece) + 1] = found;
  });
  for (size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
  const Tensor moved = Tensor::empty(DType::kInt64, {starts.back(), rank});
  const Tensor which = Tensor::empty(DType::kInt64, {starts.back()});
  each_piece([&](int64_t piece, const int64_t* kept) {
    const int64_t start = starts[static_cast<size_t>(piece)];
    const int64_t found = starts[static_cast<size_t>(piece) + 1] - start;
    std::copy_n(kept, found, which.mutable_data<int64_t>() + start);
    auto* to = moved.mutable_data<int64_t>() + start * rank;
    for (int64_t i = 0; rank == 2 && are_plain && i < found; ++i) {
      to[2 * i] = places[2 * kept[i]] - slices[0].begin;
      to[2 * i + 1] = places[2 * kept[i] + 1] - slices[1].begin;
    }
    for (int64_t i = 0; !(rank == 2 && are_plain) && i < found; ++i) {
      for (int64_t k = 0; k < rank; ++k) {
        const int64_t index = places[kept[i] * rank + k];
        *to++ = static_cast<int64_t>(slices[static_cast<size_t>(k)].position(index));
      }
    }
  });
  context.output(0) = moved;
  context.output(1) = which;
}

void sparse_reshape_places(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const int64_t count = indices.dim(0), rank = indices.dim(1);
  const auto& [sizes, target] = context.attrs<ops::SparseReshapePlacesAttrs>();
  const auto new_rank = static_cast<int64_t>(target.size());
  const auto* places = indices.data<int64_t>();
  auto* const to = context.output(0).mutable_data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < rank; ++k) {
      const int64_t index = places[i * rank + k];
      if (index >= 0 && index < sizes[static_cast<size_t>(k)]) continue;
      invalid_argument("indices[", i, "] = ", row_text(places + i * rank, rank),
                       " is out of bounds: need 0 <= index < ", row_text(sizes.data(), rank),
                       " [Op:SparseReshape]");
    }
  }
  if (new_rank == 0) return;
  parallel_for(count, kSparseGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      uint64_t number = 0;
      for (int64_t k = 0; k < rank; ++k) {
        number = number * static_cast<uint64_t>(sizes[static_cast<size_t>(k)]) +
                 static_cast<uint64_t>(places[i * rank + k]);
      }
      for (int64_t k = new_rank; k-- > 1;) {
        const auto size = static_cast<uint64_t>(target[static_cast<size_t>(k)]);
        to[i * new_rank + k] = static_cast<int64_t>(number % size);
        number /= size;
      }
      to[i * new_rank] = static_cast<int64_t>(number);
    }
  });
}

void sparse_fill_rows(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const int64_t count = indices.dim(0), rank = indices.dim(1);
  const int64_t rows = context.attrs<ops::SparseFillRowsAttrs>().rows;
  const auto* places = indices.data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = places[i * rank];
    if (row >= 0 && row < rows) continue;
    invalid_argument("indices(", i, ", 0) is invalid: ", row, " is not within [0, ", rows,
                     ") [Op:SparseFillEmptyRows]");
  }
  // The size of the results comes first: they are refused before memory for so many rows is used.
  std::vector<int64_t> present(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) present[static_cast<size_t>(i)] = places[i * rank];
  if (!std::is_sorted(present.begin(), present.end())) std::sort(present.begin(), present.end());
  const int64_t full = std::unique(present.begin(), present.end()) - present.begin();
  const int64_t total = count + (rows - full);
  const Tensor empty = Tensor::empty(DType::kBool, {rows});
  const Tensor filled = Tensor::empty(DType::kInt64, {total, rank});
  const Tensor order = Tensor::empty(DType::kInt64, {total});
  auto* const blank = empty.mutable_data<bool>();
  // First the number of elements of each row, then the position of the row's next element.
  const Scratch memory(static_cast<size_t>(rows + 1) * sizeof(int64_t));
  auto* const next = memory.as<int64_t>();
  std::fill_n(next, rows, int64_t{0});
  for (int64_t i = 0; i < count; ++i) ++next[places[i * rank]];
  int64_t begin = 0;
  for (int64_t r = 0; r < rows; ++r) {
    blank[r] = next[r] == 0;
    const int64_t size = std::max<int64_t>(next[r], 1);
    next[r] = begin;
    begin += size;
  }
  auto* const to = filled.mutable_data<int64_t>();
  auto* const from = order.mutable_data<int64_t>();
  for (int64_t r = 0; r < rows; ++r) {
    if (!blank[r]) continue;
    from[next[r]] = -1;
    std::fill_n(to + next[r] * rank, rank, int64_t{0});
    to[next[r] * rank] = r;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = next[places[i * rank]]++;
    from[place] = i;
    std::copy_n(places + i * rank, rank, to + place * rank);
  }
  context.output(0) = filled;
  context.output(1) = order;
  context.output(2) = empty;
}

}  // namespace ef::cpu
