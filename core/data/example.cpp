#include "data/example.h"

#include <bit>
#include <cstring>
#include <optional>

#include "files/wire.h"

namespace ef {
namespace {

static_assert(std::endian::native == std::endian::little, "messages hold little-endian numbers");

// Calls `handle(value)` for each field with the number `wanted`, which must be length-delimited.
template <class Handle>
bool each_delimited(std::string_view message, uint32_t wanted, const Handle& handle) {
  Reader reader(message);
  while (!reader.done()) {
    uint32_t field, wire;
    if (!reader.tag(field, wire)) return false;
    if (field != wanted) {
      if (!reader.skip(wire)) return false;
      continue;
    }
    std::string_view value;
    if (wire != kLength || !reader.bytes(value) || !handle(value)) return false;
  }
  return true;
}

bool read_floats(std::string_view list, float* out, int64_t count) {
  Reader reader(list);
  while (!reader.done()) {
    uint32_t field, wire;
    std::string_view value;
    if (!reader.tag(field, wire)) return false;
    if (field != 1) {
      if (!reader.skip(wire)) return false;
      continue;
    }
    const bool read = wire == kLength    ? reader.bytes(value)
                      : wire == kFixed32 ? reader.take(4, value)
                                         : false;
    const auto values = static_cast<int64_t>(value.size() / 4);
    if (!read || value.size() % 4 != 0 || values > count) return false;
    std::memcpy(out, value.data(), value.size());
    out += values;
    count -= values;
  }
  return count == 0;
}

bool read_integers(std::string_view list, int64_t* out, int64_t count) {
  Reader reader(list);
  while (!reader.done()) {
    uint32_t field, wire;
    if (!reader.tag(field, wire)) return false;
    if (field != 1) {
      if (!reader.skip(wire)) return false;
      continue;
    }
    uint64_t integer;
    if (wire == kVarint) {
      if (!reader.varint(integer) || count-- == 0) return false;
      *out++ = static_cast<int64_t>(integer);
      continue;
    }
    std::string_view packed;
    if (wire != kLength || !reader.bytes(packed)) return false;
    for (Reader inner(packed); !inner.done();) {
      if (!inner.varint(integer) || count-- == 0) return false;
      *out++ = static_cast<int64_t>(integer);
    }
  }
  return count == 0;
}

bool read_strings(std::string_view list, std::string* out, int64_t count) {
  return each_delimited(list, 1,
                        [&](std::string_view value) {
                          if (count-- == 0) return false;
                          *out++ = value;
                          return true;
                        }) &&
         count == 0;
}

// The number of the field in Feature that holds a dtype's values.
uint32_t list_field(DType dtype) {
  return dtype == DType::kString ? 1 : dtype == DType::kFloat32 ? 2 : 3;
}

// Reads a Feature into the elements of `column` that belong to message `row`.
bool read_feature(std::string_view feature, int64_t row, int64_t count, const Tensor& column) {
  Reader reader(feature);
  uint32_t field, wire;
  std::string_view list;
  if (reader.done() || !reader.tag(field, wire) || wire != kLength || !reader.bytes(list)) {
    return false;
  }
  // The caller handles more than one kind of list in a Feature.
  if (!reader.done() || field != list_field(column.dtype())) return false;
  const int64_t at = row * count;
  switch (column.dtype()) {
    case DType::kString: return read_strings(list, column.mutable_data<std::string>() + at, count);
    case DType::kFloat32: return read_floats(list, column.mutable_data<float>() + at, count);
    default: return read_integers(list, column.mutable_data<int64_t>() + at, count);
  }
}

int64_t elements_of(const Shape& shape) {
  int64_t count = 1;
  for (int64_t size : shape.dims()) count *= size;
  return count;
}

// A map's entry: its key (field 1) and its value (field 2).
bool read_entry(std::string_view entry, std::string_view& key, std::string_view& value) {
  Reader reader(entry);
  bool has_key = false, has_value = false;
  while (!reader.done()) {
    uint32_t field, wire;
    if (!reader.tag(field, wire)) return false;
    if (wire != kLength) return false;
    std::string_view part;
    if (!reader.bytes(part)) return false;
    if (field == 1) {
      key = part;
      has_key = true;
    } else if (field == 2) {
      if (has_value) return false;
      value = part;
      has_value = true;
    }
  }
  return has_key && has_value;
}

}  // namespace

std::vector<Tensor> read_dense_examples(std::span<const std::string> messages, bool single,
                                        std::span<const DenseFeature> features) {
  std::vector<Tensor> columns;
  std::vector<int64_t> counts;
  const auto rows = static_cast<int64_t>(messages.size());
  for (const DenseFeature& feature : features) {
    Shape shape;
    if (single) {
      shape = feature.shape;
    } else {
      std::vector<int64_t> dims{rows};
      dims.insert(dims.end(), feature.shape.begin(), feature.shape.end());
      shape = Shape(std::span<const int64_t>(dims));
    }
    columns.push_back(Tensor::empty(feature.dtype, shape));
    counts.push_back(elements_of(feature.shape));
  }
  std::vector<int64_t> seen(features.size(), -1);
  for (int64_t row = 0; row < rows; ++row) {
    size_t filled = 0;
    const auto feature_entry = [&](std::string_view entry) {
      std::string_view key, value;
      if (!read_entry(entry, key, value)) return false;
      for (size_t i = 0; i < features.size(); ++i) {
        if (features[i].key != key) continue;
        // The caller handles a repeated key.
        if (seen[i] == row || !read_feature(value, row, counts[i], columns[i])) return false;
        seen[i] = row;
        ++filled;
        break;
      }
      return true;
    };
    const bool read =
        each_delimited(messages[static_cast<size_t>(row)], 1,
                       [&](std::string_view map) { return each_delimited(map, 1, feature_entry); });
    if (!read || filled != features.size()) return {};
  }
  return columns;
}

}  // namespace ef
