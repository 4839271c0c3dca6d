// Strings: lengths, case, substrings, hashes, conversions from and to numbers, splits and joins.
#include "kernels/cpu/text.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "data/string_hash.h"
#include "device/parallel.h"
#include "kernels/cpu/typed.h"
#include "ops/text.h"

namespace ef::cpu {
namespace {

// The least number of strings for a thread.
constexpr int64_t kTextGrain = 2048;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_word_character(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); }
// Whether a byte begins a UTF-8 character; the other bytes continue one.
bool begins(char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }

std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

template <class Body>
void for_strings(int64_t count, const Body& body) {
  parallel_for(count, kTextGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) body(i);
  });
}

std::string* results(KernelContext& context, int k = 0) {
  return context.output(k).mutable_data<std::string>();
}

}  // namespace

void string_length(KernelContext& context) {
  const auto texts = context.input(0).strings();
  auto* out = context.output(0).mutable_data<int32_t>();
  const bool characters = context.attrs<ops::TextUnitAttrs>().characters;
  for_strings(context.input(0).size(), [&](int64_t i) {
    out[i] = static_cast<int32_t>(
        characters ? std::count_if(texts[i].begin(), texts[i].end(), begins) : texts[i].size());
  });
}

void string_case(KernelContext& context) {
  const auto texts = context.input(0).strings();
  std::string* const out = results(context);
  const char first = context.attrs<ops::StringCaseAttrs>().upper ? 'a' : 'A';
  for_strings(context.input(0).size(), [&](int64_t i) {
    out[i] = texts[i];
    // The two cases of a letter differ in one bit.
    for (char& c : out[i]) c ^= c >= first && c <= first + 25 ? 0x20 : 0;
  });
}

void string_strip(KernelContext& context) {
  const auto texts = context.input(0).strings();
  std::string* const out = results(context);
  for_strings(context.input(0).size(), [&](int64_t i) { out[i] = stripped(texts[i]); });
}

void string_part(KernelContext& context) {
  const auto texts = context.input(0).strings();
  const auto* places = context.input(1).data<int64_t>();
  const auto* lengths = context.input(2).data<int64_t>();
  const int64_t text_step = context.input(0).size() == 1 ? 0 : 1;
  const int64_t step = context.input(1).size() == 1 ? 0 : 1;
  const bool characters = context.attrs<ops::TextUnitAttrs>().characters;
  std::string* const out = results(context);
  std::atomic<int64_t> bad = -1;
  for_strings(context.output(0).size(), [&](int64_t i) {
    const std::string& text = texts[i * text_step];
    const auto bytes = static_cast<int64_t>(text.size());
    const int64_t total = characters ? std::count_if(text.begin(), text.end(), begins) : bytes;
    int64_t place = places[i * step];
    const int64_t length = lengths[i * step];
    if (place < -total || place > total) {
      bad = i;
      return;
    }
    if (place < 0) place += total;
    const int64_t count = length < 0 ? total - place : std::min(length, total - place);
    if (!characters) {
      out[i].assign(text, static_cast<size_t>(place), static_cast<size_t>(count));
      return;
    }
    // The byte offset of a character.
    const auto byte_of = [&](int64_t character) {
      int64_t k = 0;
      for (; k < bytes; ++k) {
        if (begins(text[static_cast<size_t>(k)]) && character-- == 0) break;
      }
      return k;
    };
    const int64_t from = byte_of(place);
    out[i].assign(text, static_cast<size_t>(from),
                  static_cast<size_t>(byte_of(place + count) - from));
  });
  if (bad >= 0) {
    invalid_argument("pos ", places[bad * step], " out of range for the string at index ",
                     bad.load(), " [Op:Substr]");
  }
}

void string_hash(KernelContext& context) {
  const auto texts = context.input(0).strings();
  const auto& attrs = context.attrs<ops::StringHashAttrs>();
  const auto buckets = static_cast<uint64_t>(attrs.buckets);
  const auto key0 = static_cast<uint64_t>(attrs.key0);
  const auto key1 = static_cast<uint64_t>(attrs.key1);
  auto* out = context.output(0).mutable_data<int64_t>();
  const auto all = [&](const auto& hash) {
    for_strings(context.input(0).size(), [&](int64_t i) {
      const uint64_t value = hash(texts[i]);
      out[i] = static_cast<int64_t>(buckets ? value % buckets : value);
    });
  };
  switch (attrs.method) {
    case ops::HashMethod::kFarm:
      return all([](const std::string& text) { return data::fingerprint64(text); });
    case ops::HashMethod::kMurmur:
      return all([=](const std::string& text) { return data::murmur64(text, key0); });
    case ops::HashMethod::kSip:
      return all([=](const std::string& text) { return data::siphash(key0, key1, text); });
  }
}

namespace {

bool same_word(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), same);
}

// Whether a number that no double holds is huge, not tiny: the place of its first digit tells.
bool is_huge(std::string_view digits, bool hexadecimal) {
  const size_t mark = std::min(digits.find_first_of(hexadecimal ? "pP" : "eE"), digits.size());
  std::string_view power = digits.substr(std::min(mark + 1, digits.size()));
  const bool falls = power.starts_with('-');
  if (falls || power.starts_with('+')) power.remove_prefix(1);
  int64_t exponent = 0;
  const auto read = std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) return !falls;
  const std::string_view mantissa = digits.substr(0, mark);
  const auto point = static_cast<int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<int64_t>(mantissa.find_first_not_of("0."));
  return (point - first) * (hexadecimal ? 4 : 1) > (falls ? exponent : -exponent);
}

// A number's digits, without its sign. What is too large is infinite, what is too small is 0.
template <class T>
bool parse_magnitude(std::string_view text, T* out) {
  if (same_word(text, "inf") || same_word(text, "infinity")) {
    *out = std::numeric_limits<T>::infinity();
    return true;
  }
  const bool payload = text.size() > 4 && text[3] == '(' && text.back() == ')' &&
                       std::all_of(text.begin() + 4, text.end() - 1, is_word_character);
  if (same_word(payload ? text.substr(0, 3) : text, "nan")) {
    *out = std::numeric_limits<T>::quiet_NaN();
    return true;
  }
  const bool hexadecimal = same_word(text.substr(0, 2), "0x");
  if (hexadecimal) text.remove_prefix(2);
  // What is left may not be a sign or a word.
  if (text.empty() || !(text[0] == '.' || std::isxdigit(static_cast<unsigned char>(text[0])))) {
    return false;
  }
  const auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto whole = [&](auto* number) {
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), *number, format);
    return end == text.data() + text.size() ? error : std::errc::invalid_argument;
  };
  std::errc error = whole(out);
  if (error != std::errc::result_out_of_range) return error == std::errc();
  double wide = 0;
  error = whole(&wide);
  if (error == std::errc::result_out_of_range) {
    wide = is_huge(text, hexadecimal) ? std::numeric_limits<double>::infinity() : 0;
  }
  *out = static_cast<T>(wide);
  return true;
}

template <class T>
bool parse(std::string_view text, T* out) {
  text = stripped(text);
  const bool negative = text.starts_with('-');
  if constexpr (std::is_floating_point_v<T>) {
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (!parse_magnitude(text, out)) return false;
    if (negative) *out = -*out;
    return true;
  } else {
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || (text.starts_with('-') && !negative)) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
    return error == std::errc() && end == text.data() + text.size();
  }
}

}  // namespace

void string_to_number(KernelContext& context) {
  const auto texts = context.input(0).strings();
  const Tensor& out = context.output(0);
  std::atomic<int64_t> bad = -1;
  on_real_type(out.dtype(), [&]<class T>(T) {
    if constexpr (sizeof(T) >= 4) {
      T* const numbers = out.mutable_data<T>();
      for_strings(out.size(), [&](int64_t i) {
        if (!parse(texts[i], numbers + i)) bad = i;
      });
    }
  });
  if (bad >= 0) {
    invalid_argument("StringToNumberOp could not correctly convert string: ", texts[bad.load()],
                     " [Op:StringToNumber]");
  }
}

void string_of_number(KernelContext& context) {
  const Tensor& x = context.input(0);
  std::string* const out = results(context);
  const auto& attrs = context.attrs<ops::StringOfNumberAttrs>();
  const auto precision = static_cast<int>(attrs.precision);
  constexpr const char* kFormats[] = {"%.*f", "%.*e", "%.*g"};
  const char* const format = kFormats[static_cast<size_t>(attrs.format)];
  on_real_type(x.dtype(), [&]<class T>(T) {
    const T* const numbers = x.data<T>();
    for_strings(x.size(), [&](int64_t i) {
      const auto number = arithmetic(numbers[i]);
      if constexpr (std::is_integral_v<T>) {
        out[i] = std::to_string(number);
      } else {
        if (std::isnan(number)) {
          out[i] = "nan";
          return;
        }
        char text[400];
        const int size = std::snprintf(text, sizeof text, format, precision, double(number));
        if (size < 0) throw std::length_error("snprintf");
        if (size < static_cast<int>(sizeof text)) {
          out[i].assign(text, static_cast<size_t>(size));
          return;
        }
        out[i].resize(static_cast<size_t>(size) + 1);
        std::snprintf(out[i].data(), out[i].size(), format, precision, double(number));
        out[i].resize(static_cast<size_t>(size));
      }
    });
  });
}

namespace {

// Calls piece(begin, size) for the pieces of a string.
template <class Piece>
void for_text_pieces(std::string_view text, std::string_view separator, const Piece& piece) {
  if (separator.empty()) {
    size_t i = 0;
    while (true) {
      while (i < text.size() && is_space(text[i])) ++i;
      if (i == text.size()) return;
      const size_t begin = i;
      while (i < text.size() && !is_space(text[i])) ++i;
      piece(begin, i - begin);
    }
  }
  size_t begin = 0;
  while (true) {
    const size_t end = text.find(separator, begin);
    if (end == std::string_view::npos) break;
    piece(begin, end - begin);
    begin = end + separator.size();
  }
  piece(begin, text.size() - begin);
}

}  // namespace

void string_split(KernelContext& context) {
  const auto texts = context.input(0).strings();
  const std::string& separator = context.input(1).strings()[0];
  const int64_t count = context.input(0).size();
  context.output(1) = Tensor::empty(DType::kInt64, {count + 1});
  auto* const splits = context.output(1).mutable_data<int64_t>();
  splits[0] = 0;
  for_strings(count, [&](int64_t i) {
    int64_t pieces = 0;
    for_text_pieces(texts[i], separator, [&](size_t, size_t) { ++pieces; });
    splits[i + 1] = pieces;
  });
  for (int64_t i = 0; i < count; ++i) splits[i + 1] += splits[i];
  context.output(0) = Tensor::empty(DType::kString, {splits[count]});
  std::string* const out = results(context);
  for_strings(count, [&](int64_t i) {
    int64_t k = splits[i];
    for_text_pieces(texts[i], separator,
                    [&](size_t begin, size_t size) { out[k++].assign(texts[i], begin, size); });
  });
}

void string_join(KernelContext& context) {
  const std::string& separator = context.input(0).strings()[0];
  std::string* const out = results(context);
  const int parts = context.num_inputs() - 1;
  for_strings(context.output(0).size(), [&](int64_t i) {
    size_t size = 0;
    const auto part = [&](int k) -> const std::string& {
      const Tensor& texts = context.input(k + 1);
      return texts.strings()[texts.rank() == 0 ? 0 : static_cast<size_t>(i)];
    };
    for (int k = 0; k < parts; ++k) size += part(k).size() + separator.size();
    out[i].reserve(size);
    for (int k = 0; k < parts; ++k) {
      if (k > 0) out[i] += separator;
      out[i] += part(k);
    }
  });
}

void string_join_rows(KernelContext& context) {
  const Tensor& input = context.input(1);
  const std::string& separator = context.input(0).strings()[0];
  std::string* const out = results(context);
  const int64_t width = input.shape().back();
  const auto texts = input.strings();
  parallel_for(context.output(0).size(), kTextGrain / (width + 1) + 1,
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) {
                   size_t size = 0;
                   for (int64_t k = 0; k < width; ++k)
                     size += texts[r * width + k].size() + separator.size();
                   out[r].reserve(size);
                   for (int64_t k = 0; k < width; ++k) {
                     if (k > 0) out[r] += separator;
                     out[r] += texts[r * width + k];
                   }
                 }
               });
}

}  // namespace ef::cpu
