// Writes StableHLO programs as text: values, and the operations that compute them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.h"
#include "tensor/tensor_spec.h"

namespace ef::lower {

// A result of an operation, or an argument.
struct Value {
  std::string name;  // "%12"
  DType dtype = DType::kInvalid;
  Shape shape;

  int rank() const { return shape.rank(); }
  TensorSpec spec() const { return {dtype, shape}; }
};
using Values = std::vector<Value>;
using Dims = std::vector<int64_t>;

// "f32", "ui8", "complex<f64>". Throws Unimplemented for dtypes that programs do not have.
std::string_view type_name(DType dtype);
// "tensor<2x3xf32>".
std::string type_text(DType dtype, const Shape& shape);
// "array<i64: 0, 2>".
std::string array_text(std::span<const int64_t> numbers);
// "dense<[[1, 2], [0, 0]]> : tensor<2x2xi64>", for paddings.
std::string pairs_text(std::span<const std::pair<int64_t, int64_t>> pairs);

enum class Reduction : uint8_t { kAdd, kMultiply, kMaximum, kMinimum, kAnd, kOr };

class Builder {
 public:
  // What has been written.
  const std::string& text() const { return text_; }

  // Any operation, in the general form of the language. `attrs` as in "dimensions = array<i64: 0>";
  // region() writes regions.
  Values op(std::string_view name, std::span<const Value> operands, std::string_view attrs,
            std::span<const TensorSpec> results, std::span<const std::string> regions = {});
  Value one(std::string_view name, std::span<const Value> operands, const TensorSpec& result,
            std::string_view attrs = {}, std::span<const std::string> regions = {});
  Value one(std::string_view name, std::initializer_list<Value> operands, const TensorSpec& result,
            std::string_view attrs = {}, std::span<const std::string> regions = {}) {
    return one(name, std::span(operands.begin(), operands.size()), result, attrs, regions);
  }
  // A block with arguments of these specs; `body` returns its results.
  std::string region(std::span<const TensorSpec> arguments,
                     const std::function<Values(const Values&)>& body);
  void end(std::string_view terminator, std::span<const Value> results);

  // Constants.
  Value constant(const Tensor& value);
  Value full(DType dtype, const Shape& shape, double number);
  Value full_int(DType dtype, const Shape& shape, int64_t number);
  // The largest and the smallest value of a dtype, infinite where it has infinity.
  Value highest(DType dtype, const Shape& shape);
  Value lowest(DType dtype, const Shape& shape);
  Value like(const Value& x, double number) { return full(x.dtype, x.shape, number); }
  // 0, 1, 2, … along an axis.
  Value iota(DType dtype, const Shape& shape, int64_t axis);

  // Of one dtype and shape.
  Value unary(std::string_view name, const Value& x);
  Value binary(std::string_view name, const Value& x, const Value& y);
  Value add(const Value& x, const Value& y) { return binary("stablehlo.add", x, y); }
  Value sub(const Value& x, const Value& y) { return binary("stablehlo.subtract", x, y); }
  Value mul(const Value& x, const Value& y) { return binary("stablehlo.multiply", x, y); }
  Value div(const Value& x, const Value& y) { return binary("stablehlo.divide", x, y); }
  Value max(const Value& x, const Value& y) { return binary("stablehlo.maximum", x, y); }
  Value min(const Value& x, const Value& y) { return binary("stablehlo.minimum", x, y); }
  Value logical_and(const Value& x, const Value& y) { return binary("stablehlo.and", x, y); }
  Value logical_or(const Value& x, const Value& y) { return binary("stablehlo.or", x, y); }
  Value logical_not(const Value& x) { return unary("stablehlo.not", x); }
  Value negate(const Value& x) { return unary("stablehlo.negate", x); }
  Value exp(const Value& x) { return unary("stablehlo.exponential", x); }
  Value log(const Value& x) { return unary("stablehlo.log", x); }
  Value sqrt(const Value& x) { return unary("stablehlo.sqrt", x); }
  Value conj(const Value& x);  // x itself if it is real
  Value abs(const Value& x);   // real for complex values
  // "EQ", "LT", …; floating values are compared with NaN unordered, or totally where asked.
  Value compare(std::string_view direction, const Value& x, const Value& y, bool total = false);
  Value select(const Value& condition, const Value& x, const Value& y);
  // As TensorFlow casts: floating values to integers by dropping the fraction.
  Value convert(const Value& x, DType dtype);
  Value bitcast(const Value& x, DType dtype);

  // Shapes.
  Value reshape(const Value& x, const Shape& shape);
  Value transpose(const Value& x, std::span<const int64_t> permutation);
  // `axes` has for each axis of x its index in the result.
  Value broadcast_in_dim(const Value& x, const Shape& shape, std::span<const int64_t> axes);
  // By NumPy's rule.
  Value broadcast(const Value& x, const Shape& shape);
  // Adds the axes `missing`, which x lacks.
  Value spread(const Value& x, const Shape& shape, std::span<const int64_t> missing);
  Value slice(const Value& x, std::span<const int64_t> begin, std::span<const int64_t> end,
              std::span<const int64_t> strides = {});
  Value concat(std::span<const Value> parts, int64_t axis);
  Value pad(const Value& x, const Value& with, std::span<const int64_t> before,
            std::span<const int64_t> after, std::span<const int64_t> between = {});
  Value reverse(const Value& x, std::span<const int64_t> axes);
  // The slice of these sizes at scalar starts, which are clamped to the bounds.
  Value dynamic_slice(const Value& x, std::span<const Value> starts,
                      std::span<const int64_t> sizes);
  Value dynamic_update_slice(const Value& x, const Value& part, std::span<const Value> starts);

  // Reductions over axes, which are removed from the result.
  Value reduce(Reduction reduction, const Value& x, std::span<const int64_t> axes);
  Value reduce_window(Reduction reduction, const Value& x, std::span<const int64_t> sizes,
                      std::span<const int64_t> strides,
                      std::span<const std::pair<int64_t, int64_t>> paddings,
                      std::span<const int64_t> dilations = {});
  Value neutral(Reduction reduction, DType dtype);
  // A block that combines two scalars, for operations that reduce.
  std::string combiner(Reduction reduction, DType dtype);

  // For a value that each of `count` replicas has: the sum, and the concatenation along an axis.
  Value all_reduce(const Value& x, int64_t count);
  Value all_gather(const Value& x, int64_t axis, int64_t count);

  // Sums of products over pairs of axes, with batch axes first: XLA's dot_general.
  Value dot(const Value& x, const Value& y, std::span<const int64_t> batch_x,
            std::span<const int64_t> batch_y, std::span<const int64_t> over_x,
            std::span<const int64_t> over_y);

  // Makes the call an error if a scalar is true. Programs of functions continue, as XLA's do; an
  // operation that is called by itself raises InvalidArgumentError.
  void refuse_if(const Value& condition, std::string message) {
    refusals_.emplace_back(condition, std::move(message));
  }
  const std::vector<std::pair<Value, std::string>>& refusals() const { return refusals_; }

  // Rows of x by indices of its first axis: x[indices]. Indices are clamped to the bounds.
  Value take_rows(const Value& x, const Value& indices);

 private:
  Value fresh(const TensorSpec& spec);

  std::string text_;
  std::vector<std::pair<Value, std::string>> refusals_;
  int64_t next_ = 0;
};

Dims axes_from(int64_t begin, int64_t end);
Shape without(const Shape& shape, std::span<const int64_t> axes);

}  // namespace ef::lower
