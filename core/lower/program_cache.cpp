// Files of compiled programs.
#include "lower/program_cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>

#include "checksum/crc32c.h"
#include "platform/process.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

namespace fs = std::filesystem;

// The source of a program and its compiler: a file is valid only for the same ones.
std::string source_of(const pjrt::Client& client, const std::string& text,
                      std::span<const int> devices) {
  const auto [major, minor] = client.version();
  return cat(client.platform(), "\n", client.platform_version(), "\n", major, ".", minor, "\n",
             fs::path(client.path()).filename().string(), " ", fs::file_size(client.path()), "\n",
             client.compile_options(devices), "\n", text);
}

std::string checksum_of(const std::string& bytes) {
  return cat(crc32c(0, bytes.data(), bytes.size()));
}

// The program in a file; empty if the file belongs to another source.
std::string read_program(const fs::path& file, const std::string& source) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  std::ostringstream content;
  content << stream.rdbuf();
  const std::string all = content.str();
  const size_t line = all.find('\n');
  if (line == std::string::npos) return {};
  const std::string rest = all.substr(line + 1);
  if (all.substr(0, line) != checksum_of(rest) || !rest.starts_with(source)) return {};
  if (rest.size() <= source.size() || rest[source.size()] != '\0') return {};
  return rest.substr(source.size() + 1);
}

// A file is written completely or not at all. Errors of the file system are ignored.
void write_program(const fs::path& file, const std::string& source, const std::string& program) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const std::string rest = source + '\0' + program;
  const fs::path unfinished = cat(file.string(), ".", platform::process_id());
  {
    std::ofstream stream(unfinished, std::ios::binary);
    stream << checksum_of(rest) << '\n' << rest;
    if (!stream.flush()) {
      fs::remove(unfinished, ignored);
      return;
    }
  }
  fs::rename(unfinished, file, ignored);
}

}  // namespace

pjrt::ExecutablePtr compiled_program(pjrt::Client& client, const std::string& text,
                                     const SpecList& results, std::span<const int> devices) {
  const char* const folder = std::getenv("EAGERFLOW_COMPILATION_CACHE");
  if (!folder || !*folder) return client.compile(text, results, devices);
  const std::string source = source_of(client, text, devices);
  const fs::path file = fs::path(folder) / cat(std::hash<std::string>()(source), ".program");
  if (const std::string program = read_program(file, source); !program.empty()) {
    try {
      return client.load_program(program, results);
    } catch (const Error&) {
      // The plugin refuses it: it is compiled again.
    }
  }
  pjrt::ExecutablePtr executable = client.compile(text, results, devices);
  try {
    write_program(file, source, executable->serialized());
  } catch (const Error& error) {
    if (error.code() != Code::kUnimplemented) throw;  // not every plugin can write programs
  }
  return executable;
}

}  // namespace ef::lower
