// Snappy's raw format, in which TensorFlow's files hold compressed blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ef {

std::string snappy_compress(std::string_view data);

// The decompressed data; nothing if the block is damaged.
std::optional<std::string> snappy_expand(std::string_view block);

}  // namespace ef
