// Random values: Philox's published ones, every vector kernel against plain code, and errors.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "device/isa.h"
#include "eager/dispatch.h"
#include "kernels/cpu/random_loops.h"
#include "ops/random.h"
#include "random/philox.h"
#include "tests/check.h"

namespace ef {
namespace {

constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();

// The kernels of every instruction set this machine has.
std::vector<const cpu::RandomLoops*> all_loops() {
  std::vector<const cpu::RandomLoops*> loops = {&cpu::baseline::random_loops()};
#if defined(__x86_64__)
  if (isa() >= Isa::kAvx2) loops.push_back(&cpu::avx2::random_loops());
  if (isa() >= Isa::kAvx512) loops.push_back(&cpu::avx512::random_loops());
#endif
  return loops;
}

std::vector<uint32_t> words_of(const Philox& start, int64_t blocks, uint64_t stride = 1) {
  std::vector<uint32_t> words;
  for (int64_t i = 0; i < blocks; ++i) {
    Philox philox = start;
    philox.skip(static_cast<uint64_t>(i) * stride);
    for (uint32_t word : philox()) words.push_back(word);
  }
  return words;
}

constexpr ops::StreamAttrs kStream{.key = 5, .counter_low = 0, .counter_high = 7};

Tensor draw(const Op& op, DType dtype, const Shape& shape, int64_t key = 5, int64_t low = 0,
            int64_t high = 7) {
  return call(op, std::span<const Tensor>(),
              ops::SampleAttrs{.shape = shape,
                               .dtype = dtype,
                               .stream = {.key = key, .counter_low = low, .counter_high = high}});
}

Tensor draw_ints(DType dtype, const Shape& shape, int64_t minval, int64_t maxval) {
  return call(ops::philox_uniform_int, std::span<const Tensor>(),
              ops::UniformIntAttrs{.sample = {.shape = shape, .dtype = dtype, .stream = kStream},
                                   .minval = minval,
                                   .maxval = maxval});
}

TEST(philox_gives_the_published_answers) {
  // From the known-answer tests of the Random123 library.
  const Philox::Block zeros = Philox(0, 0, 0)();
  CHECK((zeros == Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const Philox::Block ones = Philox(kAll, kAll, kAll)();
  CHECK((ones == Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  const Philox::Block pi = Philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e)();
  CHECK((pi == Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(philox_counter_carries) {
  Philox philox(3, kAll, 8);
  philox.skip(2);
  CHECK_EQUAL(philox.counter_low(), 1u);
  CHECK_EQUAL(philox.counter_high(), 9u);
}

TEST(vector_philox_equals_the_plain_one) {
  for (const cpu::RandomLoops* loops : all_loops()) {
    for (uint64_t low : {uint64_t{0}, uint64_t{0xfffffffe}, kAll - 5, kAll}) {
      for (uint64_t stride : {1, 128, 256}) {
        for (int64_t blocks : {1, 2, 7, 8, 9, 16, 31, 100}) {
          std::vector<uint32_t> words(4 * static_cast<size_t>(blocks) + 1, 77u);
          loops->philox({0x123456789abcdef0, low, kAll, stride}, words.data(), blocks);
          CHECK_EQUAL(words.back(), 77u);
          words.pop_back();
          CHECK(words == words_of(Philox(0x123456789abcdef0, low, kAll), blocks, stride));
        }
      }
    }
  }
}

TEST(vector_uniforms_equal_plain_ones) {
  const std::vector<uint32_t> words = words_of(Philox(1, 2, 3), 50);
  const auto count = static_cast<int64_t>(words.size());
  for (const cpu::RandomLoops* loops : all_loops()) {
    std::vector<float> floats(words.size());
    std::vector<Half> halves(words.size());
    std::vector<Bfloat16> brains(words.size());
    std::vector<double> doubles(words.size() / 2);
    loops->uniform_float(words.data(), floats.data(), count);
    loops->uniform_half(words.data(), halves.data(), count);
    loops->uniform_bfloat16(words.data(), brains.data(), count);
    loops->uniform_double(words.data(), doubles.data(), count / 2);
    for (size_t i = 0; i < words.size(); ++i) {
      CHECK_EQUAL(floats[i], static_cast<float>(words[i] & 0x7fffffu) * 0x1p-23f);
      CHECK_EQUAL(static_cast<float>(halves[i]), static_cast<float>(words[i] & 0x3ffu) * 0x1p-10f);
      CHECK_EQUAL(static_cast<float>(brains[i]), static_cast<float>(words[i] & 0x7fu) * 0x1p-7f);
    }
    for (size_t i = 0; i < doubles.size(); ++i) {
      const double upper = (words[2 * i] & 0xfffffu) * 0x1p-20;
      CHECK_EQUAL(doubles[i], upper + words[2 * i + 1] * 0x1p-52);
    }
  }
}

TEST(vector_normals_equal_plain_ones) {
  std::vector<uint32_t> words = words_of(Philox(1, 2, 3), 2000);
  // The ends of the range: u = 0 (replaced by 1e-7) and nearly 1, and all quarters of a turn.
  const uint32_t ends[] = {0, 0,        0x7fffff, 0,        0,        0x200000,
                           1, 0x400000, 0x400000, 0x600000, 0x7fffff, 0x7fffff};
  std::copy(std::begin(ends), std::end(ends), words.begin());
  const auto count = static_cast<int64_t>(words.size());
  const double turn = 2.0 * std::numbers::pi;
  for (const cpu::RandomLoops* loops : all_loops()) {
    std::vector<float> floats(words.size());
    loops->normal_float(words.data(), floats.data(), count);
    for (size_t i = 0; i < words.size(); i += 2) {
      const float u = std::max(static_cast<float>(words[i] & 0x7fffffu) * 0x1p-23f, 1e-7f);
      const auto angle = static_cast<float>(turn * (words[i + 1] & 0x7fffffu) * 0x1p-23);
      const double radius = std::sqrt(-2.0 * std::log(static_cast<double>(u)));
      CHECK_NEAR(floats[i], std::sin(static_cast<double>(angle)) * radius, 7e-7);
      CHECK_NEAR(floats[i + 1], std::cos(static_cast<double>(angle)) * radius, 7e-7);
    }
    std::vector<double> doubles(words.size() / 2);
    loops->normal_double(words.data(), doubles.data(), count / 2);
    for (size_t i = 0; i < doubles.size(); i += 2) {
      const uint32_t* w = &words[2 * i];
      const double u = std::max((w[0] & 0xfffffu) * 0x1p-20 + w[1] * 0x1p-52, 1e-7);
      const double angle = turn * ((w[2] & 0xfffffu) * 0x1p-20 + w[3] * 0x1p-52);
      const double radius = std::sqrt(-2.0 * std::log(u));
      CHECK_NEAR(doubles[i], std::sin(angle) * radius, 1e-14);
      CHECK_NEAR(doubles[i + 1], std::cos(angle) * radius, 1e-14);
    }
  }
}

TEST(vector_remainders_equal_plain_ones) {
  std::vector<uint32_t> words = words_of(Philox(1, 2, 3), 100);
  for (uint32_t word : {0u, 1u, 0xffffffffu, 0x80000000u, 0x7fffffffu}) words.push_back(word);
  std::vector<uint32_t> out(words.size());
  for (const cpu::RandomLoops* loops : all_loops()) {
    for (uint32_t range :
         {1u, 2u, 3u, 10u, 4096u, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xffffffffu}) {
      loops->remainder(words.data(), 5, range, out.data(), static_cast<int64_t>(words.size()));
      for (size_t i = 0; i < words.size(); ++i) CHECK_EQUAL(out[i], 5 + words[i] % range);
    }
  }
}

TEST(numbers_do_not_depend_on_how_many_there_are) {
  for (const Op* op : {&ops::philox_uniform, &ops::philox_normal, &ops::philox_truncated_normal}) {
    for (DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64}) {
      const Tensor all = draw(*op, dtype, {30'000});
      for (int64_t count : {0, 1, 2, 3, 5, 1023, 1024, 1025, 9000}) {
        const Tensor some = draw(*op, dtype, {count});
        const bool equal = count == 0 || std::memcmp(some.raw_data(), all.raw_data(),
                                                     static_cast<size_t>(some.bytes())) == 0;
        CHECK(equal);
      }
    }
  }
}

TEST(normals_have_their_moments) {
  const Tensor normals = draw(ops::philox_normal, DType::kFloat32, {100, 1000});
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < normals.size(); ++i) {
    sum += normals.data<float>()[i];
    squares += normals.data<float>()[i] * normals.data<float>()[i];
  }
  CHECK_NEAR(sum / 1e5, 0.0, 0.02);
  CHECK_NEAR(squares / 1e5, 1.0, 0.02);
}

TEST(truncated_normals_skip_what_is_too_large) {
  const Tensor kept = draw(ops::philox_truncated_normal, DType::kFloat32, {4000});
  for (int64_t i = 0; i < kept.size(); ++i) CHECK(std::abs(kept.data<float>()[i]) < 2.0f);
  // A group draws its four values, in order, from its own 256 blocks.
  for (int64_t group = 0; group < 1000; group += 7) {
    const Tensor all = draw(ops::philox_normal, DType::kFloat32, {64}, 5, group * 256);
    int64_t from = 0;
    for (int64_t i = 0; i < 4; ++i, ++from) {
      while (std::abs(all.data<float>()[from]) >= 2.0f) ++from;
      CHECK_NEAR(kept.data<float>()[4 * group + i], all.data<float>()[from], 5e-7);
    }
  }
}

TEST(integers_cover_their_range) {
  const Tensor dice = draw_ints(DType::kInt32, {2000}, -2, 4);
  std::vector<int> seen(6);
  for (int64_t i = 0; i < dice.size(); ++i) {
    const int32_t value = dice.data<int32_t>()[i];
    CHECK(value >= -2 && value < 4);
    if (value >= -2 && value < 4) ++seen[static_cast<size_t>(value + 2)];
  }
  for (int count : seen) CHECK(count > 250);
  const Tensor wide = draw_ints(DType::kInt64, {100}, INT64_MIN, INT64_MAX);
  const Tensor full = draw(ops::philox_uniform_full_int, DType::kUint64, {100});
  for (int64_t i = 0; i < 100; ++i) {
    const auto distance = static_cast<uint64_t>(wide.data<int64_t>()[i]) + (uint64_t{1} << 63);
    CHECK_EQUAL(distance, full.data<uint64_t>()[i] % kAll);
  }
}

TEST(remainders_of_falling_ranges) {
  std::vector<uint32_t> words = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  const std::vector<uint32_t> more = words_of(Philox(3, 4, 5), 250);
  words.insert(words.end(), more.begin(), more.end());
  const auto count = static_cast<int64_t>(words.size());
  for (const cpu::RandomLoops* loops : all_loops()) {
    for (const int64_t range : {count, count + 7, int64_t{65'536}, int64_t{1} << 31}) {
      std::vector<uint32_t> found(words.size());
      loops->falling_remainders(words.data(), range, found.data(), count);
      for (int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<size_t>(i);
        CHECK_EQUAL(found[at], words[at] % static_cast<uint32_t>(range - i));
      }
    }
  }
}

TEST(shuffle_swaps_each_element_with_one_behind_it) {
  for (const int64_t n : {0, 1, 2, 10, 1024, 1025, 5000}) {
    const Tensor order =
        call(ops::philox_shuffle, std::span<const Tensor>(),
             ops::ShuffleAttrs{.n = n, .stream = {.key = 1, .counter_low = 0, .counter_high = 2}});
    std::vector<int32_t> expected(static_cast<size_t>(n));
    std::iota(expected.begin(), expected.end(), 0);
    PhiloxNumbers numbers(Philox(1, 0, 2));
    for (int64_t i = 0; i + 1 < n; ++i) {
      const auto place = static_cast<size_t>(i + numbers() % static_cast<uint32_t>(n - i));
      std::swap(expected[static_cast<size_t>(i)], expected[place]);
    }
    CHECK(std::equal(expected.begin(), expected.end(), order.data<int32_t>()));
  }
}

Tensor draw_classes(const Tensor& logits, int64_t samples, DType dtype = DType::kInt64) {
  return call(ops::philox_categorical, {logits},
              ops::CategoricalAttrs{.num_samples = samples, .dtype = dtype, .stream = kStream});
}

TEST(categorical_follows_the_logits) {
  const float infinity = std::numeric_limits<float>::infinity();
  Tensor logits = Tensor::empty(DType::kFloat32, {2, 3});
  const float values[] = {std::log(0.2f), -infinity, std::log(0.8f), 0, 0, 0};
  std::copy(std::begin(values), std::end(values), logits.mutable_data<float>());
  const Tensor classes = draw_classes(logits, 9001);
  std::vector<int> counts(6);
  for (int64_t i = 0; i < classes.size(); ++i) {
    ++counts[static_cast<size_t>(classes.data<int64_t>()[i] + 3 * (i / 9001))];
  }
  CHECK_NEAR(counts[0] / 9001.0, 0.2, 0.02);
  CHECK_EQUAL(counts[1], 0);
  for (size_t i = 3; i < 6; ++i) CHECK_NEAR(counts[i] / 9001.0, 1.0 / 3, 0.02);
  CHECK_EQUAL(draw_classes(logits, 0).size(), 0);
}

TEST(random_errors) {
  CHECK_THROWS(Code::kInvalidArgument, "-3", draw(ops::philox_uniform, DType::kFloat32, {2, -3}));
  CHECK_THROWS(Code::kInvalidArgument, "int32", draw(ops::philox_normal, DType::kInt32, {2}));
  CHECK_THROWS(Code::kInvalidArgument, "float", draw_ints(DType::kFloat32, {2}, 0, 3));
  CHECK_THROWS(Code::kInvalidArgument, "Need minval < maxval, got 5 >= 3",
               draw_ints(DType::kInt32, {2}, 5, 3));
  CHECK_THROWS(Code::kInvalidArgument, "[3]", draw_classes(Tensor::empty(DType::kFloat32, {3}), 1));
  CHECK_THROWS(Code::kInvalidArgument, "-1",
               draw_classes(Tensor::empty(DType::kFloat32, {2, 2}), -1));
  CHECK_THROWS(Code::kInvalidArgument, "num_classes",
               draw_classes(Tensor::empty(DType::kFloat32, {2, 0}), 1));
  CHECK_THROWS(Code::kInvalidArgument, "float",
               draw_classes(Tensor::empty(DType::kFloat32, {2, 2}), 1, DType::kFloat32));
}

}  // namespace
}  // namespace ef
