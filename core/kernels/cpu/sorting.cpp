// Sorting, searching and counting.
#include <algorithm>
#include <cmath>
#include <vector>

#include "data/key_index.h"
#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/indexing.h"
#include "kernels/cpu/radix.h"
#include "kernels/cpu/search_loops.h"
#include "kernels/cpu/typed.h"
#include "kernels/cpu/widen.h"
#include "ops/indexing.h"

namespace ef::cpu {
namespace {

// Rows along one axis: element k of row r is at index start(r) + k * inner.
struct SortedRows {
  int64_t count = 1;
  int64_t width = 1;
  int64_t inner = 1;
  int64_t start(int64_t r) const { return r / inner * width * inner + r % inner; }
};

SortedRows rows_along(const Shape& shape, int64_t axis) {
  const int at = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
  SortedRows rows;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i == at) {
      rows.width = shape[i];
    } else {
      rows.count *= shape[i];
    }
    if (i > at) rows.inner *= shape[i];
  }
  return rows;
}

// NaN comes after all other values.
template <class T>
bool before(T a, T b) {
  const auto x = arithmetic(a);
  const auto y = arithmetic(b);
  if constexpr (std::is_floating_point_v<std::remove_const_t<decltype(x)>>) {
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
  }
  return x < y;
}

// The number of elements for a thread.
constexpr int64_t kSortGrain = 4096;

// Calls body(row, memory for twice `width` items) for each row, on several threads.
template <class Item, class Body>
void for_sorted_rows(int64_t rows, int64_t width, const Body& body) {
  parallel_for(rows, std::max<int64_t>(1, kSortGrain / width), [&](int64_t begin, int64_t end) {
    const Scratch items(2 * static_cast<size_t>(width) * sizeof(Item));
    for (int64_t r = begin; r < end; ++r) body(r, items.as<Item>());
  });
}

// Keys with their indices in the row, in ascending or descending order.
template <class T>
auto* sorted_places(const T* row, int64_t width, int64_t inner, bool descending,
                    Placed<typename Keys<T>::Key>* items) {
  using Key = typename Keys<T>::Key;
  const Key flip = descending ? Keys<T>::kAll : Key{0};
  for (int64_t k = 0; k < width; ++k) {
    items[k] = {static_cast<Key>(Keys<T>::equal_zeros(row[k * inner]) ^ flip),
                static_cast<int32_t>(k)};
  }
  return radix_sort(items, items + width, width);
}

// If selection needs more moves than these, radix sort is faster.
constexpr int64_t kMovesPerElement = 16;

// Writes the `kept` largest elements of a row, in order, and their indices; ties in order of index.
// Returns false after too many moves.
template <class T>
bool largest_of(const T* row, int64_t width, int64_t kept, T* values, int32_t* places) {
  int64_t found = 0;
  int64_t moves = 0;
  for (int64_t i = 0; i < width; ++i) {
    if (found == kept) {
      // False for NaN, which is handled below.
      if constexpr (std::is_same_v<T, float>) {
        i = best::search_loops().next_above(row, i, width, values[kept - 1]);
        if (i == width) return true;
      } else if (arithmetic(row[i]) <= arithmetic(values[kept - 1])) {
        continue;
      }
      if (!before(values[kept - 1], row[i])) continue;
    } else {
      ++found;
    }
    const T value = row[i];
    int64_t place = found - 1;
    for (; place > 0 && before(values[place - 1], value); --place) {
      values[place] = values[place - 1];
      places[place] = places[place - 1];
    }
    values[place] = value;
    places[place] = static_cast<int32_t>(i);
    moves += found - place;
    if (moves > kMovesPerElement * width) return false;
  }
  return true;
}

// The elements whose keys have the leading digits of the `kept` largest ones, in descending order.
template <class T>
auto* sorted_candidates(const T* row, int64_t width, int64_t kept,
                        Placed<typename Keys<T>::Key>* items) {
  using Key = typename Keys<T>::Key;
  constexpr int kBits = std::min<int>(11, 8 * sizeof(Key));
  constexpr int kShift = 8 * sizeof(Key) - kBits;
  int64_t counts[1 << kBits] = {};
  for (int64_t i = 0; i < width; ++i) ++counts[Keys<T>::equal_zeros(row[i]) >> kShift];
  int least = (1 << kBits) - 1;
  for (int64_t above = counts[least]; above < kept; above += counts[least]) --least;
  int64_t found = 0;
  for (int64_t i = 0; i < width; ++i) {
    const Key key = Keys<T>::equal_zeros(row[i]);
    if (static_cast<int>(key >> kShift) < least) continue;
    items[found++] = {static_cast<Key>(~key), static_cast<int32_t>(i)};
  }
  return radix_sort(items, items + width, found);
}

// Up to this width a row is sorted as a whole: counting digits would take longer.
constexpr int64_t kSortedWidth = 512;

// The same for many elements.
template <class T>
void largest_of_many(const T* row, int64_t width, int64_t kept,
                     Placed<typename Keys<T>::Key>* items, T* values, int32_t* places) {
  if (width <= kSortedWidth) {
    items = sorted_places(row, width, 1, true, items);
  } else {
    items = sorted_candidates(row, width, kept, items);
  }
  for (int64_t k = 0; k < kept; ++k) {
    places[k] = items[k].place;
    values[k] = row[items[k].place];
  }
}

}  // namespace

void sort(KernelContext& context) {
  const Tensor& x = context.input(0);
  const SortedRows rows = rows_along(x.shape(), context.attrs<ops::SortAttrs>().axis);
  const bool descending =
      context.attrs<ops::SortAttrs>().direction == ops::SortDirection::kDescending;
  on_real_type(x.dtype(), [&]<class T>(T) {
    using Key = typename Keys<T>::Key;
    const Key flip = descending ? Keys<T>::kAll : Key{0};
    const T* from = x.data<T>();
    T* to = context.output(0).mutable_data<T>();
    for_sorted_rows<Key>(rows.count, rows.width, [&](int64_t r, Key* keys) {
      const int64_t start = rows.start(r);
      for (int64_t k = 0; k < rows.width; ++k) {
        keys[k] = static_cast<Key>(Keys<T>::of(from[start + k * rows.inner]) ^ flip);
      }
      keys = radix_sort(keys, keys + rows.width, rows.width);
      for (int64_t k = 0; k < rows.width; ++k) {
        to[start + k * rows.inner] = Keys<T>::value(static_cast<Key>(keys[k] ^ flip));
      }
    });
  });
}

void argsort(KernelContext& context) {
  const Tensor& x = context.input(0);
  const SortedRows rows = rows_along(x.shape(), context.attrs<ops::SortAttrs>().axis);
  const bool descending =
      context.attrs<ops::SortAttrs>().direction == ops::SortDirection::kDescending;
  int32_t* out = context.output(0).mutable_data<int32_t>();
  on_real_type(x.dtype(), [&]<class T>(T) {
    using Item = Placed<typename Keys<T>::Key>;
    for_sorted_rows<Item>(rows.count, rows.width, [&](int64_t r, Item* items) {
      const int64_t start = rows.start(r);
      items = sorted_places(x.data<T>() + start, rows.width, rows.inner, descending, items);
      for (int64_t k = 0; k < rows.width; ++k) out[start + k * rows.inner] = items[k].place;
    });
  });
}

void top_k(KernelContext& context) {
  if (run_wide_by_rows(context, top_k)) return;
  const Tensor& x = context.input(0);
  const int64_t kept = context.attrs<ops::TopKAttrs>().k;
  const int64_t width = x.shape().back();
  if (kept == 0) return;
  // Insertion while scanning a row moves elements about k log(width / k) times.
  constexpr int64_t kShortRow = 16;
  const bool few = width <= kShortRow || kept * kept <= width;
  on_real_type(x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* values = context.output(0).mutable_data<T>();
    int32_t* places = context.output(1).mutable_data<int32_t>();
    for_sorted_rows<Placed<typename Keys<T>::Key>>(
        x.size() / width, width, [&](int64_t r, auto* items) {
          const T* row = from + r * width;
          if (few && largest_of(row, width, kept, values + r * kept, places + r * kept)) return;
          largest_of_many(row, width, kept, items, values + r * kept, places + r * kept);
        });
  });
}

void searchsorted(KernelContext& context) {
  const Tensor& sequence = context.input(0);
  const Tensor& values = context.input(1);
  const Tensor& out = context.output(0);
  const int64_t width = sequence.shape().back();
  const int64_t per_row = values.shape().back();
  const bool right = context.attrs<ops::SearchSortedAttrs>().side == ops::SearchSide::kRight;
  const auto grain = 16'384 / std::bit_width(static_cast<uint64_t>(width) + 2);
  on_real_type(values.dtype(), [&]<class T>(T) {
    const auto find = [&](auto* to) {
      parallel_for(values.size(), grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T* row = sequence.data<T>() + i / per_row * width;
          const T value = values.data<T>()[i];
          // Halves the range without an unpredictable branch.
          int64_t first = 0;
          for (int64_t left = width; left > 0;) {
            const int64_t half = left / 2;
            const T other = row[first + half];
            const bool below = right ? !before<T>(value, other) : before<T>(other, value);
            first = below ? first + half + 1 : first;
            left = below ? left - half - 1 : half;
          }
          to[i] = static_cast<std::remove_pointer_t<decltype(to)>>(first);
        }
      });
    };
    if (out.dtype() == DType::kInt32) {
      find(out.mutable_data<int32_t>());
    } else {
      find(out.mutable_data<int64_t>());
    }
  });
}

namespace {

// Distinct elements in order of first appearance. number_of(i, known) returns the number of element
// i. A new element gets the number `known`, the count of distinct elements so far.
template <class T, class Count, class NumberOf>
void number_elements(KernelContext& context, const NumberOf& number_of) {
  const Tensor& x = context.input(0);
  const int64_t count = x.size();
  const T* const from = x.data<T>();
  const DType out = context.attrs<ops::UniqueAttrs>().out_idx;
  const Tensor index = Tensor::empty(out, {count});
  Count* const numbers = index.mutable_data<Count>();
  std::vector<int64_t> firsts;
  std::vector<Count> counts;
  serial_for(count, [&](int64_t i) {
    const auto number = static_cast<size_t>(number_of(i, std::ssize(firsts)));
    if (number == firsts.size()) {
      firsts.push_back(i);
      counts.push_back(0);
    }
    ++counts[number];
    numbers[i] = static_cast<Count>(number);
  });
  const auto size = std::ssize(firsts);
  context.output(0) = Tensor::empty(x.dtype(), {size});
  T* const to = context.output(0).mutable_data<T>();
  for (int64_t i = 0; i < size; ++i) to[i] = from[firsts[static_cast<size_t>(i)]];
  context.output(1) = index;
  context.output(2) = Tensor::empty(out, {size});
  std::copy(counts.begin(), counts.end(), context.output(2).mutable_data<Count>());
}

// By hash tables of keys.
template <class T, class Key, class Count, class KeyOf>
void unique_of(KernelContext& context, const KeyOf& key_of) {
  const int64_t count = context.input(0).size();
  const T* const from = context.input(0).data<T>();
  data::KeyIndex<Key> known;
  constexpr int64_t kAhead = 8;
  number_elements<T, Count>(context, [&](int64_t i, int64_t) {
    if (i + kAhead < count) known.prefetch(key_of(from[i + kAhead], i + kAhead));
    return known.add(key_of(from[i], i));
  });
}

// Integers in a small range are looked up in a table, by their distance from the least one.
template <class T, class Count>
void unique_integers(KernelContext& context) {
  const int64_t count = context.input(0).size();
  const T* const from = context.input(0).data<T>();
  T least = count > 0 ? from[0] : T(0);
  T greatest = least;
  for (int64_t i = 1; i < count; ++i) {
    least = std::min(least, from[i]);
    greatest = std::max(greatest, from[i]);
  }
  const auto distance = [=](T value) {
    return static_cast<uint64_t>(value) - static_cast<uint64_t>(least);
  };
  if (distance(greatest) >= 2 * static_cast<uint64_t>(count)) {
    return unique_of<T, uint64_t, Count>(
        context, [](T value, int64_t) { return static_cast<uint64_t>(value); });
  }
  std::vector<Count> numbers(distance(greatest) + 1, Count(-1));
  number_elements<T, Count>(context, [&](int64_t i, int64_t known) {
    Count& number = numbers[distance(from[i])];
    if (number < 0) number = static_cast<Count>(known);
    return number;
  });
}

template <class Count>
void unique_as(KernelContext& context) {
  const DType dtype = context.input(0).dtype();
  if (dtype == DType::kString) {
    return unique_of<std::string, std::string_view, Count>(
        context, [](const std::string& text, int64_t) { return std::string_view(text); });
  }
  if (dtype == DType::kBool) {
    return unique_of<bool, uint64_t, Count>(context,
                                            [](bool value, int64_t) { return uint64_t{value}; });
  }
  on_real_type(dtype, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T>) {
      unique_integers<T, Count>(context);
    } else {
      using Number = decltype(arithmetic(T()));
      constexpr bool kWide = sizeof(Number) == 8;
      // Both zeros are equal. Each NaN differs from all others, so its key is its index.
      const auto key = [](T value, int64_t i) -> uint64_t {
        const Number number = arithmetic(value);
        if (number == 0) return 0;
        if constexpr (kWide) {
          if (number != number) return 0xfff8000000000000U | static_cast<uint64_t>(i);
          return std::bit_cast<uint64_t>(number);
        } else {
          if (number != number) return (uint64_t{1} << 32) + static_cast<uint64_t>(i);
          return std::bit_cast<uint32_t>(number);
        }
      };
      unique_of<T, uint64_t, Count>(context, key);
    }
  });
}

}  // namespace

void unique_with_counts(KernelContext& context) {
  if (context.attrs<ops::UniqueAttrs>().out_idx == DType::kInt32) {
    unique_as<int32_t>(context);
  } else {
    unique_as<int64_t>(context);
  }
}

}  // namespace ef::cpu
