// Random bytes and damage to them, for tests of what reads bytes. MUTATION_ROUNDS in the
// environment makes more rounds than usual, MUTATION_SEED others.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace ef::test {

inline int mutation_rounds(int usual) {
  const char* text = std::getenv("MUTATION_ROUNDS");
  return text ? std::atoi(text) : usual;
}

class Chance {
 public:
  Chance() {
    const char* text = std::getenv("MUTATION_SEED");
    if (text) engine_.seed(std::strtoull(text, nullptr, 10));
  }

  // A number from 0 to count - 1.
  uint64_t below(uint64_t count) { return engine_() % count; }
  bool once_in(uint64_t count) { return below(count) == 0; }

  // Bytes with what compresses: noise, runs, and copies of what came before.
  std::string text(size_t size) {
    std::string out;
    while (out.size() < size) {
      const size_t piece = 1 + below(once_in(4) ? size : 20);
      const auto byte = static_cast<char>(below(256));
      switch (out.empty() ? below(2) : below(3)) {
        case 0: out.append(piece, byte); break;
        case 1:
          for (size_t i = 0; i < piece; ++i) out.push_back(static_cast<char>(below(256)));
          break;
        default: {
          const size_t back = 1 + below(out.size());
          for (size_t i = 0; i < piece; ++i) out.push_back(out[out.size() - back]);
        }
      }
    }
    out.resize(size);
    return out;
  }

  // The bytes with a few bits turned, pieces lost, doubled or put in, or sizes made large.
  std::string damaged(std::string bytes) {
    for (uint64_t times = 1 + below(4); times > 0 && !bytes.empty(); --times) {
      const size_t at = below(bytes.size());
      switch (below(6)) {
        case 0: bytes.resize(at); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
        case 2: bytes[at] = "\x00\x01\x7f\x80\xff"[below(5)]; break;
        case 3: bytes.erase(at, 1 + below(9)); break;
        case 4: bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(20))); break;
        default: bytes.replace(at, 5, "\xff\xff\xff\xff\x7f");
      }
    }
    return bytes;
  }

 private:
  std::mt19937_64 engine_{0};
};

}  // namespace ef::test
