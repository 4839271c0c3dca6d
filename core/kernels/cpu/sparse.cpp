// The indices of sparse tensors: sorted, merged, sliced, reshaped and filled.
#include "kernels/cpu/sparse.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/radix.h"
#include "kernels/cpu/typed.h"
#include "ops/sparse.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

constexpr int64_t kSparseGrain = 16'384;

std::string row_text(const int64_t* row, int64_t rank) {
  std::string text = "[";
  for (int64_t k = 0; k < rank; ++k) text += (k ? ", " : "") + std::to_string(row[k]);
  return text + "]";
}

int compare(const int64_t* a, const int64_t* b, int64_t rank) {
  for (int64_t k = 0; k < rank; ++k) {
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  }
  return 0;
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

}  // namespace

void sparse_order(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const int64_t count = indices.dim(0), rank = indices.dim(1);
  const auto& [shape, perm] = context.attrs<ops::SparseOrderAttrs>();
  bool same_axes = true;
  for (int64_t k = 0; k < rank; ++k) same_axes &= perm[static_cast<size_t>(k)] == k;
  Ints sizes;
  for (int64_t axis : perm) sizes.push_back(shape[static_cast<size_t>(axis)]);
  Tensor moved = indices;
  if (!same_axes) {
    moved = Tensor::empty(DType::kInt64, indices.shape());
    const auto* from = indices.data<int64_t>();
    auto* to = moved.mutable_data<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t k = 0; k < rank; ++k) {
        to[i * rank + k] = from[i * rank + perm[static_cast<size_t>(k)]];
      }
    }
  }
  const auto* places = moved.data<int64_t>();
  bool ordered = true;
  for (int64_t i = 1; ordered && i < count; ++i) {
    ordered = compare(places + (i - 1) * rank, places + i * rank, rank) <= 0;
  }
  if (ordered) {
    context.output(0) = same_axes ? indices.alias() : moved;
    context.output(1) = Tensor::empty(DType::kInt64, {0});
    return;
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

void sparse_union(KernelContext& context) {
  const int64_t counts[2] = {context.input(0).dim(0), context.input(1).dim(0)};
  const int64_t rank = context.input(0).dim(1);
  const auto* a = context.input(0).data<int64_t>();
  const auto* b = context.input(1).data<int64_t>();
  const Scratch memory(2 * static_cast<size_t>(counts[0] + counts[1] + 1) * sizeof(int64_t));
  auto* const first = memory.as<int64_t>();
  auto* const second = first + counts[0] + counts[1];
  int64_t count = 0, i = 0, j = 0;
  while (i < counts[0] || j < counts[1]) {
    const int sign = i == counts[0]   ? 1
                     : j == counts[1] ? -1
                                      : compare(a + i * rank, b + j * rank, rank);
    first[count] = sign <= 0 ? i++ : -1;
    second[count++] = sign >= 0 ? j++ : -1;
  }
  const Tensor places = Tensor::empty(DType::kInt64, {count, rank});
  const Tensor from_a = Tensor::empty(DType::kInt64, {count});
  const Tensor from_b = Tensor::empty(DType::kInt64, {count});
  auto* to = places.mutable_data<int64_t>();
  for (int64_t k = 0; k < count; ++k) {
    const int64_t* row = first[k] >= 0 ? a + first[k] * rank : b + second[k] * rank;
    for (int64_t axis = 0; axis < rank; ++axis) *to++ = row[axis];
  }
  std::copy_n(first, count, from_a.mutable_data<int64_t>());
  std::copy_n(second, count, from_b.mutable_data<int64_t>());
  context.output(0) = places;
  context.output(1) = from_a;
  context.output(2) = from_b;
}

namespace {

// The order of two rows of indices without branches, which a processor could not predict.
struct Pairs {
  const int64_t* places;
  using Key = unsigned __int128;
  Key key(int64_t i) const {
    return static_cast<Key>(static_cast<uint64_t>(places[2 * i])) << 64 |
           static_cast<uint64_t>(places[2 * i + 1]);
  }
};

// Calls visit(i, j) for the rows of two ordered lists of indices in order: for rows that only one
// list has, the other number is -1.
template <class Visit>
void merge_places(const int64_t* a, int64_t a_count, const int64_t* b, int64_t b_count,
                  int64_t rank, const Visit& visit) {
  int64_t i = 0, j = 0;
  if (rank == 2) {
    const Pairs left{a}, right{b};
    while (i < a_count && j < b_count) {
      const Pairs::Key x = left.key(i), y = right.key(j);
      const bool first = x <= y, second = y <= x;
      visit(first ? i : -1, second ? j : -1);
      i += first;
      j += second;
    }
  } else {
    while (i < a_count && j < b_count) {
      const int sign = compare(a + i * rank, b + j * rank, rank);
      visit(sign <= 0 ? i : -1, sign >= 0 ? j : -1);
      i += sign <= 0;
      j += sign >= 0;
    }
  }
  while (i < a_count) visit(i++, -1);
  while (j < b_count) visit(-1, j++);
}

int64_t rows_alike(const int64_t* places, int64_t from, int64_t count, int64_t rank) {
  int64_t end = from + 1;
  while (end < count && compare(places + from * rank, places + end * rank, rank) == 0) ++end;
  return end - from;
}

}  // namespace

void sparse_intersection(KernelContext& context) {
  const Tensor &left = context.input(0), &right = context.input(1);
  const int64_t rank = left.dim(1);
  const auto *a = left.data<int64_t>(), *b = right.data<int64_t>();
  std::vector<int64_t> first, second;
  int64_t i = 0, j = 0;
  const int64_t a_count = left.dim(0), b_count = right.dim(0);
  while (i < a_count && j < b_count) {
    const int sign = rank == 2
                         ? (Pairs{a}.key(i) > Pairs{b}.key(j)) - (Pairs{a}.key(i) < Pairs{b}.key(j))
                         : compare(a + i * rank, b + j * rank, rank);
    if (sign != 0) {
      i += sign < 0;
      j += sign > 0;
      continue;
    }
    const int64_t of_a = rows_alike(a, i, a_count, rank), of_b = rows_alike(b, j, b_count, rank);
    for (int64_t k = 0; k < of_a * of_b; ++k) {
      first.push_back(i + k / of_b);
      second.push_back(j + k % of_b);
    }
    i += of_a;
    j += of_b;
  }
  const auto count = static_cast<int64_t>(first.size());
  const Tensor places = Tensor::empty(DType::kInt64, {count, rank});
  const Tensor from_a = Tensor::empty(DType::kInt64, {count});
  const Tensor from_b = Tensor::empty(DType::kInt64, {count});
  auto* to = places.mutable_data<int64_t>();
  for (int64_t at : first) to = std::copy_n(a + at * rank, rank, to);
  std::copy_n(first.data(), count, from_a.mutable_data<int64_t>());
  std::copy_n(second.data(), count, from_b.mutable_data<int64_t>());
  context.output(0) = places;
  context.output(1) = from_a;
  context.output(2) = from_b;
}

void sparse_sum(KernelContext& context) {
  const Tensor &left = context.input(1), &right = context.input(3);
  const int64_t counts[2] = {left.dim(0), right.dim(0)};
  const int64_t rank = left.dim(1);
  const auto *a = left.data<int64_t>(), *b = right.data<int64_t>();
  int64_t count = 0;
  merge_places(a, counts[0], b, counts[1], rank, [&](int64_t, int64_t) { ++count; });
  const Tensor values = Tensor::empty(context.input(0).dtype(), {count});
  const Tensor indices = Tensor::empty(DType::kInt64, {count, rank});
  auto* place = indices.mutable_data<int64_t>();
  on_number_type(values.dtype(), [&]<class T>(T) {
    using Sum = decltype(arithmetic(T()));
    const auto *x = context.input(0).data<T>(), *y = context.input(2).data<T>();
    auto* value = values.mutable_data<T>();
    merge_places(a, counts[0], b, counts[1], rank, [&](int64_t i, int64_t j) {
      const int64_t* const row = i >= 0 ? a + i * rank : b + j * rank;
      for (int64_t k = 0; k < rank; ++k) place[k] = row[k];
      place += rank;
      const Sum one = i >= 0 ? Sum(arithmetic(x[i])) : Sum(0);
      const Sum other = j >= 0 ? Sum(arithmetic(y[j])) : Sum(0);
      *value++ = static_cast<T>(wrapping(one) + wrapping(other));
    });
  });
  context.output(0) = values;
  context.output(1) = indices;
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

void sparse_slice_places(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const int64_t count = indices.dim(0), rank = indices.dim(1);
  const auto& [begin, size] = context.attrs<ops::SparseSlicePlacesAttrs>();
  const auto* places = indices.data<int64_t>();
  const Scratch memory(static_cast<size_t>(count + 1) * sizeof(int64_t));
  auto* const kept = memory.as<int64_t>();
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    bool inside = true;
    for (int64_t k = 0; k < rank; ++k) {
      const int64_t index = places[i * rank + k];
      const int64_t first = begin[static_cast<size_t>(k)];
      // Unsigned, so that differences cannot overflow.
      const auto step = static_cast<uint64_t>(index) - static_cast<uint64_t>(first);
      inside &= index >= first && size[static_cast<size_t>(k)] > 0 &&
                step < static_cast<uint64_t>(size[static_cast<size_t>(k)]);
    }
    kept[found] = i;
    found += inside;
  }
  const Tensor moved = Tensor::empty(DType::kInt64, {found, rank});
  const Tensor which = Tensor::empty(DType::kInt64, {found});
  std::copy_n(kept, found, which.mutable_data<int64_t>());
  auto* to = moved.mutable_data<int64_t>();
  for (int64_t i = 0; i < found; ++i) {
    for (int64_t k = 0; k < rank; ++k) {
      *to++ = places[kept[i] * rank + k] - begin[static_cast<size_t>(k)];
    }
  }
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
