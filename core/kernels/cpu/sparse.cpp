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

// A row of two indices as one number.
unsigned __int128 pair_key(const int64_t* places, int64_t i) {
  return static_cast<unsigned __int128>(static_cast<uint64_t>(places[2 * i])) << 64 |
         static_cast<uint64_t>(places[2 * i + 1]);
}

// Walks through the rows of two ordered lists of indices in order, and calls visit(i, j, first,
// second): whether the next row is row i of a, row j of b, or both. Pairs are compared without
// branches, which a processor could not predict. Ends with the first list.
template <class Visit>
void merge_places(const int64_t* a, int64_t a_count, const int64_t* b, int64_t b_count,
                  int64_t rank, int64_t& i, int64_t& j, const Visit& visit) {
  const auto walk = [&](const auto& order) {
    while (i < a_count && j < b_count) {
      const auto [first, second] = order(i, j);
      visit(i, j, first, second);
      i += first;
      j += second;
    }
  };
  if (rank == 2) {
    walk([=](int64_t k, int64_t l) {
      const auto x = pair_key(a, k), y = pair_key(b, l);
      return std::pair(x <= y, y <= x);
    });
  } else {
    walk([=](int64_t k, int64_t l) {
      const int sign = compare(a + k * rank, b + l * rank, rank);
      return std::pair(sign <= 0, sign >= 0);
    });
  }
}

// The number of rows from a position on that are equal.
int64_t rows_alike(const int64_t* places, int64_t from, int64_t count, int64_t rank) {
  int64_t end = from + 1;
  while (end < count && compare(places + from * rank, places + end * rank, rank) == 0) ++end;
  return end - from;
}

bool has_rows_alike(const int64_t* places, int64_t count, int64_t rank) {
  for (int64_t i = 1; i < count; ++i) {
    if (places[i * rank + rank - 1] == places[(i - 1) * rank + rank - 1] &&
        rows_alike(places, i - 1, count, rank) > 1) {
      return true;
    }
  }
  return false;
}

}  // namespace

void sparse_intersection(KernelContext& context) {
  const Tensor &left = context.input(0), &right = context.input(1);
  const int64_t rank = left.dim(1), a_count = left.dim(0), b_count = right.dim(0);
  const auto *a = left.data<int64_t>(), *b = right.data<int64_t>();
  std::vector<int64_t> repeated_a, repeated_b;
  const Scratch memory(2 * static_cast<size_t>(std::min(a_count, b_count) + 1) * sizeof(int64_t));
  auto* first = memory.as<int64_t>();
  auto* second = first + std::min(a_count, b_count) + 1;
  int64_t count = 0, i = 0, j = 0;
  if (rank == 0 || has_rows_alike(a, a_count, rank) || has_rows_alike(b, b_count, rank)) {
    while (i < a_count && j < b_count) {
      const int sign = compare(a + i * rank, b + j * rank, rank);
      if (sign != 0) {
        i += sign < 0;
        j += sign > 0;
        continue;
      }
      const int64_t of_a = rows_alike(a, i, a_count, rank), of_b = rows_alike(b, j, b_count, rank);
      for (int64_t k = 0; k < of_a * of_b; ++k) {
        repeated_a.push_back(i + k / of_b);
        repeated_b.push_back(j + k % of_b);
      }
      i += of_a;
      j += of_b;
    }
    count = static_cast<int64_t>(repeated_a.size());
    first = repeated_a.data();
    second = repeated_b.data();
  } else {
    merge_places(a, a_count, b, b_count, rank, i, j,
                 [&](int64_t k, int64_t l, bool of_a, bool of_b) {
                   first[count] = k;
                   second[count] = l;
                   count += of_a && of_b;
                 });
  }
  const Tensor places = Tensor::empty(DType::kInt64, {count, rank});
  const Tensor from_a = Tensor::empty(DType::kInt64, {count});
  const Tensor from_b = Tensor::empty(DType::kInt64, {count});
  auto* to = places.mutable_data<int64_t>();
  for (int64_t k = 0; k < count; ++k) to = std::copy_n(a + first[k] * rank, rank, to);
  std::copy_n(first, count, from_a.mutable_data<int64_t>());
  std::copy_n(second, count, from_b.mutable_data<int64_t>());
  context.output(0) = places;
  context.output(1) = from_a;
  context.output(2) = from_b;
}

void sparse_sum(KernelContext& context) {
  const Tensor &left = context.input(1), &right = context.input(3);
  const int64_t a_count = left.dim(0), b_count = right.dim(0), rank = left.dim(1);
  const auto *a = left.data<int64_t>(), *b = right.data<int64_t>();
  // Which lists have each row, bit 0 for a and bit 1 for b.
  const Scratch memory(static_cast<size_t>(a_count + b_count + 1));
  auto* const sources = memory.as<uint8_t>();
  int64_t count = 0, i = 0, j = 0;
  merge_places(a, a_count, b, b_count, rank, i, j, [&](int64_t, int64_t, bool first, bool second) {
    sources[count++] = static_cast<uint8_t>(int{first} + 2 * int{second});
  });
  const int64_t merged = count;
  const int64_t rest_a = i, rest_b = j;
  count += a_count - i + b_count - j;
  const Tensor values = Tensor::empty(context.input(0).dtype(), {count});
  const Tensor indices = Tensor::empty(DType::kInt64, {count, rank});
  auto* place = indices.mutable_data<int64_t>();
  on_number_type(values.dtype(), [&]<class T>(T) {
    using Sum = decltype(arithmetic(T()));
    const auto *x = context.input(0).data<T>(), *y = context.input(2).data<T>();
    auto* value = values.mutable_data<T>();
    const T none = T(0);
    i = j = 0;
    for (int64_t k = 0; k < merged; ++k) {
      const bool first = sources[k] & 1, second = sources[k] & 2;
      const int64_t* const row = first ? a + i * rank : b + j * rank;
      if (rank == 2) {
        place[0] = row[0];
        place[1] = row[1];
      } else {
        std::copy_n(row, rank, place);
      }
      place += rank;
      const T *one = first ? x + i : &none, *other = second ? y + j : &none;
      *value++ = static_cast<T>(static_cast<Sum>(wrapping(*one) + wrapping(*other)));
      i += first;
      j += second;
    }
    place = std::copy_n(a + rest_a * rank, (a_count - rest_a) * rank, place);
    place = std::copy_n(b + rest_b * rank, (b_count - rest_b) * rank, place);
    value = std::copy_n(x + rest_a, a_count - rest_a, value);
    std::copy_n(y + rest_b, b_count - rest_b, value);
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
