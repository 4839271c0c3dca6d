// Chains of elementwise operations: the same bits as one operation after the other.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "device/parallel.h"
#include "eager/dispatch.h"
#include "kernels/cpu/chain.h"
#include "ops/bias.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "tests/check.h"
#include "tests/tensors.h"

namespace ef {
namespace {

using cpu::Chain;
using test::check_values;
using test::tensor;
using test::vector;

// Values of both signs, with zeros, infinities and a NaN where the dtype has them.
Tensor sample(DType dtype, const Shape& shape, int seed = 0) {
  const Tensor values = Tensor::empty(DType::kFloat64, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    const int64_t k = (i * 7919 + seed * 104'729) % 2003;
    values.mutable_data<double>()[i] = static_cast<double>(k - 1000) / 97;
  }
  if (is_floating(dtype) && values.size() > 5) {
    const double special[] = {0.0, -0.0, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0};
    for (int64_t k = 0; k < 5; ++k) {
      values.mutable_data<double>()[(k * 31 + seed * 3 + 1) % values.size()] = special[k];
    }
  }
  return call(ops::cast, {values}, ops::CastAttrs{.dtype = dtype});
}

template <class T>
bool same_numbers(const Tensor& a, const Tensor& b) {
  for (int64_t i = 0; i < a.size(); ++i) {
    const T x = a.data<T>()[i];
    const T y = b.data<T>()[i];
    if (std::memcmp(&x, &y, sizeof(T)) != 0 && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (std::memcmp(a.raw_data(), b.raw_data(), static_cast<size_t>(a.bytes())) == 0) return true;
#if defined(__x86_64__)
  return false;
#else
  // The compiler chooses which operand's NaN, and sign, a result gets.
  if (a.dtype() == DType::kFloat32) return same_numbers<float>(a, b);
  return a.dtype() == DType::kFloat64 && same_numbers<double>(a, b);
#endif
}

// A chain, and the same operations run one by one.
class Program {
 public:
  explicit Program(std::vector<Tensor> inputs)
      : inputs_(std::move(inputs)), chain_(types_of(inputs_)), values_(inputs_) {}

  int add(const Op& op, std::vector<int> operands, AttrsRef attrs = {}) {
    TensorList arguments;
    for (const int operand : operands) arguments.push_back(values_[static_cast<size_t>(operand)]);
    values_.push_back(call(op, arguments, attrs));
    const int number = chain_.add(op, attrs, operands, values_.back().dtype());
    CHECK_EQUAL(number, static_cast<int>(values_.size()) - 1);
    return number;
  }

  void check(std::vector<int> results, const char* what = "") {
    chain_.finish(results);
    Shape shape;
    if (!chain_.fits(inputs_, &shape)) return test::report(__FILE__, __LINE__, cat("unfit ", what));
    TensorList got;
    {
      const KernelRegion region(chain_.cost(shape));
      chain_.run(shape, inputs_, got);
    }
    CHECK_EQUAL(got.size(), results.size());
    for (size_t k = 0; k < results.size(); ++k) {
      if (same_bits(got[k], values_[static_cast<size_t>(results[k])])) continue;
      test::report(__FILE__, __LINE__, cat("other bits in result ", k, " ", what));
    }
  }

  const Tensor& value(int number) const { return values_[static_cast<size_t>(number)]; }
  Chain& chain() { return chain_; }

 private:
  static std::vector<DType> types_of(const std::vector<Tensor>& tensors) {
    std::vector<DType> types;
    for (const Tensor& each : tensors) types.push_back(each.dtype());
    return types;
  }

  std::vector<Tensor> inputs_;
  Chain chain_;
  std::vector<Tensor> values_;
};

// Sizes with and without a short last block, for one thread, several, and streamed results.
constexpr int64_t kSizes[] = {1, 2, 17, 255, 1000, 4096, 100'003, 5'000'011};

TEST(chain_gives_the_bits_of_its_operations) {
  for (const int64_t size : kSizes) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kFloat16}) {
      Program p({sample(dtype, {size}), sample(dtype, {size}, 1), sample(dtype, {}, 2),
                 sample(dtype, {size}, 3)});
      const int product = p.add(ops::multiply, {0, 1});
      const int sum = p.add(ops::add, {product, 2});
      const int curve = p.add(ops::tanh, {sum});
      const int scaled = p.add(ops::multiply, {3, curve});
      const int last = p.add(ops::subtract, {2, scaled});
      p.check({last}, cat(dtype, " ", size).c_str());
    }
  }
}

// Results of several dtypes that are too large for the caches, from registers and from memory.
TEST(chain_streams_results_of_any_dtype) {
  const int64_t size = (int64_t{17} << 20) + 5;
  Program p({sample(DType::kFloat32, {size}), sample(DType::kFloat32, {size}, 1)});
  const int sum = p.add(ops::add, {0, 1});
  const int product = p.add(ops::multiply, {sum, 0});
  const int less = p.add(ops::less, {product, 1});
  p.check({product, less, sum, p.add(ops::select, {less, sum, product})});
}

// Every operation of the table that has a loop, between two others.
TEST(chain_runs_every_elementwise_operation) {
  int count = 0;
  for (const Op* const op : op_table()) {
    if (!op->kernel.elements || op->inputs[0].variadic || op == &ops::bias_add) continue;
    for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBfloat16, DType::kInt32,
                              DType::kUint8, DType::kInt64, DType::kBool, DType::kComplex64}) {
      std::vector<Tensor> inputs;
      std::vector<DType> types;
      std::vector<int> operands;
      bool takes = true;
      for (const InputSpec& input : op->inputs) {
        const DType fixed = input.dtypes.only();
        types.push_back(fixed == DType::kInvalid ? dtype : fixed);
        takes &= input.dtypes.contains(types.back());
        inputs.push_back(sample(types.back(), {3000}, static_cast<int>(inputs.size())));
        operands.push_back(static_cast<int>(inputs.size()) - 1);
      }
      if (!takes) continue;
      SavedAttrs attrs;
      if (op == &ops::cast) {
        attrs = AttrsRef(ops::CastAttrs{.dtype = DType::kFloat16});
      } else if (op == &ops::leaky_relu || op == &ops::leaky_relu_grad) {
        attrs = AttrsRef(ops::LeakyReluAttrs{});
      } else if (op == &ops::gelu || op == &ops::gelu_grad) {
        attrs = AttrsRef(ops::GeluAttrs{.approximate = true});
      }
      // Integer divisions and powers have no loop, since they may raise errors.
      Chain probe(types);
      TensorList arguments{std::span<const Tensor>(inputs)};
      DType output = DType::kInvalid;
      try {
        output = call(*op, arguments, attrs).dtype();
      } catch (const Error&) {
        CHECK(is_integer(dtype));
        CHECK_EQUAL(probe.add(*op, attrs, operands, dtype), -1);
        continue;
      }
      if (probe.add(*op, attrs, operands, output) < 0) {
        CHECK(is_integer(dtype));
        continue;
      }
      ++count;
      Program p(inputs);
      const int result = p.add(*op, operands, attrs);
      const int equal = p.add(ops::equal, {result, result});
      p.check({result, equal}, cat(op->name, " of ", dtype).c_str());
    }
  }
  CHECK(count > 300);
}

TEST(chain_broadcasts_its_inputs) {
  const Shape whole{40, 7, 30};
  for (const Shape& part : {Shape{}, Shape{1, 1}, Shape{30}, Shape{7, 30}, Shape{7, 1},
                            Shape{40, 1, 1}, Shape{40, 1, 30}, Shape{1, 7, 30}}) {
    Program p({sample(DType::kFloat32, whole), sample(DType::kFloat32, part, 1),
               sample(DType::kBool, part, 2)});
    const int product = p.add(ops::multiply, {0, 1});
    const int rest = p.add(ops::subtract, {1, product});
    const int chosen = p.add(ops::select, {2, rest, 1});
    int clipped = p.add(ops::clip_by_value, {chosen, 1, 1});
    if (part == Shape{30}) clipped = p.add(ops::bias_add, {clipped, 1}, ops::BiasAttrs{});
    p.check({rest, clipped}, part.to_string().c_str());
  }
}

TEST(chain_keeps_the_sign_of_single_zeros) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const Shape& part : {Shape{}, Shape{7, 1}}) {
      const Tensor zeros = Tensor::empty(dtype, part);
      std::memset(zeros.mutable_raw_data(), 0, static_cast<size_t>(zeros.bytes()));
      Program p({sample(dtype, Shape{40, 7, 30}), call(ops::negative, {zeros})});
      const int first = p.add(ops::multiply, {p.add(ops::abs, {0}), 1});
      const int second = p.add(ops::multiply, {1, first});
      p.check({first, p.add(ops::add, {second, 1})}, part.to_string().c_str());
    }
  }
}

// Conditions in registers and in memory, with each operand in registers.
TEST(chain_selects) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const int64_t size : kSizes) {
      Program p({sample(dtype, {size}), sample(dtype, {size}, 1), sample(dtype, {}, 2),
                 sample(DType::kBool, {size}, 3), sample(DType::kBool, {}, 4)});
      const int less = p.add(ops::less, {0, 1});
      const int by_next = p.add(ops::select, {less, 1, 2});
      const int given = p.add(ops::select, {3, by_next, 0});
      const int sum = p.add(ops::add, {given, 1});
      const int as_y = p.add(ops::select, {3, 2, sum});
      const int greater = p.add(ops::greater_equal, {as_y, 2});
      const int not_equal = p.add(ops::not_equal, {2, as_y});
      const int either = p.add(ops::logical_or, {greater, not_equal});
      const int twice = p.add(ops::negative, {p.add(ops::select, {either, 0, as_y})});
      const int same = p.add(ops::select, {4, twice, twice});
      const int reflexive = p.add(ops::equal, {same, same});
      p.check({given, less, p.add(ops::select, {reflexive, same, 2}), either, reflexive},
              cat(dtype, " ", size).c_str());
    }
  }
}

TEST(chain_computes_single_elements_once) {
  Program p({sample(DType::kFloat32, {}, 1), sample(DType::kFloat32, {500}),
             sample(DType::kFloat32, {1}, 2)});
  const int root = p.add(ops::sqrt, {p.add(ops::square, {0})});
  const int sum = p.add(ops::add, {root, 2});
  const int positive = p.add(ops::greater, {sum, 0});
  const int scaled = p.add(ops::multiply, {1, sum});
  p.check({p.add(ops::select, {positive, scaled, root}), scaled, root, sum});
}

TEST(chain_refuses_shapes_that_its_operations_do_not_share) {
  Shape shape;
  const std::vector<DType> types(3, DType::kFloat32);
  const auto input = [](const Shape& s) { return sample(DType::kFloat32, s); };
  {
    Chain sum(types);
    const int first = sum.add(ops::add, {}, std::vector{0, 1}, DType::kFloat32);
    sum.finish(std::vector{sum.add(ops::multiply, {}, std::vector{first, 2}, DType::kFloat32)});
    CHECK(sum.fits(std::vector{input({2, 3}), input({3}), input({2, 1})}, &shape));
    CHECK(shape == Shape({2, 3}));
    // The sum of the first two has another shape than the result.
    CHECK(!sum.fits(std::vector{input({3}), input({3}), input({2, 3})}, &shape));
    CHECK(!sum.fits(std::vector{input({3}), input({2}), input({2, 3})}, &shape));
  }
  {
    Chain gradient(types);
    gradient.finish(
        std::vector{gradient.add(ops::tanh_grad, {}, std::vector{0, 1}, DType::kFloat32)});
    CHECK(gradient.fits(std::vector{input({4}), input({4}), input({4})}, &shape));
    CHECK(!gradient.fits(std::vector{input({4}), input({}), input({4})}, &shape));
    CHECK(!gradient.fits(std::vector{input({4}), input({4}), input({5, 4})}, &shape));
  }
  {
    Chain limited(types);
    limited.finish(
        std::vector{limited.add(ops::clip_by_value, {}, std::vector{0, 1, 2}, DType::kFloat32)});
    CHECK(limited.fits(std::vector{input({4}), input({}), input({1})}, &shape));
    CHECK(!limited.fits(std::vector{input({}), input({4}), input({4})}, &shape));
  }
}

TEST(chain_adds_many) {
  for (const DType dtype : {DType::kFloat32, DType::kBfloat16, DType::kInt32}) {
    Program p({sample(dtype, {3000}), sample(dtype, {3000}, 1), sample(dtype, {3000}, 2)});
    const int first = p.add(ops::negative, {0});
    const int second = p.add(ops::negative, {1});
    const int third = p.add(ops::negative, {2});
    p.check({p.add(ops::add_n, {first, second, third})}, dtype_name(dtype));
  }
}

TEST(chain_shares_values_that_are_forwarded) {
  Program p({sample(DType::kFloat32, {100}), sample(DType::kFloat32, {}, 1)});
  const int same = p.add(ops::identity, {0});
  const int sum = p.add(ops::add, {same, p.add(ops::stop_gradient, {1})});
  const int again = p.add(ops::identity, {sum});
  p.check({same, sum, again, p.add(ops::cast, {1}, ops::CastAttrs{.dtype = DType::kFloat32})});
  CHECK_EQUAL(p.chain().size(), 1);
}

// a / b, and then (a - b) from the same memory: a result reuses the memory of an input only if
// nothing reads the input afterwards.
TEST(chain_reuses_the_memory_of_inputs) {
  for (const bool read_later : {false, true}) {
    const std::vector<DType> types(2, DType::kFloat32);
    Chain chain(types);
    const int quotient = chain.add(ops::real_divide, {}, std::vector{0, 1}, DType::kFloat32);
    const int difference =
        chain.add(ops::subtract, {}, std::vector{read_later ? 0 : quotient, 1}, DType::kFloat32);
    chain.finish(std::vector{quotient, difference});
    const Tensor a = sample(DType::kFloat32, {70'000});
    const Tensor b = sample(DType::kFloat32, {70'000}, 1);
    const Tensor expected_quotient = call(ops::real_divide, {a, b});
    const Tensor expected = call(ops::subtract, {read_later ? a : expected_quotient, b});
    Tensor inputs[] = {call(ops::add, {a, Tensor::of(0.0f)}), b};
    const Tensor kept = call(ops::add, {a, Tensor::of(0.0f)});
    const void* const memory = inputs[0].raw_data();
    Shape shape;
    CHECK(chain.fits(inputs, &shape));
    TensorList results;
    chain.run(shape, inputs, results);
    CHECK((results[read_later ? 1 : 0].raw_data() == memory));
    CHECK(b.raw_data() != results[0].raw_data() && b.raw_data() != results[1].raw_data());
    CHECK(same_bits(results[0], call(ops::real_divide, {kept, b})));
    CHECK(same_bits(results[1], read_later ? call(ops::subtract, {kept, b})
                                           : call(ops::subtract, {results[0], b})));
  }
}

TEST(chain_of_no_elements_gives_empty_results) {
  Program p({sample(DType::kFloat32, {0, 3}), sample(DType::kFloat32, {3}, 1)});
  p.check({p.add(ops::exp, {p.add(ops::add, {0, 1})})});
}

TEST(chain_can_be_interrupted) {
  Program p({sample(DType::kFloat64, {20'000'000})});
  int last = 0;
  for (int i = 0; i < 4; ++i)
    last = p.chain().add(ops::lgamma, {}, std::vector{last}, DType::kFloat64);
  p.chain().finish(std::vector{last});
  Tensor inputs[] = {p.value(0)};
  Shape shape;
  CHECK(p.chain().fits(inputs, &shape));
  const Interruptible interruptible([](void*) { fail(Code::kCancelled, "stopped here"); }, nullptr);
  TensorList results;
  CHECK_THROWS(Code::kCancelled, "stopped here", p.chain().run(shape, inputs, results));
}

}  // namespace
}  // namespace ef
