// A table that maps keys to rows of values: integers and strings by hashing.
#include "data/table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "device/parallel.h"
#include "kernels/cpu/typed.h"
#include "tensor/error.h"

namespace ef::data {
namespace {

constexpr int64_t kGrain = 4096;

// A key that is not a string, as an integer.
template <class T>
uint64_t integer_of(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(value);
  } else {
    // -0 equals 0.
    const auto real = static_cast<double>(cpu::arithmetic(value));
    return real == 0 ? 0 : std::bit_cast<uint64_t>(real);
  }
}

template <class T>
T value_of(uint64_t integer) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(integer);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(integer);
  } else {
    return T(static_cast<float>(std::bit_cast<double>(integer)));
  }
}

template <class Body>
void on_key_type(DType dtype, const Body& body) {
  if (dtype == DType::kBool) return body(bool{});
  cpu::on_real_type(dtype, body);
}

}  // namespace

Table::Table(DType key, DType value, const Shape& row)
    : key_(key),
      value_(value),
      row_(row),
      inner_(checked_num_elements(row.dims(), "HashTable")),
      row_bytes_(static_cast<size_t>(inner_) * element_size(value)) {
  if (key != DType::kString && key != DType::kBool && !kRealTypes.contains(key)) {
    invalid_argument("a table's keys cannot be of dtype ", key, " [Op:HashTableV2]");
  }
}

int64_t Table::size() const { return key_ == DType::kString ? texts_.size() : integers_.size(); }

void Table::check_keys(const Tensor& keys) const {
  if (keys.dtype() != key_) {
    invalid_argument("keys of dtype ", keys.dtype(), " for a table of keys of dtype ", key_,
                     " [Op:LookupTableFindV2]");
  }
}

// Calls body(index, key_at), where key_at(i) is the i-th key in the form of the index.
template <class Body>
void Table::with_keys(const Tensor& keys, const Body& body) const {
  check_keys(keys);
  if (key_ == DType::kString) {
    const std::string* const from = keys.strings().data();
    return body(texts_, [=](int64_t i) { return std::string_view(from[i]); });
  }
  on_key_type(key_, [&]<class T>(T) {
    const T* const from = keys.data<T>();
    body(integers_, [=](int64_t i) { return integer_of(from[i]); });
  });
}

// Writes the values of `rows` to `out` from index `first` on. Rows below 0 are absent: they get the
// default, or, if `step` is 1, the default of their key.
void Table::copy_rows(std::span<const int64_t> rows, const Tensor& defaults, int64_t step,
                      int64_t first, const Tensor& out) const {
  const auto copy = [&](auto* to, const auto* values, const auto* absent, auto width) {
    for (const int64_t row : rows) {
      std::copy_n(row < 0 ? absent + first * step * width : values + row * width, width, to);
      to += width;
      ++first;
    }
  };
  const auto copy_words = [&]<class Word>(Word) {
    copy(static_cast<Word*>(out.mutable_raw_data()) + first,
         reinterpret_cast<const Word*>(bytes_.data()),
         static_cast<const Word*>(defaults.raw_data()), std::integral_constant<int64_t, 1>());
  };
  if (value_ == DType::kString) {
    return copy(out.mutable_data<std::string>() + first * inner_, strings_.data(),
                defaults.strings().data(), inner_);
  }
  if (row_bytes_ == 4) return copy_words(uint32_t{});
  if (row_bytes_ == 8) return copy_words(uint64_t{});
  const auto width = static_cast<int64_t>(row_bytes_);
  copy(static_cast<char*>(out.mutable_raw_data()) + first * width, bytes_.data(),
       static_cast<const char*>(defaults.raw_data()), width);
}

Tensor Table::find(const Tensor& keys, const Tensor& defaults) const {
  Shape shape = keys.shape();
  for (int64_t size : row_.dims()) shape.push_back(size);
  if (defaults.dtype() != value_ || (defaults.shape() != row_ && defaults.shape() != shape)) {
    invalid_argument("Expected shape ", row_, " or ", shape, " for default value, got ",
                     defaults.shape(), " [Op:LookupTableFindV2]");
  }
  checked_num_elements(shape.dims(), "LookupTableFindV2");
  const Tensor out = Tensor::empty(value_, shape);
  if (out.size() == 0) return out;
  const int64_t step = defaults.shape() == row_ && keys.rank() > 0 ? 0 : 1;
  with_keys(keys, [&](const auto& index, const auto& key_at) {
    const auto part = [&](int64_t begin, int64_t end) {
      // Keys are looked up in blocks, so that copying does not depend on the type of keys.
      std::array<int64_t, 256> rows;
      for (int64_t first = begin; first < end; first += std::ssize(rows)) {
        const int64_t count = std::min<int64_t>(std::ssize(rows), end - first);
        index.find_all(count, [&](int64_t i) { return key_at(first + i); }, rows.data());
        copy_rows({rows.data(), static_cast<size_t>(count)}, defaults, step, first, out);
      }
    };
    // Copies of strings may throw, which parallel loops do not support here.
    value_ == DType::kString ? part(0, keys.size()) : parallel_for(keys.size(), kGrain, part);
  });
  return out;
}

Tensor Table::contains(const Tensor& keys) const {
  const Tensor out = Tensor::empty(DType::kBool, keys.shape());
  bool* const to = out.mutable_data<bool>();
  with_keys(keys, [&](const auto& index, const auto& key_at) {
    parallel_for(keys.size(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = index.find(key_at(i)) >= 0;
    });
  });
  return out;
}

void Table::put(int64_t row, const Tensor& values, int64_t from) {
  if (value_ == DType::kString) {
    if (row == static_cast<int64_t>(strings_.size()) / std::max<int64_t>(inner_, 1)) {
      strings_.resize(static_cast<size_t>((row + 1) * inner_));
    }
    std::copy_n(values.strings().data() + from * inner_, inner_, strings_.data() + row * inner_);
    return;
  }
  const size_t offset = static_cast<size_t>(row) * row_bytes_;
  if (bytes_.size() < offset + row_bytes_) bytes_.resize(offset + row_bytes_);
  if (row_bytes_ > 0) {
    std::memcpy(
        bytes_.data() + offset,
        static_cast<const char*>(values.raw_data()) + static_cast<size_t>(from) * row_bytes_,
        row_bytes_);
  }
}

bool Table::holds(int64_t row, const Tensor& values, int64_t from) const {
  if (value_ == DType::kString) {
    return std::equal(strings_.data() + row * inner_, strings_.data() + (row + 1) * inner_,
                      values.strings().data() + from * inner_);
  }
  return row_bytes_ == 0 || std::memcmp(bytes_.data() + static_cast<size_t>(row) * row_bytes_,
                                        static_cast<const char*>(values.raw_data()) +
                                            static_cast<size_t>(from) * row_bytes_,
                                        row_bytes_) == 0;
}

int64_t Table::insert(const Tensor& keys, const Tensor& values, bool same) {
  Shape shape = keys.shape();
  for (int64_t size : row_.dims()) shape.push_back(size);
  if (values.dtype() != value_ || values.shape() != shape) {
    invalid_argument("Expected shape ", shape, " for value, got ", values.shape(),
                     " [Op:LookupTableInsertV2]");
  }
  int64_t other = -1;
  with_keys(keys, [&](const auto& index, const auto& key_at) {
    auto& known = const_cast<std::remove_cvref_t<decltype(index)>&>(index);
    for (int64_t i = 0; i < keys.size() && other < 0; ++i) {
      const int64_t before = known.size();
      const int64_t row = known.add(key_at(i));
      if (same && row < before) {
        if (!holds(row, values, i)) other = i;
        continue;
      }
      put(row, values, i);
    }
  });
  return other;
}

void Table::remove(const Tensor& keys) {
  with_keys(keys, [&](const auto& index, const auto& key_at) {
    auto& known = const_cast<std::remove_cvref_t<decltype(index)>&>(index);
    for (int64_t i = 0; i < keys.size(); ++i) {
      const int64_t row = known.remove(key_at(i));
      if (row < 0) continue;
      // The last row moves here, like the last key.
      const int64_t last = known.size();
      if (value_ == DType::kString) {
        if (row != last) {
          std::move(strings_.begin() + last * inner_, strings_.begin() + (last + 1) * inner_,
                    strings_.begin() + row * inner_);
        }
        strings_.resize(static_cast<size_t>(last * inner_));
      } else {
        const size_t from = static_cast<size_t>(last) * row_bytes_;
        if (row_bytes_ > 0 && row != last) {
          std::memcpy(bytes_.data() + static_cast<size_t>(row) * row_bytes_, bytes_.data() + from,
                      row_bytes_);
        }
        bytes_.resize(from);
      }
    }
  });
}

Tensor Table::keys() const {
  const Tensor out = Tensor::empty(key_, {size()});
  if (key_ == DType::kString) {
    std::copy(texts_.keys().begin(), texts_.keys().end(), out.mutable_data<std::string>());
    return out;
  }
  on_key_type(key_, [&]<class T>(T) {
    std::transform(integers_.keys().begin(), integers_.keys().end(), out.mutable_data<T>(),
                   value_of<T>);
  });
  return out;
}

Tensor Table::values() const {
  Shape shape{size()};
  for (int64_t each : row_.dims()) shape.push_back(each);
  const Tensor out = Tensor::empty(value_, shape);
  if (value_ == DType::kString) {
    std::copy_n(strings_.begin(), out.size(), out.mutable_data<std::string>());
  } else if (out.size() > 0) {
    std::memcpy(out.mutable_raw_data(), bytes_.data(), bytes_.size());
  }
  return out;
}

}  // namespace ef::data
