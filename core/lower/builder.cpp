// Writing StableHLO.
#include "lower/builder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "tensor/error.h"

namespace ef::lower {

std::string_view type_name(DType dtype) {
  switch (dtype) {
    case DType::kBool: return "i1";
    case DType::kInt8: return "i8";
    case DType::kInt16: return "i16";
    case DType::kInt32: return "i32";
    case DType::kInt64: return "i64";
    case DType::kUint8: return "ui8";
    case DType::kUint16: return "ui16";
    case DType::kUint32: return "ui32";
    case DType::kUint64: return "ui64";
    case DType::kFloat16: return "f16";
    case DType::kBfloat16: return "bf16";
    case DType::kFloat32: return "f32";
    case DType::kFloat64: return "f64";
    case DType::kComplex64: return "complex<f32>";
    case DType::kComplex128: return "complex<f64>";
    default: fail(Code::kUnimplemented, "programs have no values of dtype ", dtype);
  }
}

std::string type_text(DType dtype, const Shape& shape) {
  std::string text = "tensor<";
  for (const int64_t size : shape) text += std::to_string(size) + "x";
  text += type_name(dtype);
  return text + ">";
}

std::string array_text(std::span<const int64_t> numbers) {
  std::string text = "array<i64";
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += (i ? ", " : ": ") + std::to_string(numbers[i]);
  }
  return text + ">";
}

std::string pairs_text(std::span<const std::pair<int64_t, int64_t>> pairs) {
  std::string text = "dense<[";
  for (size_t i = 0; i < pairs.size(); ++i) {
    text += cat(i ? ", " : "", "[", pairs[i].first, ", ", pairs[i].second, "]");
  }
  return text + cat("]> : tensor<", pairs.size(), "x2xi64>");
}

Dims axes_from(int64_t begin, int64_t end) {
  Dims axes;
  for (int64_t axis = begin; axis < end; ++axis) axes.push_back(axis);
  return axes;
}

Shape without(const Shape& shape, std::span<const int64_t> axes) {
  Shape result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (std::ranges::find(axes, axis) == axes.end()) result.push_back(shape[axis]);
  }
  return result;
}

namespace {

void append_list(std::string& text, std::span<const Value> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i) text += ", ";
    text += values[i].name;
  }
}

template <class Specs>
void append_types(std::string& text, const Specs& specs) {
  text += "(";
  bool first = true;
  for (const auto& spec : specs) {
    if (!std::exchange(first, false)) text += ", ";
    text += type_text(spec.dtype, spec.shape);
  }
  text += ")";
}

std::string number_text(DType dtype, double number) {
  char buffer[64];
  if (is_floating(dtype)) {
    if (!std::isfinite(number)) {
      const bool nan = std::isnan(number), negative = number < 0;
      switch (dtype) {
        case DType::kFloat16: return nan ? "0x7E00" : negative ? "0xFC00" : "0x7C00";
        case DType::kBfloat16: return nan ? "0x7FC0" : negative ? "0xFF80" : "0x7F80";
        case DType::kFloat32: return nan ? "0x7FC00000" : negative ? "0xFF800000" : "0x7F800000";
        default:
          return nan        ? "0x7FF8000000000000"
                 : negative ? "0xFFF0000000000000"
                            : "0x7FF0000000000000";
      }
    }
    std::snprintf(buffer, sizeof buffer, "%.17e", number);
    return buffer;
  }
  if (dtype == DType::kBool) return number != 0 ? "true" : "false";
  std::snprintf(buffer, sizeof buffer, "%.0f", number);
  return buffer;
}

}  // namespace

Value Builder::fresh(const TensorSpec& spec) {
  return {"%" + std::to_string(next_++), spec.dtype, spec.shape};
}

Values Builder::op(std::string_view name, std::span<const Value> operands, std::string_view attrs,
                   std::span<const TensorSpec> results, std::span<const std::string> regions) {
  Values values;
  const std::string base = "%" + std::to_string(next_++);
  text_ += base;
  if (results.size() != 1) text_ += ":" + std::to_string(results.size());
  text_ += " = \"";
  text_ += name;
  text_ += "\"(";
  append_list(text_, operands);
  text_ += ")";
  if (!regions.empty()) {
    text_ += " (";
    for (size_t i = 0; i < regions.size(); ++i) text_ += (i ? ", " : "") + regions[i];
    text_ += ")";
  }
  if (!attrs.empty()) text_ += cat(" {", attrs, "}");
  text_ += " : ";
  append_types(text_, operands);
  text_ += " -> ";
  append_types(text_, results);
  text_ += "\n";
  for (size_t k = 0; k < results.size(); ++k) {
    values.push_back({results.size() == 1 ? base : base + "#" + std::to_string(k), results[k].dtype,
                      results[k].shape});
  }
  return values;
}

Value Builder::one(std::string_view name, std::span<const Value> operands, const TensorSpec& result,
                   std::string_view attrs, std::span<const std::string> regions) {
  return op(name, operands, attrs, {&result, 1}, regions)[0];
}

std::string Builder::region(std::span<const TensorSpec> arguments,
                            const std::function<Values(const Values&)>& body) {
  std::string outer = std::exchange(text_, {});
  text_ = "{\n";
  Values values;
  for (const TensorSpec& spec : arguments) values.push_back(fresh(spec));
  if (!values.empty()) {
    text_ += "^bb0(";
    for (size_t k = 0; k < values.size(); ++k) {
      text_ +=
          cat(k ? ", " : "", values[k].name, ": ", type_text(values[k].dtype, values[k].shape));
    }
    text_ += "):\n";
  }
  end("stablehlo.return", body(values));
  text_ += "}";
  return std::exchange(text_, std::move(outer));
}

void Builder::end(std::string_view terminator, std::span<const Value> results) {
  text_ += cat("\"", terminator, "\"(");
  append_list(text_, results);
  text_ += ") : ";
  append_types(text_, results);
  text_ += " -> ()\n";
}

Value Builder::full(DType dtype, const Shape& shape, double number) {
  std::string text = number_text(dtype, number);
  if (is_complex(dtype)) {
    const DType part = dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    text = cat("(", number_text(part, number), ", ", number_text(part, 0), ")");
  }
  const std::string attrs = cat("value = dense<", text, "> : ", type_text(dtype, shape));
  return one("stablehlo.constant", {}, {dtype, shape}, attrs);
}

Value Builder::full_int(DType dtype, const Shape& shape, int64_t number) {
  const bool is_unsigned = kUnsignedIntTypes.contains(dtype);
  const std::string text =
      is_unsigned ? std::to_string(static_cast<uint64_t>(number)) : std::to_string(number);
  const std::string attrs = cat("value = dense<", text, "> : ", type_text(dtype, shape));
  return one("stablehlo.constant", {}, {dtype, shape}, attrs);
}

Value Builder::constant(const Tensor& value) {
  const TensorSpec spec{value.dtype(), value.shape()};
  if (value.dtype() == DType::kBool) {
    // Literals of booleans are packed into bits, unlike their memory.
    const Tensor bytes = Tensor::empty(DType::kUint8, value.shape());
    for (int64_t i = 0; i < value.size(); ++i) {
      bytes.mutable_data<uint8_t>()[i] = value.data<bool>()[i];
    }
    const Value x = constant(bytes);
    return compare("NE", x, like(x, 0));
  }
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const auto* const data = static_cast<const uint8_t*>(value.raw_data());
  const auto each = static_cast<int64_t>(element_size(value.dtype()));
  bool splat = value.size() > 0;
  for (int64_t i = each; splat && i < value.bytes(); ++i) splat = data[i] == data[i - each];
  std::string text = "dense<";
  if (value.size() > 0) {
    text += "\"0x";
    for (int64_t i = 0; i < (splat ? each : value.bytes()); ++i) {
      text += kDigits[data[i] >> 4];
      text += kDigits[data[i] & 15];
    }
    text += "\"";
  }
  const std::string attrs = cat("value = ", text, "> : ", type_text(spec.dtype, spec.shape));
  return one("stablehlo.constant", {}, spec, attrs);
}

Value Builder::highest(DType dtype, const Shape& shape) {
  if (is_floating(dtype)) return full(dtype, shape, std::numeric_limits<double>::infinity());
  if (dtype == DType::kBool) return full(dtype, shape, 1);
  const auto bits = static_cast<int>(element_size(dtype) * 8);
  const bool is_unsigned = kUnsignedIntTypes.contains(dtype);
  if (is_unsigned) return full_int(dtype, shape, static_cast<int64_t>(~uint64_t{0} >> (64 - bits)));
  return full_int(dtype, shape, static_cast<int64_t>(~uint64_t{0} >> (65 - bits)));
}

Value Builder::lowest(DType dtype, const Shape& shape) {
  if (is_floating(dtype)) return full(dtype, shape, -std::numeric_limits<double>::infinity());
  if (dtype == DType::kBool || kUnsignedIntTypes.contains(dtype)) return full(dtype, shape, 0);
  const auto bits = static_cast<int>(element_size(dtype) * 8);
  return full_int(dtype, shape, std::numeric_limits<int64_t>::min() >> (64 - bits));
}

Value Builder::iota(DType dtype, const Shape& shape, int64_t axis) {
  return one("stablehlo.iota", {}, {dtype, shape}, cat("iota_dimension = ", axis, " : i64"));
}

Value Builder::unary(std::string_view name, const Value& x) { return one(name, {x}, x.spec()); }

Value Builder::binary(std::string_view name, const Value& x, const Value& y) {
  return one(name, {x, y}, x.spec());
}

Value Builder::conj(const Value& x) {
  if (!is_complex(x.dtype)) return x;
  const TensorSpec part{x.dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64, x.shape};
  const Value real = one("stablehlo.real", {x}, part), imag = one("stablehlo.imag", {x}, part);
  return one("stablehlo.complex", {real, negate(imag)}, x.spec());
}

Value Builder::abs(const Value& x) {
  if (kUnsignedIntTypes.contains(x.dtype)) return x;
  const DType dtype = x.dtype == DType::kComplex64    ? DType::kFloat32
                      : x.dtype == DType::kComplex128 ? DType::kFloat64
                                                      : x.dtype;
  return one("stablehlo.abs", {x}, {dtype, x.shape});
}

Value Builder::compare(std::string_view direction, const Value& x, const Value& y, bool total) {
  const bool floating = is_floating(x.dtype) || is_complex(x.dtype);
  const bool is_unsigned = kUnsignedIntTypes.contains(x.dtype) || x.dtype == DType::kBool;
  const char* const type =
      floating ? (total ? "TOTALORDER" : "FLOAT") : (is_unsigned ? "UNSIGNED" : "SIGNED");
  return one("stablehlo.compare", {x, y}, {DType::kBool, x.shape},
             cat("comparison_direction = #stablehlo<comparison_direction ", direction,
                 ">, compare_type = #stablehlo<comparison_type ", type, ">"));
}

Value Builder::select(const Value& condition, const Value& x, const Value& y) {
  return one("stablehlo.select", {condition, x, y}, x.spec());
}

Value Builder::convert(const Value& x, DType dtype) {
  if (x.dtype == dtype) return x;
  if (dtype == DType::kBool) return compare("NE", x, like(x, 0));
  if (is_complex(x.dtype) && !is_complex(dtype)) {
    const DType part = x.dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
    return convert(one("stablehlo.real", {x}, {part, x.shape}), dtype);
  }
  return one("stablehlo.convert", {x}, {dtype, x.shape});
}

Value Builder::bitcast(const Value& x, DType dtype) {
  if (x.dtype == dtype) return x;
  return one("stablehlo.bitcast_convert", {x}, {dtype, x.shape});
}

Value Builder::reshape(const Value& x, const Shape& shape) {
  if (x.shape == shape) return x;
  return one("stablehlo.reshape", {x}, {x.dtype, shape});
}

Value Builder::transpose(const Value& x, std::span<const int64_t> permutation) {
  Shape shape;
  bool same = true;
  for (size_t i = 0; i < permutation.size(); ++i) {
    shape.push_back(x.shape[static_cast<int>(permutation[i])]);
    same &= permutation[i] == static_cast<int64_t>(i);
  }
  if (same) return x;
  return one("stablehlo.transpose", {x}, {x.dtype, shape},
             "permutation = " + array_text(permutation));
}

Value Builder::broadcast_in_dim(const Value& x, const Shape& shape, std::span<const int64_t> axes) {
  return one("stablehlo.broadcast_in_dim", {x}, {x.dtype, shape},
             "broadcast_dimensions = " + array_text(axes));
}

Value Builder::broadcast(const Value& x, const Shape& shape) {
  if (x.shape == shape) return x;
  return broadcast_in_dim(x, shape, axes_from(shape.rank() - x.rank(), shape.rank()));
}

Value Builder::spread(const Value& x, const Shape& shape, std::span<const int64_t> missing) {
  Dims axes;
  for (int64_t axis = 0; axis < shape.rank(); ++axis) {
    if (std::ranges::find(missing, axis) == missing.end()) axes.push_back(axis);
  }
  return broadcast_in_dim(x, shape, axes);
}

Value Builder::slice(const Value& x, std::span<const int64_t> begin, std::span<const int64_t> end,
                     std::span<const int64_t> strides) {
  const Dims ones(begin.size(), 1);
  if (strides.empty()) strides = ones;
  Shape shape;
  for (size_t i = 0; i < begin.size(); ++i) {
    shape.push_back((end[i] - begin[i] + strides[i] - 1) / strides[i]);
  }
  if (shape == x.shape) return x;
  return one("stablehlo.slice", {x}, {x.dtype, shape},
             cat("start_indices = ", array_text(begin), ", limit_indices = ", array_text(end),
                 ", strides = ", array_text(strides)));
}

Value Builder::concat(std::span<const Value> parts, int64_t axis) {
  if (parts.size() == 1) return parts[0];
  Shape shape = parts[0].shape;
  shape[static_cast<int>(axis)] = 0;
  for (const Value& part : parts)
    shape[static_cast<int>(axis)] += part.shape[static_cast<int>(axis)];
  return one("stablehlo.concatenate", parts, {parts[0].dtype, shape},
             cat("dimension = ", axis, " : i64"));
}

Value Builder::pad(const Value& x, const Value& with, std::span<const int64_t> before,
                   std::span<const int64_t> after, std::span<const int64_t> between) {
  const Dims none(before.size(), 0);
  if (between.empty()) between = none;
  Shape shape;
  for (size_t i = 0; i < before.size(); ++i) {
    const int64_t size = x.shape[static_cast<int>(i)];
    shape.push_back(before[i] + after[i] + size + std::max<int64_t>(size - 1, 0) * between[i]);
  }
  return one("stablehlo.pad", {x, with}, {x.dtype, shape},
             cat("edge_padding_low = ", array_text(before), ", edge_padding_high = ",
                 array_text(after), ", interior_padding = ", array_text(between)));
}

Value Builder::reverse(const Value& x, std::span<const int64_t> axes) {
  if (axes.empty()) return x;
  return one("stablehlo.reverse", {x}, x.spec(), "dimensions = " + array_text(axes));
}

Value Builder::dynamic_slice(const Value& x, std::span<const Value> starts,
                             std::span<const int64_t> sizes) {
  Values operands{x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return one("stablehlo.dynamic_slice", operands, {x.dtype, Shape(sizes)},
             "slice_sizes = " + array_text(sizes));
}

Value Builder::dynamic_update_slice(const Value& x, const Value& part,
                                    std::span<const Value> starts) {
  Values operands{x, part};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return one("stablehlo.dynamic_update_slice", operands, x.spec());
}

namespace {

std::string_view reduction_name(Reduction reduction) {
  switch (reduction) {
    case Reduction::kAdd: return "stablehlo.add";
    case Reduction::kMultiply: return "stablehlo.multiply";
    case Reduction::kMaximum: return "stablehlo.maximum";
    case Reduction::kMinimum: return "stablehlo.minimum";
    case Reduction::kAnd: return "stablehlo.and";
    case Reduction::kOr: return "stablehlo.or";
  }
  return {};
}

}  // namespace

Value Builder::neutral(Reduction reduction, DType dtype) {
  switch (reduction) {
    case Reduction::kAdd:
    case Reduction::kOr: return full(dtype, {}, 0);
    case Reduction::kMultiply:
    case Reduction::kAnd: return full(dtype, {}, 1);
    case Reduction::kMaximum: return lowest(dtype, {});
    case Reduction::kMinimum: return highest(dtype, {});
  }
  return {};
}

std::string Builder::combiner(Reduction reduction, DType dtype) {
  const TensorSpec scalar{dtype, {}};
  const TensorSpec specs[] = {scalar, scalar};
  return region(specs, [&](const Values& args) {
    return Values{binary(reduction_name(reduction), args[0], args[1])};
  });
}

Value Builder::reduce(Reduction reduction, const Value& x, std::span<const int64_t> axes) {
  if (axes.empty()) return x;
  const Value start = neutral(reduction, x.dtype);
  const std::string body = combiner(reduction, x.dtype);
  return one("stablehlo.reduce", {x, start}, {x.dtype, without(x.shape, axes)},
             "dimensions = " + array_text(axes), {&body, 1});
}

namespace {

// "dense<[[0, 1]]> : tensor<1x2xi64>": one group of all replicas.
std::string replica_groups(int64_t count) {
  std::string ids;
  for (int64_t k = 0; k < count; ++k) ids += cat(k ? ", " : "", k);
  return cat("replica_groups = dense<[[", ids, "]]> : tensor<1x", count, "xi64>");
}

}  // namespace

Value Builder::all_reduce(const Value& x, int64_t count) {
  const std::string body = combiner(Reduction::kAdd, x.dtype);
  return one("stablehlo.all_reduce", {x}, x.spec(), replica_groups(count), {&body, 1});
}

Value Builder::all_gather(const Value& x, int64_t axis, int64_t count) {
  Shape shape = x.shape;
  shape[static_cast<int>(axis)] *= count;
  return one("stablehlo.all_gather", {x}, {x.dtype, shape},
             cat("all_gather_dim = ", axis, " : i64, ", replica_groups(count)));
}

Value Builder::reduce_window(Reduction reduction, const Value& x, std::span<const int64_t> sizes,
                             std::span<const int64_t> strides,
                             std::span<const std::pair<int64_t, int64_t>> paddings,
                             std::span<const int64_t> dilations) {
  const Dims ones(sizes.size(), 1);
  if (dilations.empty()) dilations = ones;
  const Value start = neutral(reduction, x.dtype);
  const std::string body = combiner(reduction, x.dtype);
  Shape shape;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t padded = x.shape[static_cast<int>(i)] + paddings[i].first + paddings[i].second;
    const int64_t extent = (sizes[i] - 1) * dilations[i] + 1;
    shape.push_back(padded < extent ? 0 : (padded - extent) / strides[i] + 1);
  }
  return one(
      "stablehlo.reduce_window", {x, start}, {x.dtype, shape},
      cat("window_dimensions = ", array_text(sizes), ", window_strides = ", array_text(strides),
          ", window_dilations = ", array_text(dilations), ", padding = ", pairs_text(paddings)),
      {&body, 1});
}

namespace {

std::string list_text(std::span<const int64_t> numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  }
  return text + "]";
}

}  // namespace

Value Builder::dot(const Value& x, const Value& y, std::span<const int64_t> batch_x,
                   std::span<const int64_t> batch_y, std::span<const int64_t> over_x,
                   std::span<const int64_t> over_y) {
  Shape shape;
  for (const int64_t axis : batch_x) shape.push_back(x.shape[static_cast<int>(axis)]);
  const auto append_free = [&](const Value& operand, std::span<const int64_t> batch,
                               std::span<const int64_t> over) {
    for (int axis = 0; axis < operand.rank(); ++axis) {
      if (std::ranges::find(batch, axis) == batch.end() &&
          std::ranges::find(over, axis) == over.end()) {
        shape.push_back(operand.shape[axis]);
      }
    }
  };
  append_free(x, batch_x, over_x);
  append_free(y, batch_y, over_y);
  return one(
      "stablehlo.dot_general", {x, y}, {x.dtype, shape},
      cat("dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = ", list_text(batch_x),
          ", rhs_batching_dimensions = ", list_text(batch_y), ", lhs_contracting_dimensions = ",
          list_text(over_x), ", rhs_contracting_dimensions = ", list_text(over_y), ">"));
}

Value Builder::take_rows(const Value& x, const Value& indices) {
  Shape shape = indices.shape;
  Dims offsets, sizes{1};
  for (int axis = 1; axis < x.rank(); ++axis) {
    offsets.push_back(shape.rank());
    shape.push_back(x.shape[axis]);
    sizes.push_back(x.shape[axis]);
  }
  if (x.shape[0] == 0) return full(x.dtype, shape, 0);  // programs refuse slices of it
  return one(
      "stablehlo.gather", {x, indices}, {x.dtype, shape},
      cat("dimension_numbers = #stablehlo.gather<offset_dims = ", list_text(offsets),
          ", collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = ",
          indices.rank(), ">, slice_sizes = ", array_text(sizes), ", indices_are_sorted = false"));
}

}  // namespace ef::lower
