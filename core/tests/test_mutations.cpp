// Readers of untrusted bytes, on random and on damaged ones. Sanitized builds detect more.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "checksum/crc32c.h"
#include "data/example.h"
#include "data/snappy.h"
#include "files/checked_io.h"
#include "tests/check.h"
#include "tests/mutation.h"

namespace ef {
namespace {

using test::Chance;
using test::mutation_rounds;

TEST(mutated_snappy) {
  Chance chance;
  for (int round = mutation_rounds(2000); round > 0; --round) {
    const std::string whole = chance.text(chance.below(chance.once_in(20) ? 200'000 : 300));
    const std::string block = snappy_compress(whole);
    CHECK(block.size() <= 10 + whole.size() + whole.size() / 6);
    CHECK(snappy_expand(block) == whole);
    const std::string other = chance.damaged(block);
    const auto found = snappy_expand(other);
    CHECK(!found || found->size() <= 32 * (other.size() + 1));
  }
}

// An independent encoder of protocol buffers, to compare the reader with.
std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out.push_back(static_cast<char>(value | 128));
  out.push_back(static_cast<char>(value));
  return out;
}

std::string field(int number, const std::string& content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}

std::string raw(float value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Values {
  std::vector<int64_t> integers;
  std::vector<float> floats;
  std::vector<std::string> strings;
};

// A Feature with `count` random values, packed or not.
std::string feature(Chance& chance, DType dtype, int64_t count, Values& values) {
  const bool packed = chance.once_in(2);
  std::string list, all;
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == DType::kString) {
      values.strings.push_back(chance.text(chance.below(200)));
      list += field(1, values.strings.back());
      continue;
    }
    std::string one;
    if (dtype == DType::kInt64) {
      values.integers.push_back(static_cast<int64_t>(chance.below(~0ull) >> chance.below(64)));
      one = varint(static_cast<uint64_t>(values.integers.back()));
    } else {
      values.floats.push_back(static_cast<float>(chance.below(1000)) / 8);
      one = raw(values.floats.back());
    }
    all += one;
    list += varint(1 << 3 | (dtype == DType::kInt64 ? 0 : 5)) + one;
  }
  if (packed && dtype != DType::kString) list = field(1, all);
  return field(dtype == DType::kString ? 1 : dtype == DType::kFloat32 ? 2 : 3, list);
}

TEST(mutated_examples) {
  Chance chance;
  const DType dtypes[] = {DType::kFloat32, DType::kInt64, DType::kString};
  int read = 0;
  const int rounds = mutation_rounds(2000);
  for (int round = 0; round < rounds; ++round) {
    std::vector<DenseFeature> features;
    for (uint64_t k = 1 + chance.below(4); k > 0; --k) {
      const Shape shape =
          chance.once_in(2) ? Shape{} : Shape{static_cast<int64_t>(1 + chance.below(5))};
      features.push_back({"key " + std::to_string(k), dtypes[chance.below(3)], shape});
    }
    std::map<std::string, Values> values;
    std::vector<std::string> messages(1 + chance.below(3));
    const bool single = messages.size() == 1;
    for (std::string& message : messages) {
      std::string entries;
      for (size_t k = 0; k < features.size(); ++k) {
        const DenseFeature& wanted = features[(k + round) % features.size()];
        const std::string content =
            feature(chance, wanted.dtype, wanted.shape.num_elements(), values[wanted.key]);
        entries += field(1, field(1, wanted.key) + field(2, content));
        Values ignored;
        if (chance.once_in(4)) {
          entries +=
              field(1, field(1, "other") + field(2, feature(chance, DType::kInt64, 3, ignored)));
        }
      }
      message = field(1, entries);
    }
    const auto columns = read_dense_examples(messages, single, features);
    // Unusual messages may be left to the caller, but not read wrong.
    if (!columns.empty()) ++read;
    for (size_t k = 0; k < columns.size(); ++k) {
      const Values& expected = values[features[k].key];
      const int64_t count = columns[k].size();
      CHECK_EQUAL(count, features[k].shape.num_elements() * static_cast<int64_t>(messages.size()));
      for (int64_t i = 0; i < count; ++i) {
        switch (features[k].dtype) {
          case DType::kInt64: CHECK(columns[k].data<int64_t>()[i] == expected.integers[i]); break;
          case DType::kFloat32: CHECK(columns[k].data<float>()[i] == expected.floats[i]); break;
          default: CHECK(columns[k].data<std::string>()[i] == expected.strings[i]);
        }
      }
    }
    for (std::string& message : messages) message = chance.damaged(message);
    const auto others = read_dense_examples(messages, single, features);
    CHECK(others.empty() || others.size() == features.size());
  }
  CHECK(read > rounds / 2);
}

// The definition of the checksum, one bit at a time.
uint32_t slow_crc32c(const std::string& bytes) {
  uint32_t sum = ~0u;
  for (const char byte : bytes) {
    sum ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ (sum & 1 ? 0x82F63B78u : 0u);
  }
  return ~sum;
}

TEST(mutated_files) {
  Chance chance;
  std::FILE* stream = std::tmpfile();
  const int file = fileno(stream);
  for (int round = mutation_rounds(200); round > 0; --round) {
    // Small sizes, and sizes around those at which the work is split.
    const size_t piece = size_t{1} << (10 + chance.below(9));
    const size_t size = chance.once_in(2) ? chance.below(5000) : piece - 2 + chance.below(5);
    const auto offset = static_cast<int64_t>(chance.below(10'000));
    std::string bytes = chance.text(size);
    const uint32_t sum = slow_crc32c(bytes);
    CHECK_EQUAL(crc32c(0, bytes.data(), size), sum);
    CHECK_EQUAL(write_checked(file, offset, bytes.data(), size), sum);
    std::string read(size, '\0');
    CHECK_EQUAL(read_checked(file, offset, read.data(), size), sum);
    CHECK(read == bytes);
    if (size == 0) continue;
    // Any flipped bit changes the checksum.
    const size_t at = chance.once_in(2) ? size - 1 : chance.below(size);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << chance.below(8)));
    CHECK(crc32c(0, bytes.data(), size) != sum);
    write_checked(file, offset, bytes.data(), size);
    CHECK(read_checked(file, offset, read.data(), size) != sum);
  }
  std::fclose(stream);
}

}  // namespace
}  // namespace ef
