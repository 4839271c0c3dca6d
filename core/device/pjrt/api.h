// The C interface of a loaded plugin: calls with versions in mind, and its errors as ours.
//
// Only this folder's files that are built where the header is found include this one.
#pragma once

#include <cstring>
#include <string>

#include "pjrt_c_api.h"

namespace ef::pjrt {

// An argument block whose fields are zero: a plugin that knows more fields than the header takes
// them for absent.
template <class Args>
Args arguments() {
  Args args;
  std::memset(&args, 0, sizeof args);
  args.struct_size = sizeof args;
  return args;
}

class Api {
 public:
  Api() = default;
  Api(const PJRT_Api* api, std::string plugin) : api_(api), plugin_(std::move(plugin)) {}

  const std::string& plugin() const { return plugin_; }

  // Whether the plugin has a function: older ones lack some.
  template <class Function>
  bool has(Function* PJRT_Api::* member) const {
    const auto* const field = reinterpret_cast<const char*>(&(api_->*member));
    const auto end =
        static_cast<size_t>(field - reinterpret_cast<const char*>(api_)) + sizeof field;
    return end <= api_->struct_size && api_->*member;
  }

  // Calls a function. Throws its error, and Unimplemented if the plugin lacks it.
  template <class Args>
  void operator()(PJRT_Error* (*PJRT_Api::*member)(Args*), const char* name, Args& args) const {
    if (!has(member)) [[unlikely]]
      refuse_missing(name);
    if (PJRT_Error* const error = (api_->*member)(&args)) [[unlikely]]
      fail_with(error, name);
  }

  // The same for destructors, which report nothing.
  template <class Args>
  void quietly(PJRT_Error* (*PJRT_Api::*member)(Args*), Args& args) const noexcept {
    if (!has(member)) return;
    if (PJRT_Error* const error = (api_->*member)(&args)) destroy(error);
  }

  // Takes the error over. Throws it.
  [[noreturn]] void fail_with(PJRT_Error* error, const char* what) const;

 private:
  [[noreturn]] void refuse_missing(const char* name) const;
  void destroy(PJRT_Error* error) const noexcept;

  const PJRT_Api* api_ = nullptr;
  std::string plugin_;
};

}  // namespace ef::pjrt

// EF_PJRT(api, Client_Create, args): calls PJRT_Client_Create.
#define EF_PJRT(api, function, args) (api)(&PJRT_Api::PJRT_##function, "PJRT_" #function, args)
