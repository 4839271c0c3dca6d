// Example messages: usual ones are read, all others are left to the caller.
#include <string>
#include <vector>

#include "data/example.h"
#include "tests/check.h"

namespace ef {
namespace {

std::string field(char tag, const std::string& content) {
  return std::string(1, tag) + static_cast<char>(content.size()) + content;
}

std::string entry(const std::string& key, const std::string& feature) {
  return field(10, field(10, key) + field(18, feature));
}

std::string example(const std::string& entries) { return field(10, entries); }

std::vector<Tensor> read(const std::vector<std::string>& messages, DType dtype, Shape shape) {
  const DenseFeature features[] = {{"k", dtype, shape}};
  return read_dense_examples(messages, messages.size() == 1, features);
}

TEST(example_integers) {
  const std::string packed = field(26, field(10, std::string("\x05\x96\x01", 3)));
  auto columns = read({example(entry("k", packed))}, DType::kInt64, {2});
  CHECK_EQUAL(columns.size(), 1u);
  CHECK_EQUAL(columns[0].data<int64_t>()[0], 5);
  CHECK_EQUAL(columns[0].data<int64_t>()[1], 150);
  const std::string plain = field(26, std::string("\x08\x07", 2));
  columns = read({example(entry("k", plain)), example(entry("k", plain))}, DType::kInt64, {});
  CHECK_EQUAL(columns[0].size(), 2);
  CHECK_EQUAL(columns[0].data<int64_t>()[1], 7);
}

TEST(example_others_are_left_alone) {
  const std::string text = field(10, field(10, "ab"));
  CHECK_EQUAL(read({example(entry("k", text))}, DType::kString, {}).size(), 1u);
  CHECK_EQUAL(read({example(entry("k", text))}, DType::kInt64, {}).size(), 0u);
  CHECK_EQUAL(read({example(entry("k", text))}, DType::kString, {2}).size(), 0u);
  CHECK_EQUAL(read({example(entry("j", text))}, DType::kString, {}).size(), 0u);
  CHECK_EQUAL(read({example(entry("k", text) + entry("k", text))}, DType::kString, {}).size(), 0u);
  CHECK_EQUAL(read({""}, DType::kString, {}).size(), 0u);
}

TEST(example_damage_is_noticed) {
  const std::string whole = example(entry("k", field(18, field(10, std::string(8, 'x')))));
  CHECK_EQUAL(read({whole}, DType::kFloat32, {2}).size(), 1u);
  for (size_t size = 0; size < whole.size(); ++size) {
    CHECK_EQUAL(read({whole.substr(0, size)}, DType::kFloat32, {2}).size(), 0u);
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      read({changed}, DType::kFloat32, {2});
    }
  }
}

}  // namespace
}  // namespace ef
