// Elementwise operations: values against the C library, broadcasting, dtypes, errors, threads.
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "eager/dispatch.h"
#include "kernels/cpu/libmvec.h"
#include "ops/elementwise.h"
#include "ops/op_facts.h"
#include "tests/check.h"
#include "tests/tensors.h"

namespace ef {
namespace {

using test::check_values;
using test::tensor;
using test::vector;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Values of all magnitudes and both signs in [low, high], and the special ones.
std::vector<double> probes(double low, double high) {
  std::vector<double> values{low, high};
  for (int i = -120; i <= 120; ++i) {
    const double value = std::pow(1.37, i);
    for (double signed_value : {value, -value}) {
      if (signed_value >= low && signed_value <= high) values.push_back(signed_value);
    }
  }
  for (int i = 0; i <= 500; ++i) values.push_back(low + (high - low) * i / 500);
  for (double special : {0.0, -0.0, 1.0, -1.0, kInfinity, -kInfinity, kNan}) {
    values.push_back(special);
  }
  return values;
}

template <class T>
void check_function(const Op& op, double low, double high, double (*reference)(double),
                    double units) {
  std::vector<T> inputs;
  for (double value : probes(low, high)) inputs.push_back(static_cast<T>(value));
  const Tensor result = call(op, {vector(inputs)});
  for (size_t i = 0; i < inputs.size(); ++i) {
    const double expected = reference(inputs[i]);
    const double got = result.data<T>()[i];
    const double unit = std::max(std::abs(expected) * std::numeric_limits<T>::epsilon(),
                                 static_cast<double>(std::numeric_limits<T>::min()));
    const std::string what = cat(name(op), "(", inputs[i], ")");
    test::check_near(__FILE__, __LINE__, what.c_str(), got, static_cast<T>(expected), units * unit);
  }
}

struct Function {
  const Op& op;
  double low, high;
  double (*reference)(double);
};

void check_functions() {
  const Function functions[] = {
      {ops::exp, -80, 88, std::exp},
      {ops::expm1, -80, 88, std::expm1},
      {ops::log, 1e-30, 1e30, std::log},
      {ops::log1p, -0.9999, 1e30, std::log1p},
      {ops::sin, -100, 100, std::sin},
      {ops::cos, -100, 100, std::cos},
      {ops::tan, -1.5, 1.5, std::tan},
      {ops::asin, -1, 1, std::asin},
      {ops::acos, -1, 1, std::acos},
      {ops::atan, -1e6, 1e6, std::atan},
      {ops::sinh, -80, 80, std::sinh},
      {ops::cosh, -80, 80, std::cosh},
      {ops::tanh, -50, 50, std::tanh},
      {ops::asinh, -1e6, 1e6, std::asinh},
      {ops::acosh, 1, 1e6, std::acosh},
      {ops::atanh, -0.9999, 0.9999, std::atanh},
      {ops::erf, -6, 6, std::erf},
      {ops::sqrt, 0, 1e30, std::sqrt},
      {ops::floor, -1e6, 1e6, std::floor},
      {ops::ceil, -1e6, 1e6, std::ceil},
      {ops::round, -1e6, 1e6, std::nearbyint},
      {ops::sigmoid, -80, 80, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {ops::rsqrt, 1e-20, 1e20, [](double x) { return 1 / std::sqrt(x); }},
      {ops::relu, -9, 9, [](double x) { return x <= 0 ? 0 : x; }},
      {ops::elu, -20, 9, [](double x) { return x < 0 ? std::expm1(x) : x; }},
  };
  for (const Function& f : functions) {
    check_function<float>(f.op, f.low, f.high, f.reference, 4);
    check_function<double>(f.op, f.low, f.high, f.reference, 4);
  }
}

TEST(elementwise_functions_are_accurate) { check_functions(); }

TEST(elementwise_functions_are_accurate_where_the_system_has_no_vector_forms) {
  decltype(cpu::mvec_functions) found;
  std::memcpy(&found, &cpu::mvec_functions, sizeof(found));
  std::memset(&cpu::mvec_functions, 0, sizeof(found));
  check_functions();
  std::memcpy(&cpu::mvec_functions, &found, sizeof(found));
}

TEST(elementwise_exp_covers_the_whole_range) {
  const Tensor x = vector<float>({-104.0f, -100.0f, -88.0f, 88.7f, 88.8f, 1e30f, -1e30f});
  const Tensor y = call(ops::exp, {x});
  for (int64_t i = 0; i < x.size(); ++i) {
    float expected = static_cast<float>(std::exp(static_cast<double>(x.data<float>()[i])));
    if (expected < std::numeric_limits<float>::min()) expected = 0;  // subnormals are flushed
    CHECK_NEAR(y.data<float>()[i], expected, std::abs(expected) * 2e-7);
  }
}

// The position of an element in a long array must not change its value.
TEST(elementwise_values_do_not_depend_on_position) {
  for (const Op* op : {&ops::exp, &ops::log, &ops::tanh, &ops::sin, &ops::erf, &ops::softplus}) {
    for (int64_t size : {1, 3, 15, 17, 100, 5000, 100'000}) {
      const Tensor x = Tensor::empty(DType::kFloat32, {size});
      for (int64_t i = 0; i < size; ++i) x.mutable_data<float>()[i] = 0.7f;
      const Tensor y = call(*op, {x});
      const float first = *call(*op, {Tensor::of(0.7f)}).data<float>();
      bool same = true;
      for (int64_t i = 0; i < size; ++i) same &= y.data<float>()[i] == first;
      CHECK(same);
    }
  }
}

TEST(elementwise_broadcasts_like_nested_loops) {
  const std::vector<std::pair<Shape, Shape>> pairs = {
      {{2, 3}, {2, 3}},
      {{2, 3}, {3}},
      {{2, 3}, {}},
      {{}, {5}},
      {{2, 1}, {1, 3}},
      {{4, 1, 3}, {2, 1}},
      {{1}, {2, 3}},
      {{0, 3}, {1, 3}},
      {{3, 100}, {100}},
      {{3, 100}, {3, 1}},
      {{700, 3}, {3}},
      {{700, 3}, {700, 1}},
      {{1, 700}, {700, 1}},
      {{2, 1, 2, 1, 2}, {1, 3, 1, 3, 1}},
      {{1, 1, 3000}, {40, 2, 1}},
      {{2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1}, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}},
  };
  for (const auto& [a_shape, b_shape] : pairs) {
    const Tensor a = Tensor::empty(DType::kInt32, a_shape);
    const Tensor b = Tensor::empty(DType::kInt32, b_shape);
    for (int64_t i = 0; i < a.size(); ++i) a.mutable_data<int32_t>()[i] = static_cast<int>(i * 7);
    for (int64_t i = 0; i < b.size(); ++i) b.mutable_data<int32_t>()[i] = static_cast<int>(i * i);
    const Tensor c = call(ops::subtract, {a, b});
    Shape expected;
    CHECK(broadcast_shapes(a_shape, b_shape, &expected));
    CHECK(c.shape() == expected);
    bool equal = true;
    for (int64_t i = 0; i < c.size(); ++i) {
      int64_t rest = i, a_at = 0, b_at = 0, a_step = 1, b_step = 1;
      for (int from_end = 0; from_end < expected.rank(); ++from_end) {
        const int64_t k = rest % expected.back(from_end);
        rest /= expected.back(from_end);
        const auto advance = [&](const Shape& shape, int64_t& at, int64_t& step) {
          if (from_end >= shape.rank()) return;
          if (shape.back(from_end) != 1) at += k * step;
          step *= shape.back(from_end);
        };
        advance(a_shape, a_at, a_step);
        advance(b_shape, b_at, b_step);
      }
      equal &= c.data<int32_t>()[i] == a.data<int32_t>()[a_at] - b.data<int32_t>()[b_at];
    }
    CHECK(equal);
  }
}

// Long enough for several threads and, in the second case, for stores that bypass the caches.
TEST(elementwise_long_arrays_are_complete) {
  for (int64_t size : {200'003, 5'000'011}) {
    const Tensor a = Tensor::empty(DType::kFloat32, {size});
    for (int64_t i = 0; i < size; ++i) a.mutable_data<float>()[i] = static_cast<float>(i % 1000);
    const Tensor b = call(ops::add, {a, a});
    const Tensor c = call(ops::less, {a, Tensor::of(500.0f)});
    const Tensor d = call(ops::select, {c, a, b});
    bool equal = true;
    for (int64_t i = 0; i < size; ++i) {
      const float value = static_cast<float>(i % 1000);
      equal &= b.data<float>()[i] == 2 * value && c.data<bool>()[i] == (value < 500) &&
               d.data<float>()[i] == (value < 500 ? value : 2 * value);
    }
    CHECK(equal);
  }
}

TEST(elementwise_integer_division_follows_python) {
  const Tensor x = vector<int32_t>({7, -7, 7, -7, INT32_MIN});
  const Tensor y = vector<int32_t>({2, 2, -2, -2, -1});
  check_values<int32_t>(call(ops::floor_div, {x, y}), {3, -4, -4, 3, INT32_MIN});
  check_values<int32_t>(call(ops::floor_mod, {x, y}), {1, 1, -1, -1, 0});
  check_values<int32_t>(call(ops::truncate_div, {x, y}), {3, -3, -3, 3, INT32_MIN});
  check_values<int32_t>(call(ops::truncate_mod, {x, y}), {1, -1, 1, -1, 0});
  check_values<float>(call(ops::floor_mod, {vector<float>({5.5f, -5.5f}), Tensor::of(2.0f)}),
                      {1.5f, 0.5f});
}

TEST(elementwise_bad_values_and_shapes_are_errors) {
  const Tensor x = vector<int32_t>({1, 2});
  const auto zero_divisor = [&](const Op& op) { call(op, {x, vector<int32_t>({1, 0})}); };
  CHECK_THROWS(Code::kInvalidArgument, "Integer division by zero [Op:FloorDiv]",
               zero_divisor(ops::floor_div));
  CHECK_THROWS(Code::kInvalidArgument, "Integer division by zero [Op:FloorMod]",
               zero_divisor(ops::floor_mod));
  CHECK_THROWS(Code::kInvalidArgument, "negative integer powers",
               call(ops::pow, {x, Tensor::of(int32_t{-1})}));
  CHECK_THROWS(Code::kInvalidArgument, "Incompatible shapes: [2] vs. [3] [Op:AddV2]",
               call(ops::add, {x, vector<int32_t>({1, 2, 3})}));
  CHECK_THROWS(Code::kInvalidArgument, "expected to be a int32 tensor but is a float tensor",
               call(ops::add, {x, vector<float>({1, 2})}));
  CHECK_THROWS(Code::kInvalidArgument, "int32", call(ops::exp, {x}));
  CHECK_THROWS(Code::kUnimplemented, "Cast string to float",
               call(ops::cast, {Tensor::empty(DType::kString, {})},
                    ops::CastAttrs{.dtype = DType::kFloat32}));
  // An empty array divided by zero is not an error.
  CHECK_EQUAL(call(ops::floor_div, {vector<int32_t>({}), Tensor::of(int32_t{0})}).size(), 0);
}

TEST(elementwise_maximum_and_minimum_keep_nans) {
  const float nan = std::nanf("");
  const Tensor x = vector<float>({nan, 1, 2});
  const Tensor y = vector<float>({1, nan, 3});
  const Tensor high = call(ops::maximum, {x, y});
  const Tensor low = call(ops::minimum, {x, y});
  for (const Tensor& t : {high, low}) {
    CHECK(std::isnan(t.data<float>()[0]));
    CHECK(std::isnan(t.data<float>()[1]));
  }
  CHECK_EQUAL(high.data<float>()[2], 3.0f);
  CHECK_EQUAL(low.data<float>()[2], 2.0f);
}

TEST(elementwise_half_precision_rounds_once) {
  for (DType type : {DType::kFloat16, DType::kBfloat16}) {
    const int64_t size = 1500;
    const Tensor wide = Tensor::empty(DType::kFloat32, {size});
    for (int64_t i = 0; i < size; ++i) {
      wide.mutable_data<float>()[i] = 0.01f * static_cast<float>(i - 700);
    }
    const Tensor x = call(ops::cast, {wide}, ops::CastAttrs{.dtype = type});
    const Tensor exact = call(ops::cast, {x}, ops::CastAttrs{.dtype = DType::kFloat32});
    const Tensor sum = call(ops::add, {x, Tensor::scalar(type, 0.5)});
    const Tensor expected =
        call(ops::cast, {call(ops::add, {exact, Tensor::of(0.5f)})}, ops::CastAttrs{.dtype = type});
    const Tensor below = call(ops::less, {x, Tensor::scalar(type, 1)});
    bool equal = true;
    for (int64_t i = 0; i < size; ++i) {
      equal &= sum.data<uint16_t>()[i] == expected.data<uint16_t>()[i];
      equal &= below.data<bool>()[i] == (exact.data<float>()[i] < 1);
    }
    CHECK(equal);
  }
}

TEST(elementwise_every_half_survives_the_way_through_float) {
  for (DType type : {DType::kFloat16, DType::kBfloat16}) {
    const Tensor all = Tensor::empty(type, {65536});
    for (int i = 0; i < 65536; ++i) all.mutable_data<uint16_t>()[i] = static_cast<uint16_t>(i);
    const Tensor wide = call(ops::cast, {all}, ops::CastAttrs{.dtype = DType::kFloat32});
    const Tensor back = call(ops::cast, {wide}, ops::CastAttrs{.dtype = type});
    int different = 0;
    for (int i = 0; i < 65536; ++i) {
      if (std::isnan(wide.data<float>()[i])) {
        const auto bits = static_cast<uint32_t>(back.data<uint16_t>()[i] & 0x7fff);
        different += bits <= (type == DType::kFloat16 ? 0x7c00u : 0x7f80u);
      } else {
        different += back.data<uint16_t>()[i] != i;
      }
    }
    CHECK_EQUAL(different, 0);
  }
}

TEST(elementwise_casts_reach_every_type) {
  for (int from = 1; from < kDTypeCount; ++from) {
    for (int to = 1; to < kDTypeCount; ++to) {
      const auto a = static_cast<DType>(from), b = static_cast<DType>(to);
      if (!kPlainTypes.contains(a) || !kPlainTypes.contains(b)) continue;
      const Tensor three = Tensor::scalar(a, 3);
      const Tensor cast = call(ops::cast, {three}, ops::CastAttrs{.dtype = b});
      CHECK_EQUAL(cast.dtype(), b);
      const Tensor same = call(ops::equal, {cast, Tensor::scalar(b, a == DType::kBool ? 1 : 3)});
      CHECK(*same.data<bool>());
    }
  }
  check_values<int32_t>(
      call(ops::cast, {vector<float>({1.9f, -1.9f})}, ops::CastAttrs{.dtype = DType::kInt32}),
      {1, -1});
  check_values<uint8_t>(
      call(ops::cast, {vector<int32_t>({-1, 256, 300})}, ops::CastAttrs{.dtype = DType::kUint8}),
      {255, 0, 44});
}

TEST(elementwise_complex_numbers) {
  using C = Complex64;
  const Tensor x = vector<C>({{3, 4}, {0, 0}});
  check_values<float>(call(ops::abs, {x}), {5, 0});
  check_values<C>(call(ops::conj, {x}), {{3, -4}, {0, 0}});
  check_values<C>(call(ops::multiply, {x, Tensor::of(C(0, 1))}), {{-4, 3}, {0, 0}});
  check_values<float>(call(ops::imag, {x}), {4, 0});
  check_values<C>(call(ops::complex, {vector<float>({1, 2}), Tensor::of(3.0f)}), {{1, 3}, {2, 3}});
}

TEST(elementwise_strings) {
  Tensor x = Tensor::empty(DType::kString, {2});
  x.mutable_data<std::string>()[0] = "a";
  x.mutable_data<std::string>()[1] = "b";
  Tensor y = Tensor::empty(DType::kString, {});
  *y.mutable_data<std::string>() = "b";
  check_values<bool>(call(ops::equal, {x, y}), {false, true});
  check_values<bool>(call(ops::not_equal, {x, y}), {true, false});
  CHECK_EQUAL(call(ops::add, {x, y}).strings()[0], "ab");
  const Tensor chosen = call(ops::select, {call(ops::equal, {x, y}), y, x});
  CHECK_EQUAL(chosen.strings()[0], "a");
}

TEST(elementwise_select_and_clip) {
  const Tensor condition = call(ops::greater, {vector<int32_t>({1, 0, 1}), Tensor::of(int32_t{0})});
  const Tensor x = tensor<double>({2, 1}, {1, 2});
  check_values<double>(call(ops::select, {condition, x, Tensor::of(0.0)}), {1, 0, 1, 2, 0, 2});
  check_values<int32_t>(call(ops::clip_by_value, {vector<int32_t>({-5, 0, 5}),
                                                  Tensor::of(int32_t{-1}), Tensor::of(int32_t{2})}),
                        {-1, 0, 2});
  CHECK_THROWS(
      Code::kValueError, "incompatible",
      call(ops::clip_by_value, {Tensor::of(1.0f), vector<float>({0, 0}), Tensor::of(2.0f)}));
}

}  // namespace
}  // namespace ef
