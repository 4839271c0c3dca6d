// Snappy's raw format, in which TensorFlow's files hold compressed blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ef {

std::string snappy_compress(std::string_view data);

// The data that were compressed; nothing if they are damaged.
std::optional<std::string> snappy_expand(std::string_view block);

}  // namespace ef
