// Sorting, searching and counting.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "device/isa.h"
#include "device/parallel.h"
#include "kernels/cpu/indexing.h"
#include "kernels/cpu/onednn.h"
#include "kernels/cpu/radix.h"
#include "kernels/cpu/search_loops.h"
#include "kernels/cpu/typed.h"
#include "kernels/cpu/widen.h"

namespace ef::cpu {
namespace {

const SearchLoops& search_loops() {
  static const SearchLoops& chosen = isa() == Isa::kAvx512 ? avx512::search_loops()
                                     : isa() == Isa::kAvx2 ? avx2::search_loops()
                                                           : baseline::search_loops();
  return chosen;
}

// Rows along one axis: element k of row r lies at start(r) + k * inner.
struct Rows {
  int64_t count = 1;
  int64_t width = 1;
  int64_t inner = 1;
  int64_t start(int64_t r) const { return r / inner * width * inner + r % inner; }
};

Rows rows_of(const Shape& shape, int64_t axis) {
  const int at = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
  Rows rows;
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

// NaN comes after all numbers.
template <class T>
bool before(T a, T b) {
  const auto x = arithmetic(a);
  const auto y = arithmetic(b);
  if constexpr (std::is_floating_point_v<std::remove_const_t<decltype(x)>>) {
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
  }
  return x < y;
}

// About this many elements are worth another thread.
constexpr int64_t kGrain = 4096;

// Calls body(row, memory for twice `width` items) for each row, on several threads.
template <class Item, class Body>
void for_rows(int64_t rows, int64_t width, const Body& body) {
  parallel_for(rows, std::max<int64_t>(1, kGrain / width), [&](int64_t begin, int64_t end) {
    const onednn::Scratch items(2 * static_cast<size_t>(width) * sizeof(Item));
    for (int64_t r = begin; r < end; ++r) body(r, items.as<Item>());
  });
}

// Keys with their places in the row, the least first; the largest if descending.
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

// More moves than these, and sorting by digits is cheaper.
constexpr int64_t kMovesPerElement = 16;

// Keeps the `kept` largest elements of a row in order with their places, the first of equal ones
// first. Gives up, and returns false, where too many have been the largest so far.
template <class T>
bool largest_of(const T* row, int64_t width, int64_t kept, T* values, int32_t* places) {
  int64_t found = 0;
  int64_t moves = 0;
  for (int64_t i = 0; i < width; ++i) {
    if (found == kept) {
      // False for NaN, which is looked at more closely.
      if constexpr (std::is_same_v<T, float>) {
        i = search_loops().next_above(row, i, width, values[kept - 1]);
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

// The same for many: those that may be among the largest, by the leading digits of their keys, are
// sorted.
template <class T>
void largest_of_many(const T* row, int64_t width, int64_t kept,
                     Placed<typename Keys<T>::Key>* items, T* values, int32_t* places) {
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
  items = radix_sort(items, items + width, found);
  for (int64_t k = 0; k < kept; ++k) {
    places[k] = items[k].place;
    values[k] = row[items[k].place];
  }
}

}  // namespace

void sort(KernelContext& context) {
  const Tensor& x = context.input(0);
  const Rows rows = rows_of(x.shape(), context.attrs().integer(0));
  const bool descending = context.attrs().integer(1) == 1;
  on_real_type(x.dtype(), [&]<class T>(T) {
    using Key = typename Keys<T>::Key;
    const Key flip = descending ? Keys<T>::kAll : Key{0};
    const T* from = x.data<T>();
    T* to = context.output(0).mutable_data<T>();
    for_rows<Key>(rows.count, rows.width, [&](int64_t r, Key* keys) {
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
  const Rows rows = rows_of(x.shape(), context.attrs().integer(0));
  const bool descending = context.attrs().integer(1) == 1;
  int32_t* out = context.output(0).mutable_data<int32_t>();
  on_real_type(x.dtype(), [&]<class T>(T) {
    using Item = Placed<typename Keys<T>::Key>;
    for_rows<Item>(rows.count, rows.width, [&](int64_t r, Item* items) {
      const int64_t start = rows.start(r);
      items = sorted_places(x.data<T>() + start, rows.width, rows.inner, descending, items);
      for (int64_t k = 0; k < rows.width; ++k) out[start + k * rows.inner] = items[k].place;
    });
  });
}

void top_k(KernelContext& context) {
  if (run_wide_by_rows(context, top_k)) return;
  const Tensor& x = context.input(0);
  const int64_t kept = context.attrs().integer(0);
  const int64_t width = x.shape().back();
  if (kept == 0) return;
  // Kept in order while a row is looked through, k elements are moved k log(width / k) times.
  const bool few = kept * kept <= width;
  on_real_type(x.dtype(), [&]<class T>(T) {
    const T* from = x.data<T>();
    T* values = context.output(0).mutable_data<T>();
    int32_t* places = context.output(1).mutable_data<int32_t>();
    for_rows<Placed<typename Keys<T>::Key>>(x.size() / width, width, [&](int64_t r, auto* items) {
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
  const bool right = context.attrs().integer(0) == 1;
  on_real_type(values.dtype(), [&]<class T>(T) {
    for (int64_t i = 0; i < values.size(); ++i) {
      const T* row = sequence.data<T>() + i / per_row * width;
      const T value = values.data<T>()[i];
      const T* found = right ? std::upper_bound(row, row + width, value, before<T>)
                             : std::lower_bound(row, row + width, value, before<T>);
      if (out.dtype() == DType::kInt32) {
        out.mutable_data<int32_t>()[i] = static_cast<int32_t>(found - row);
      } else {
        out.mutable_data<int64_t>()[i] = found - row;
      }
    }
  });
}

namespace {

// Distinct elements in the order they first appear.
template <class T, class Key, class KeyOf>
void unique_of(KernelContext& context, const KeyOf& key_of) {
  const Tensor& x = context.input(0);
  std::unordered_map<Key, int64_t> places;
  std::vector<int64_t> firsts;
  std::vector<int64_t> counts;
  std::vector<int64_t> index;
  for (int64_t i = 0; i < x.size(); ++i) {
    const auto [place, added] =
        places.emplace(key_of(x.data<T>()[i]), static_cast<int64_t>(firsts.size()));
    if (added) {
      firsts.push_back(i);
      counts.push_back(0);
    }
    ++counts[static_cast<size_t>(place->second)];
    index.push_back(place->second);
  }
  const auto size = static_cast<int64_t>(firsts.size());
  const DType out = context.attrs().dtype(0);
  context.output(0) = Tensor::empty(x.dtype(), {size});
  for (int64_t i = 0; i < size; ++i) {
    context.output(0).mutable_data<T>()[i] = x.data<T>()[firsts[static_cast<size_t>(i)]];
  }
  const auto store = [&](int k, const std::vector<int64_t>& numbers) {
    const Tensor to = Tensor::empty(out, {static_cast<int64_t>(numbers.size())});
    if (out == DType::kInt32) {
      std::copy(numbers.begin(), numbers.end(), to.mutable_data<int32_t>());
    } else {
      std::copy(numbers.begin(), numbers.end(), to.mutable_data<int64_t>());
    }
    context.output(k) = to;
  };
  store(1, index);
  store(2, counts);
}

}  // namespace

void unique_with_counts(KernelContext& context) {
  const DType dtype = context.input(0).dtype();
  if (dtype == DType::kString) {
    return unique_of<std::string, std::string>(context, [](const std::string& s) { return s; });
  }
  if (dtype == DType::kBool) {
    return unique_of<bool, bool>(context, [](bool value) { return value; });
  }
  on_real_type(dtype, [&]<class T>(T) {
    using Key = decltype(arithmetic(T()));
    unique_of<T, Key>(context, [](T value) -> Key { return arithmetic(value); });
  });
}

}  // namespace ef::cpu
