// Rows of PNG images, each of which is stored as differences from its neighbours.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ef {

// The plain bytes of rows; nothing if a row has an unknown filter.
// `lines` has for each row a byte that names its filter, and `length` bytes; a sample's bytes are
// `step` bytes behind those of the pixel to its left.
std::optional<std::string> png_rows(std::string_view lines, size_t length, size_t step);

}  // namespace ef
