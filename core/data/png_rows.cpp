#include "data/png_rows.h"

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace ef {

namespace {

enum Filter : uint8_t { kNone, kLeft, kUp, kMean, kPaeth };

// Paeth's choice (PNG specification, 9.4): the neighbour nearest to left + up - corner.
int nearest(int left, int up, int corner) {
  const int to_left = std::abs(up - corner), to_up = std::abs(left - corner);
  const int to_corner = std::abs(left + up - 2 * corner);
  if (to_left <= to_up && to_left <= to_corner) return left;
  return to_up <= to_corner ? up : corner;
}

// `above` is the row before, or zeros; `guess` takes the neighbours to the left, above, and left of
// that.
template <typename Guess>
void add(const uint8_t* line, const uint8_t* above, size_t length, size_t step, uint8_t* plain,
         Guess guess) {
  for (size_t i = 0; i < length; ++i) {
    const bool first = i < step;
    const int left = first ? 0 : plain[i - step], corner = first ? 0 : above[i - step];
    plain[i] = static_cast<uint8_t>(line[i] + guess(left, int{above[i]}, corner));
  }
}

}  // namespace

std::optional<std::string> png_rows(std::string_view lines, size_t length, size_t step) {
  const size_t rows = lines.size() / (length + 1);
  std::string plain(rows * length, '\0');
  const std::vector<uint8_t> zeros(length);
  const uint8_t* above = zeros.data();
  const auto* line = reinterpret_cast<const uint8_t*>(lines.data());
  auto* to = reinterpret_cast<uint8_t*>(plain.data());
  for (size_t row = 0; row < rows; ++row) {
    const uint8_t filter = *line++;
    const auto undo = [&](auto guess) { add(line, above, length, step, to, guess); };
    switch (filter) {
      case kNone: undo([](int, int, int) { return 0; }); break;
      case kLeft: undo([](int left, int, int) { return left; }); break;
      case kUp: undo([](int, int up, int) { return up; }); break;
      case kMean: undo([](int left, int up, int) { return (left + up) >> 1; }); break;
      case kPaeth: undo(nearest); break;
      default: return std::nullopt;
    }
    above = to;
    line += length;
    to += length;
  }
  return plain;
}

}  // namespace ef
