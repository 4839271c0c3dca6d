// Sparse tensors that are merged by their indices: unions, intersections, sums and products.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "device/scratch.h"
#include "kernels/cpu/sparse.h"
#include "kernels/cpu/sparse_rows.h"
#include "kernels/cpu/typed.h"

namespace ef::cpu {

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

namespace {

// Whether two lists have the same rows. Usually they differ at once, or are one and the same.
bool are_same_rows(const int64_t* a, int64_t a_count, const int64_t* b, int64_t b_count,
                   int64_t rank) {
  if (a == b || a_count != b_count) return a_count == b_count;
  std::atomic<bool> same = true;
  parallel_for(a_count * rank, kSparseGrain, [&](int64_t begin, int64_t end) {
    const auto bytes = static_cast<size_t>(end - begin) * sizeof(int64_t);
    if (std::memcmp(a + begin, b + begin, bytes) != 0) same = false;
  });
  return same;
}

// The rows that two ordered lists have in common.
struct CommonRows {
  CommonRows(const Tensor& left, const Tensor& right);

  // Calls visit(from, to, count): so many pairs of rows, from `first[from]` and `second[from]` on,
  // are those from `to` on in the result.
  template <class Visit>
  void each_part(const Visit& visit) const {
    for_pieces(static_cast<int64_t>(parts.size()) - 1, [&](int64_t piece) {
      const MergedPart& part = parts[static_cast<size_t>(piece)];
      visit(part.a + piece, part.out, part.merged);
    });
  }

  const int64_t a_count, b_count, rank;
  bool same = false;  // both lists are the same, without repeated rows: the fields below are empty
  int64_t count = 0;
  std::vector<MergedPart> parts;
  const int64_t* first = nullptr;
  const int64_t* second = nullptr;
  std::optional<Scratch> memory;
  std::vector<int64_t> repeated_a, repeated_b;
};

CommonRows::CommonRows(const Tensor& left, const Tensor& right)
    : a_count(left.dim(0)), b_count(right.dim(0)), rank(left.dim(1)) {
  const auto *a = left.data<int64_t>(), *b = right.data<int64_t>();
  parts = merged_parts(a, a_count, b, b_count, rank);
  const auto pieces = static_cast<int64_t>(parts.size()) - 1;
  std::atomic<bool> are_distinct = rank > 0;
  const auto find_repeated = [&](const int64_t* rows, int64_t begin, int64_t end) {
    if (are_distinct && has_rows_alike(rows + begin * rank, end - begin, rank))
      are_distinct = false;
  };
  if (are_same_rows(a, a_count, b, b_count, rank)) {
    // A piece begins with the last row of the one before it, so that these two are compared too.
    for_pieces(pieces, [&](int64_t piece) {
      const int64_t begin = a_count * piece / pieces, end = a_count * (piece + 1) / pieces;
      find_repeated(a, std::max<int64_t>(0, begin - 1), end);
    });
    same = are_distinct;
    count = a_count;
    if (same) return;
  }
  // Each part has room for all of its rows of a, and for one pair that is not kept.
  memory.emplace(2 * static_cast<size_t>(a_count + pieces) * sizeof(int64_t));
  auto* const from_a = memory->as<int64_t>();
  auto* const from_b = from_a + a_count + pieces;
  for_pieces(pieces, [&](int64_t piece) {
    const auto number = static_cast<size_t>(piece);
    MergedPart &part = parts[number], &next = parts[number + 1];
    find_repeated(a, part.a, next.a);
    find_repeated(b, part.b, next.b);
    if (!are_distinct) return;
    const int64_t start = part.a + piece;
    int64_t at = start, i = part.a, j = part.b;
    merge_places(a, next.a, b, next.b, rank, i, j, [&](int64_t k, int64_t l, bool of_a, bool of_b) {
      from_a[at] = k;
      from_b[at] = l;
      at += of_a && of_b;
    });
    part.merged = at - start;
  });
  first = from_a;
  second = from_b;
  if (!are_distinct) {
    meet_repeated(a, a_count, b, b_count, rank, repeated_a, repeated_b);
    first = repeated_a.data();
    second = repeated_b.data();
    parts = {MergedPart{.merged = static_cast<int64_t>(repeated_a.size())}, MergedPart{}};
  }
  count = 0;
  for (MergedPart& part : parts) part.out = std::exchange(count, count + part.merged);
}

// Their indices.
Tensor places_of(const CommonRows& rows, const Tensor& left) {
  if (rows.same) return left.alias();
  const int64_t rank = rows.rank;
  const Tensor places = Tensor::empty(DType::kInt64, {rows.count, rank});
  const auto* a = left.data<int64_t>();
  rows.each_part([&](int64_t from, int64_t to, int64_t count) {
    auto* place = places.mutable_data<int64_t>() + to * rank;
    for (int64_t i = from; i < from + count; ++i) {
      place = std::copy_n(a + rows.first[i] * rank, rank, place);
    }
  });
  return places;
}

}  // namespace

void sparse_intersection(KernelContext& context) {
  const CommonRows rows(context.input(0), context.input(1));
  const Tensor from_a = Tensor::empty(DType::kInt64, {rows.count});
  const Tensor from_b = rows.same ? from_a : Tensor::empty(DType::kInt64, {rows.count});
  auto *a = from_a.mutable_data<int64_t>(), *b = from_b.mutable_data<int64_t>();
  if (rows.same) {
    std::iota(a, a + rows.count, 0);
  } else {
    rows.each_part([&](int64_t from, int64_t to, int64_t count) {
      std::copy_n(rows.first + from, count, a + to);
      std::copy_n(rows.second + from, count, b + to);
    });
  }
  context.output(0) = places_of(rows, context.input(0));
  context.output(1) = from_a;
  context.output(2) = from_b;
}

void sparse_multiply(KernelContext& context) {
  const CommonRows rows(context.input(1), context.input(3));
  const Tensor values = Tensor::empty(context.input(0).dtype(), {rows.count});
  on_number_type(values.dtype(), [&]<class T>(T) {
    using Product = decltype(arithmetic(T()));
    const auto *x = context.input(0).data<T>(), *y = context.input(2).data<T>();
    auto* const to = values.mutable_data<T>();
    const auto product = [](T a, T b) {
      return static_cast<T>(static_cast<Product>(wrapping(a) * wrapping(b)));
    };
    if (rows.same) {
      parallel_for(rows.count, kSparseGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = product(x[i], y[i]);
      });
      return;
    }
    rows.each_part([&](int64_t from, int64_t out, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        to[out + i] = product(x[rows.first[from + i]], y[rows.second[from + i]]);
      }
    });
  });
  context.output(0) = values;
  context.output(1) = places_of(rows, context.input(1));
}

void sparse_sum(KernelContext& context) {
  const Tensor &left = context.input(1), &right = context.input(3);
  const int64_t a_count = left.dim(0), b_count = right.dim(0), rank = left.dim(1);
  const auto *a = left.data<int64_t>(), *b = right.data<int64_t>();
  if (are_same_rows(a, a_count, b, b_count, rank)) {
    const Tensor values = Tensor::empty(context.input(0).dtype(), {a_count});
    on_number_type(values.dtype(), [&]<class T>(T) {
      using Sum = decltype(arithmetic(T()));
      const auto *x = context.input(0).data<T>(), *y = context.input(2).data<T>();
      auto* const to = values.mutable_data<T>();
      parallel_for(a_count, kSparseGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          to[i] = static_cast<T>(static_cast<Sum>(wrapping(x[i]) + wrapping(y[i])));
        }
      });
    });
    context.output(0) = values;
    context.output(1) = left.alias();
    return;
  }
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

}  // namespace ef::cpu
