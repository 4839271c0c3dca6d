// The indices of sparse tensors: sorted, merged, sliced, reshaped and filled.
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

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/radix.h"
#include "kernels/cpu/typed.h"
#include "ops/sparse.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

constexpr int64_t kSparseGrain = 16'384;

// Into how many pieces so many elements are divided for threads.
int64_t pieces_of(int64_t count) {
  return std::max<int64_t>(1, std::min<int64_t>(max_threads(), count / kSparseGrain));
}

// Calls body(piece) for each piece; threads share them.
template <class Body>
void for_pieces(int64_t pieces, const Body& body) {
  parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) body(piece);
  });
}

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

namespace {

// Parts of two ordered lists of indices, which pieces of work merge: rows from `a` up to the next
// part's `a`, and the same of b. Equal rows are in one part.
struct MergedPart {
  int64_t a = 0;
  int64_t b = 0;
  int64_t merged = 0;  // the rows until one list ends
  int64_t out = 0;     // where the part's rows begin in the result
};

// The first row that is not before a given one.
int64_t lower_row(const int64_t* places, int64_t count, int64_t rank, const int64_t* row) {
  int64_t begin = 0;
  while (begin < count) {
    const int64_t middle = begin + (count - begin) / 2;
    if (compare(places + middle * rank, row, rank) < 0) {
      begin = middle + 1;
    } else {
      count = middle;
    }
  }
  return begin;
}

std::vector<MergedPart> merged_parts(const int64_t* a, int64_t a_count, const int64_t* b,
                                     int64_t b_count, int64_t rank) {
  const int64_t pieces = pieces_of(a_count + b_count);
  std::vector<MergedPart> parts(static_cast<size_t>(pieces) + 1);
  const bool by_a = a_count >= b_count;  // the longer list is divided evenly
  for (int64_t k = 1; k < pieces; ++k) {
    const int64_t* row = by_a ? a + a_count * k / pieces * rank : b + b_count * k / pieces * rank;
    auto& part = parts[static_cast<size_t>(k)];
    const MergedPart& before = parts[static_cast<size_t>(k) - 1];
    // The rows of a program may be in any order.
    part.a = std::max(before.a, lower_row(a, a_count, rank, row));
    part.b = std::max(before.b, lower_row(b, b_count, rank, row));
  }
  parts.back().a = a_count;
  parts.back().b = b_count;
  return parts;
}

// All pairs of equal rows of two lists, each of which may have rows several times.
void meet_repeated(const int64_t* a, int64_t a_count, const int64_t* b, int64_t b_count,
                   int64_t rank, std::vector<int64_t>& first, std::vector<int64_t>& second) {
  int64_t i = 0, j = 0;
  while (i < a_count && j < b_count) {
    const int sign = compare(a + i * rank, b + j * rank, rank);
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
}

}  // namespace

void sparse_intersection(KernelContext& context) {
  const Tensor &left = context.input(0), &right = context.input(1);
  const int64_t rank = left.dim(1), a_count = left.dim(0), b_count = right.dim(0);
  const auto *a = left.data<int64_t>(), *b = right.data<int64_t>();
  std::vector<MergedPart> parts = merged_parts(a, a_count, b, b_count, rank);
  const auto pieces = static_cast<int64_t>(parts.size()) - 1;
  const Scratch memory(2 * static_cast<size_t>(a_count + pieces) * sizeof(int64_t));
  // Each part has room for all of its rows of a, and for one pair that is not kept.
  auto* first = memory.as<int64_t>();
  auto* second = first + a_count + pieces;
  std::atomic<bool> are_distinct = rank > 0;
  const auto each_part = [&](const auto& visit) {
    for_pieces(pieces, [&](int64_t piece) {
      const auto at = static_cast<size_t>(piece);
      visit(parts[at], parts[at + 1], parts[at].a + piece);
    });
  };
  each_part([&](MergedPart& part, const MergedPart& next, int64_t at) {
    if (!are_distinct || has_rows_alike(a + part.a * rank, next.a - part.a, rank) ||
        has_rows_alike(b + part.b * rank, next.b - part.b, rank)) {
      are_distinct = false;
      return;
    }
    int64_t count = at, i = part.a, j = part.b;
    merge_places(a, next.a, b, next.b, rank, i, j, [&](int64_t k, int64_t l, bool of_a, bool of_b) {
      first[count] = k;
      second[count] = l;
      count += of_a && of_b;
    });
    part.merged = count - at;
  });
  std::vector<int64_t> repeated_a, repeated_b;
  if (!are_distinct) {
    meet_repeated(a, a_count, b, b_count, rank, repeated_a, repeated_b);
    first = repeated_a.data();
    second = repeated_b.data();
    parts = {MergedPart{.merged = static_cast<int64_t>(repeated_a.size())}, MergedPart{}};
  }
  int64_t count = 0;
  for (MergedPart& part : parts) part.out = std::exchange(count, count + part.merged);
  const Tensor places = Tensor::empty(DType::kInt64, {count, rank});
  const Tensor from_a = Tensor::empty(DType::kInt64, {count});
  const Tensor from_b = Tensor::empty(DType::kInt64, {count});
  parallel_for(static_cast<int64_t>(parts.size()) - 1, 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const MergedPart& part = parts[static_cast<size_t>(k)];
      const int64_t from = part.a + k;
      auto* to = places.mutable_data<int64_t>() + part.out * rank;
      for (int64_t i = from; i < from + part.merged; ++i) {
        to = std::copy_n(a + first[i] * rank, rank, to);
      }
      std::copy_n(first + from, part.merged, from_a.mutable_data<int64_t>() + part.out);
      std::copy_n(second + from, part.merged, from_b.mutable_data<int64_t>() + part.out);
    }
  });
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
  std::vector<MergedPart> parts = merged_parts(a, a_count, b, b_count, rank);
  const auto pieces = static_cast<int64_t>(parts.size()) - 1;
  for_pieces(pieces, [&](int64_t piece) {
    const MergedPart& next = parts[static_cast<size_t>(piece) + 1];
    MergedPart& part = parts[static_cast<size_t>(piece)];
    uint8_t* const to = sources + part.a + part.b;
    int64_t count = 0, i = part.a, j = part.b;
    merge_places(a, next.a, b, next.b, rank, i, j, [&](int64_t, int64_t, bool first, bool second) {
      to[count++] = static_cast<uint8_t>(int{first} + 2 * int{second});
    });
    part.merged = count;
    part.out = count + next.a - i + next.b - j;
  });
  int64_t count = 0;
  for (MergedPart& part : parts) part.out = std::exchange(count, count + part.out);
  const Tensor values = Tensor::empty(context.input(0).dtype(), {count});
  const Tensor indices = Tensor::empty(DType::kInt64, {count, rank});
  on_number_type(values.dtype(), [&]<class T>(T) {
    using Sum = decltype(arithmetic(T()));
    const auto *x = context.input(0).data<T>(), *y = context.input(2).data<T>();
    const T none = T(0);
    for_pieces(pieces, [&](int64_t piece) {
      const MergedPart &part = parts[static_cast<size_t>(piece)],
                       &next = parts[static_cast<size_t>(piece) + 1];
      const uint8_t* const from = sources + part.a + part.b;
      auto* place = indices.mutable_data<int64_t>() + part.out * rank;
      auto* value = values.mutable_data<T>() + part.out;
      int64_t i = part.a, j = part.b;
      for (int64_t k = 0; k < part.merged; ++k) {
        const bool first = from[k] & 1, second = from[k] & 2;
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
      place = std::copy_n(a + i * rank, (next.a - i) * rank, place);
      std::copy_n(b + j * rank, (next.b - j) * rank, place);
      value = std::copy_n(x + i, next.a - i, value);
      std::copy_n(y + j, next.b - j, value);
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
      for (int64_t i = bound(piece); i < bound(piece + 1); ++i) {
        kept[found] = i;
        found += is_inside(places + i * rank);
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
