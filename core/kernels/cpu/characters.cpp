// Strings as characters, replacements in strings, CSV fields, and sets of rows.
#include "kernels/cpu/characters.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "device/parallel.h"
#include "kernels/cpu/typed.h"
#include "ops/characters.h"

namespace ef::cpu {
namespace {

// The least number of strings for a thread.
constexpr int64_t kTextsGrain = 2048;

// The length of the character that begins at `at`, and its code point; 0 if it is invalid.
int character(const char* at, size_t left, int32_t* code) {
  const auto byte = [=](int k) { return static_cast<uint8_t>(at[k]); };
  const uint8_t first = byte(0);
  if (first < 0x80) {
    *code = first;
    return 1;
  }
  const int size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (size == 0 || first > 0xF4 || left < static_cast<size_t>(size)) return 0;
  int32_t number = first & (0xFF >> (size + 1));
  for (int k = 1; k < size; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return 0;
    number = number << 6 | (byte(k) & 0x3F);
  }
  constexpr int32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (number < kLeast[size] || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000)) return 0;
  *code = number;
  return size;
}

void append_code(std::string& text, int32_t code) {
  const auto put = [&](int32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

void check_row_splits(const Tensor& splits, int64_t count, const char* op) {
  const auto* at = splits.data<int64_t>();
  bool ordered = at[0] == 0 && at[splits.size() - 1] <= count;
  for (int64_t r = 1; r < splits.size(); ++r) ordered &= at[r - 1] <= at[r];
  if (!ordered) {
    invalid_argument("row splits must not decrease nor leave the ", count, " values [Op:", op, "]");
  }
}

}  // namespace

void utf8_decode(KernelContext& context) {
  const auto texts = context.input(0).strings();
  const Tensor splits = Tensor::empty(DType::kInt64, context.spec(2).shape);
  auto* const ends = splits.mutable_data<int64_t>();
  const int64_t count = context.input(0).size();
  std::atomic<bool> all_valid = true;
  parallel_for(count, kTextsGrain, [&](int64_t begin, int64_t end) {
    bool valid = true;
    int32_t code;
    for (int64_t i = begin; i < end; ++i) {
      const std::string& text = texts[i];
      int64_t found = 0;
      for (size_t at = 0; valid && at < text.size(); ++found) {
        const int size = character(text.data() + at, text.size() - at, &code);
        valid &= size > 0;
        at += static_cast<size_t>(size);
      }
      ends[i + 1] = found;
    }
    if (!valid) all_valid = false;
  });
  if (!all_valid) {
    context.output(0) = Tensor::empty(DType::kInt32, {0});
    context.output(1) = Tensor::empty(DType::kInt64, {0});
    context.output(2) = Tensor::empty(DType::kInt64, {0});
    return;
  }
  ends[0] = 0;
  for (int64_t i = 0; i < count; ++i) ends[i + 1] += ends[i];
  const Tensor codes = Tensor::empty(DType::kInt32, {ends[count]});
  const Tensor offsets = Tensor::empty(DType::kInt64, {ends[count]});
  auto* const numbers = codes.mutable_data<int32_t>();
  auto* const places = offsets.mutable_data<int64_t>();
  parallel_for(count, kTextsGrain, [&](int64_t begin, int64_t end) {
    int64_t k = ends[begin];
    for (int64_t i = begin; i < end; ++i) {
      const std::string& text = texts[i];
      for (size_t at = 0; at < text.size(); ++k) {
        places[k] = static_cast<int64_t>(at);
        at += static_cast<size_t>(character(text.data() + at, text.size() - at, numbers + k));
      }
    }
  });
  context.output(0) = codes;
  context.output(1) = offsets;
  context.output(2) = splits;
}

void utf8_encode(KernelContext& context) {
  const Tensor& codes = context.input(0);
  const Tensor& splits = context.input(1);
  check_row_splits(splits, codes.size(), "Utf8Encode");
  const auto* numbers = codes.data<int32_t>();
  const auto* at = splits.data<int64_t>();
  for (int64_t i = 0; i < codes.size(); ++i) {
    const int32_t code = numbers[i];
    if (code < 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
      invalid_argument(
          "Code point is out of range for Unicode, or is a surrogate. [Op:UnicodeEncode]");
    }
  }
  auto* const out = context.output(0).mutable_data<std::string>();
  parallel_for(context.output(0).size(), kTextsGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t k = at[i]; k < at[i + 1]; ++k) append_code(out[i], numbers[k]);
    }
  });
}

void string_replace(KernelContext& context) {
  const auto texts = context.input(0).strings();
  const std::string& rewrite = context.input(1).strings()[0];
  const auto& attrs = context.attrs<ops::StringReplaceAttrs>();
  const Ints& members = attrs.members;
  const bool runs = attrs.runs, everywhere = attrs.everywhere;
  std::array<bool, 256> inside{};
  for (size_t c = 0; c < 128; ++c) {
    inside[c] = static_cast<uint64_t>(members[c / 64]) >> (c % 64) & 1;
  }
  auto* const out = context.output(0).mutable_data<std::string>();
  parallel_for(context.input(0).size(), kTextsGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::string& text = texts[i];
      std::string& to = out[i];
      const auto is_member = [&](char c) { return inside[static_cast<uint8_t>(c)]; };
      auto from = text.begin();
      while (from != text.end()) {
        const auto found = std::find_if(from, text.end(), is_member);
        to.append(from, found);
        from = found;
        if (found == text.end()) break;
        to += rewrite;
        from = runs ? std::find_if_not(found, text.end(), is_member) : found + 1;
        if (!everywhere) {
          to.append(from, text.end());
          break;
        }
      }
    }
  });
}

void csv_fields(KernelContext& context) {
  const auto lines = context.input(0).strings();
  const int64_t count = context.input(0).size();
  const auto& attrs = context.attrs<ops::CsvFieldsAttrs>();
  const char delimiter = static_cast<char>(attrs.delimiter);
  const Ints& columns = attrs.columns;
  const bool quotes = attrs.quotes, all = attrs.all;
  const auto width = static_cast<int64_t>(columns.size());
  const Tensor fields = Tensor::empty(DType::kString, {width, count});
  auto* const out = fields.mutable_data<std::string>();
  std::atomic<bool> all_plain = true;
  parallel_for(count, kTextsGrain / 4, [&](int64_t begin, int64_t end) {
    bool plain = true;
    for (int64_t i = begin; plain && i < end; ++i) {
      const std::string_view line = lines[i];
      plain = !line.empty() && line.find_first_of("\r\n") == std::string_view::npos &&
              !(quotes && line.find('"') != std::string_view::npos);
      int64_t column = 0, found = 0;
      for (size_t at = 0; plain;) {
        const size_t stop = std::min(line.find(delimiter, at), line.size());
        if (found < width && column == columns[static_cast<size_t>(found)]) {
          out[found++ * count + i].assign(line.substr(at, stop - at));
        } else if (all) {
          plain = false;
        }
        ++column;
        if (stop == line.size()) break;
        at = stop + 1;
      }
      plain &= found == width;
    }
    if (!plain) all_plain = false;
  });
  context.output(0) = all_plain ? fields : Tensor::empty(DType::kString, {0, 0});
}

namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::array<int8_t, 256> digit_values() {
  std::array<int8_t, 256> values;
  values.fill(-1);
  for (int k = 0; k < 64; ++k) {
    values[static_cast<uint8_t>(kDigits[k])] = static_cast<int8_t>(k);
  }
  return values;
}

}  // namespace

void base64_encode(KernelContext& context) {
  const auto texts = context.input(0).strings();
  const bool pad = context.attrs<ops::Base64EncodeAttrs>().pad;
  auto* const out = context.output(0).mutable_data<std::string>();
  parallel_for(context.input(0).size(), kTextsGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::string& text = texts[i];
      std::string& to = out[i];
      to.reserve(text.size() / 3 * 4 + 4);
      for (size_t at = 0; at < text.size(); at += 3) {
        const size_t left = std::min<size_t>(3, text.size() - at);
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k) {
          bits = bits << 8 | (k < left ? static_cast<uint8_t>(text[at + k]) : 0);
        }
        for (size_t k = 0; k <= left; ++k) to.push_back(kDigits[bits >> (18 - 6 * k) & 0x3F]);
        if (pad) to.append(3 - left, '=');
      }
    }
  });
}

void base64_decode(KernelContext& context) {
  static const std::array<int8_t, 256> values = digit_values();
  const auto texts = context.input(0).strings();
  auto* const out = context.output(0).mutable_data<std::string>();
  std::atomic<bool> all_valid = true;
  parallel_for(context.input(0).size(), kTextsGrain, [&](int64_t begin, int64_t end) {
    bool valid = true;
    for (int64_t i = begin; i < end; ++i) {
      std::string_view text = texts[i];
      if (!text.empty() && text.size() % 4 == 0) {
        for (int k = 0; k < 2 && text.back() == '='; ++k) text.remove_suffix(1);
      }
      valid &= text.size() % 4 != 1;
      std::string& to = out[i];
      to.reserve(text.size() / 4 * 3 + 3);
      uint32_t bits = 0;
      int have = 0;
      for (char c : text) {
        const int8_t value = values[static_cast<uint8_t>(c)];
        valid &= value >= 0;
        bits = bits << 6 | (static_cast<uint32_t>(value) & 0x3F);
        have += 6;
        if (have < 8) continue;
        have -= 8;
        to.push_back(static_cast<char>(bits >> have & 0xFF));
      }
    }
    if (!valid) all_valid = false;
  });
  if (!all_valid) {
    invalid_argument("Invalid character found in base64. [Op:DecodeBase64]");
  }
}

void string_bytes(KernelContext& context) {
  const auto texts = context.input(0).strings();
  const int64_t count = context.input(0).size();
  const auto offset = static_cast<size_t>(context.attrs<ops::StringBytesAttrs>().offset);
  const DType dtype = context.spec(0).dtype;
  const size_t size = count > 0 ? texts[0].size() : 0;
  for (int64_t i = 0; i < count; ++i) {
    if (texts[i].size() == size) continue;
    invalid_argument("DecodeRaw requires input strings to all be the same size, but element ", i,
                     " has size ", size, " != ", texts[i].size(), " [Op:DecodeRaw]");
  }
  const size_t bytes = size > offset ? size - offset : 0, width = element_size(dtype);
  if (bytes % width != 0) {
    invalid_argument("Input to DecodeRaw has length ", bytes, " that is not a multiple of ", width,
                     ", the size of ", dtype, " [Op:DecodeRaw]");
  }
  Shape shape = context.input(0).shape();
  shape.push_back(static_cast<int64_t>(bytes / width));
  const Tensor out = Tensor::empty(dtype, shape);
  char* to = static_cast<char*>(out.mutable_raw_data());
  for (int64_t i = 0; bytes > 0 && i < count; ++i, to += bytes) {
    std::memcpy(to, texts[i].data() + offset, bytes);
  }
  context.output(0) = out;
}

void bytes_string(KernelContext& context) {
  const Tensor& x = context.input(0);
  const std::string& prefix = context.input(1).strings()[0];
  const size_t bytes = static_cast<size_t>(x.size()) * element_size(x.dtype());
  std::string& out = *context.output(0).mutable_data<std::string>();
  out.reserve(prefix.size() + bytes);
  out = prefix;
  if (bytes > 0) out.append(static_cast<const char*>(x.raw_data()), bytes);
}

void set_rows(KernelContext& context) {
  using ops::SetOperation;
  const Tensor* const sides[2] = {&context.input(0), &context.input(1)};
  const Tensor* const splits[2] = {&context.input(2), &context.input(3)};
  for (int k = 0; k < 2; ++k) check_row_splits(*splits[k], sides[k]->size(), "SetRows");
  const SetOperation operation = context.attrs<ops::SetRowsAttrs>().operation;
  const int64_t rows = splits[0]->size() - 1;
  const Tensor ends = Tensor::empty(DType::kInt64, {rows + 1});
  auto* const end_at = ends.mutable_data<int64_t>();
  end_at[0] = 0;
  const auto run = [&]<class T>(const T* a, const T* b) {
    std::vector<T> members;
    std::vector<T> sets[2];
    const T* const from[2] = {a, b};
    for (int64_t r = 0; r < rows; ++r) {
      for (int k = 0; k < 2; ++k) {
        const auto* at = splits[k]->data<int64_t>();
        sets[k].assign(from[k] + at[r], from[k] + at[r + 1]);
        std::sort(sets[k].begin(), sets[k].end());
        sets[k].erase(std::unique(sets[k].begin(), sets[k].end()), sets[k].end());
      }
      const auto& [x, y] = sets;
      const auto to = std::back_inserter(members);
      switch (operation) {
        case SetOperation::kIntersection:
          std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), to);
          break;
        case SetOperation::kUnion:
          std::set_union(x.begin(), x.end(), y.begin(), y.end(), to);
          break;
        case SetOperation::kAMinusB:
          std::set_difference(x.begin(), x.end(), y.begin(), y.end(), to);
          break;
        case SetOperation::kBMinusA:
          std::set_difference(y.begin(), y.end(), x.begin(), x.end(), to);
          break;
      }
      end_at[r + 1] = static_cast<int64_t>(members.size());
    }
    const auto count = static_cast<int64_t>(members.size());
    const Tensor values = Tensor::empty(sides[0]->dtype(), {count});
    std::move(members.begin(), members.end(), values.mutable_data<T>());
    context.output(0) = values;
  };
  if (sides[0]->dtype() == DType::kString) {
    run(sides[0]->strings().data(), sides[1]->strings().data());
  } else {
    on_real_type(sides[0]->dtype(), [&]<class T>(T) {
      if constexpr (std::is_integral_v<T>) run(sides[0]->data<T>(), sides[1]->data<T>());
    });
  }
  const Tensor places = Tensor::empty(DType::kInt64, {end_at[rows], 2});
  auto* to = places.mutable_data<int64_t>();
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = end_at[r]; k < end_at[r + 1]; ++k) {
      *to++ = r;
      *to++ = k - end_at[r];
    }
  }
  context.output(1) = places;
  context.output(2) = ends;
}

}  // namespace ef::cpu
