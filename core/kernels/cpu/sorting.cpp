// Sorting, searching and counting.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "kernels/cpu/indexing.h"
#include "kernels/cpu/typed.h"

namespace ef::cpu {
namespace {

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

// The order that sorts a row, equal elements in their original order.
template <class T>
void order_row(const T* x, const Rows& rows, int64_t r, bool descending,
               std::vector<int32_t>& order) {
  order.resize(static_cast<size_t>(rows.width));
  std::iota(order.begin(), order.end(), 0);
  const T* row = x + rows.start(r);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const T first = row[a * rows.inner];
    const T second = row[b * rows.inner];
    return descending ? before(second, first) : before(first, second);
  });
}

// Calls body(type, row, place, original index) for every element in sorted order.
template <class Body>
void for_sorted(const Tensor& x, int64_t axis, bool descending, const Body& body) {
  const Rows rows = rows_of(x.shape(), axis);
  std::vector<int32_t> order;
  on_real_type(x.dtype(), [&]<class T>(T) {
    for (int64_t r = 0; r < rows.count; ++r) {
      order_row(x.data<T>(), rows, r, descending, order);
      for (int64_t k = 0; k < rows.width; ++k) {
        body(T{}, rows, r, k, order[static_cast<size_t>(k)]);
      }
    }
  });
}

// Keeps the indices of the `kept` largest elements of a row in order, the first of equal ones
// first.
template <class T>
void largest_of(const T* row, int64_t width, int64_t kept, int32_t* best) {
  int64_t found = 0;
  for (int64_t i = 0; i < width; ++i) {
    const T value = row[i];
    if (found == kept) {
      // False for NaN, which is looked at more closely.
      if (arithmetic(value) <= arithmetic(row[best[kept - 1]])) continue;
      if (!before(row[best[kept - 1]], value)) continue;
    } else {
      ++found;
    }
    int64_t place = found - 1;
    for (; place > 0 && before(row[best[place - 1]], value); --place) best[place] = best[place - 1];
    best[place] = static_cast<int32_t>(i);
  }
}

// Below this share of a row, looking for the largest is cheaper than sorting.
constexpr int64_t kFewOfMany = 16;

}  // namespace

void sort(KernelContext& context) {
  const Tensor& x = context.input(0);
  for_sorted(x, context.attrs().integer(0), context.attrs().integer(1) == 1,
             [&]<class T>(T, const Rows& rows, int64_t r, int64_t k, int32_t index) {
               context.output(0).mutable_data<T>()[rows.start(r) + k * rows.inner] =
                   x.data<T>()[rows.start(r) + index * rows.inner];
             });
}

void argsort(KernelContext& context) {
  for_sorted(context.input(0), context.attrs().integer(0), context.attrs().integer(1) == 1,
             [&]<class T>(T, const Rows& rows, int64_t r, int64_t k, int32_t index) {
               context.output(0).mutable_data<int32_t>()[rows.start(r) + k * rows.inner] = index;
             });
}

void top_k(KernelContext& context) {
  const Tensor& x = context.input(0);
  const int64_t kept = context.attrs().integer(0);
  const int64_t width = x.shape().back();
  if (kept == 0) return;
  if (kept * kFewOfMany <= width) {
    on_real_type(x.dtype(), [&]<class T>(T) {
      for (int64_t r = 0; r < x.size() / width; ++r) {
        const T* row = x.data<T>() + r * width;
        int32_t* best = context.output(1).mutable_data<int32_t>() + r * kept;
        largest_of(row, width, kept, best);
        T* values = context.output(0).mutable_data<T>() + r * kept;
        for (int64_t k = 0; k < kept; ++k) values[k] = row[best[k]];
      }
    });
    return;
  }
  for_sorted(x, -1, true, [&]<class T>(T, const Rows& rows, int64_t r, int64_t k, int32_t index) {
    if (k >= kept) return;
    context.output(0).mutable_data<T>()[r * kept + k] = x.data<T>()[rows.start(r) + index];
    context.output(1).mutable_data<int32_t>()[r * kept + k] = index;
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
