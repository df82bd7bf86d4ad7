// SPDX-License-Identifier: MIT
//
// The client is opened when it is needed, as libdw and gdb do it: it brings curl and its libraries,
// which most users never need.
#include "program/debuginfod.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace twinrun {
namespace {

/// The three functions of elfutils/debuginfod.h that we call; a stable interface since version 1.
class DebuginfodClient {
 public:
  DebuginfodClient() {
    void* library = dlopen("libdebuginfod.so.1", RTLD_LAZY);  // stays loaded
    if (library == nullptr) return;
    const auto begin = load<void*()>(library, "debuginfod_begin");
    find_ = load<Find>(library, "debuginfod_find_debuginfo");
    if (begin != nullptr && find_ != nullptr) client_ = begin();
  }

  [[nodiscard]] std::string find(ByteSpan build_id) const {
    if (client_ == nullptr) return {};
    char* path = nullptr;
    const int fd = find_(client_, build_id.data(), static_cast<int>(build_id.size()), &path);
    if (fd < 0) return {};
    close(fd);
    const std::unique_ptr<char, decltype(&std::free)> owned(path, &std::free);
    return path == nullptr ? std::string() : std::string(path);
  }

 private:
  using Find = int(void*, const unsigned char*, int, char**);

  template <typename Function>
  static Function* load(void* library, const char* name) {
    return reinterpret_cast<Function*>(dlsym(library, name));
  }

  void* client_ = nullptr;  // lives as long as we do
  Find* find_ = nullptr;
};

}  // namespace

std::string ask_debuginfod(ByteSpan build_id) {
  const char* urls = std::getenv("DEBUGINFOD_URLS");
  if (urls == nullptr || *urls == '\0' || build_id.empty()) return {};
  static std::mutex mutex;
  static std::map<Bytes, std::string> answers;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = answers.try_emplace({build_id.begin(), build_id.end()});
  if (is_new) {
    static const DebuginfodClient kClient;
    found->second = kClient.find(build_id);
  }
  return found->second;
}

}  // namespace twinrun
