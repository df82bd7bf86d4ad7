// SPDX-License-Identifier: MIT
// For tests: programs compiled from text, and stopped where they execute int3.
#pragma once

#include "program/values.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace twinrun {

/// A directory of its own, removed at the end.
class TestDirectory {
 public:
  TestDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "dwarf-test-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = std::filesystem::canonical(name).string();
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  ~TestDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  /// Runs a command in the directory; false when it fails.
  [[nodiscard]] bool run(const std::string& command) const {
    return std::system(("cd " + path_ + " && timeout 60 sh -c '" + command + "'").c_str()) ==
           0;  // NOLINT: a test
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name, std::ios::binary) << text;
  }
  /// Compiles the text to `name` in the directory; `flags` come with the compiler in front.
  [[nodiscard]] bool compile(const std::string& name, const std::string& text,
                             const std::string& flags) const {
    const bool is_cplusplus = flags.find("++") != std::string::npos;
    const std::string source = name + (is_cplusplus ? ".cc" : ".c");
    write(source, text);
    return run(flags + " -w -no-pie -o " + name + " " + source);
  }

 private:
  std::string path_;
};

/// A child under ptrace, at its first int3.
class StoppedProgram : public ValueSource {
 public:
  explicit StoppedProgram(const std::string& path) {
    child_ = fork();
    if (child_ == 0) {
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      execl(path.c_str(), path.c_str(), nullptr);
      _exit(127);
    }
    int status = 0;
    waitpid(child_, &status, 0);  // at its exec
    memory_ = open(("/proc/" + std::to_string(child_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    go_on();
  }
  StoppedProgram(const StoppedProgram&) = delete;
  StoppedProgram& operator=(const StoppedProgram&) = delete;
  ~StoppedProgram() override {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    if (memory_ >= 0) close(memory_);
  }

  /// To the next int3; false when the program has ended instead.
  bool go_on() {
    int status = 0;
    ptrace(PTRACE_CONT, child_, nullptr, nullptr);
    if (waitpid(child_, &status, 0) != child_ || !WIFSTOPPED(status)) return false;
    return ptrace(PTRACE_GETREGS, child_, nullptr, &regs_) == 0 &&
           ptrace(PTRACE_GETFPREGS, child_, nullptr, &float_regs_) == 0;
  }
  /// Of the int3.
  [[nodiscard]] uint64_t pc() const { return regs_.rip - 1; }

  [[nodiscard]] std::optional<uint64_t> reg(unsigned number) const override {
    const unsigned long long general[] = {regs_.rax, regs_.rdx, regs_.rcx, regs_.rbx, regs_.rsi,
                                          regs_.rdi, regs_.rbp, regs_.rsp, regs_.r8,  regs_.r9,
                                          regs_.r10, regs_.r11, regs_.r12, regs_.r13, regs_.r14,
                                          regs_.r15, regs_.rip};
    if (number < std::size(general)) return general[number];
    if (number > 32) return std::nullopt;
    uint64_t low = 0;
    std::memcpy(&low, float_regs_.xmm_space + size_t{number - 17} * 4, sizeof low);
    return low;
  }
  [[nodiscard]] bool memory(uint64_t address, std::span<uint8_t> out) const override {
    return address < (uint64_t{1} << 63) &&
           pread(memory_, out.data(), out.size(), static_cast<off_t>(address)) ==
               static_cast<ssize_t>(out.size());
  }

 private:
  pid_t child_ = -1;
  int memory_ = -1;
  user_regs_struct regs_{};
  user_fpregs_struct float_regs_{};
};

}  // namespace twinrun
