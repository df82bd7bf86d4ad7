// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "program/debug_files.h"
#include "program/types.h"
#include "program/values.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// One function that an address belongs to. Of the frames of an address the first is the innermost;
/// all but the last were inlined into the next one.
struct SourceFrame {
  std::string function;      // as in the source; empty when not known
  std::string linkage_name;  // as in the symbol table; empty when it has none of its own
  std::string file;          // joined with the compilation directory; empty when not known
  uint32_t line = 0;         // 0: no line
  uint32_t column = 0;       // 0: not told
  uint32_t declared = 0;     // the line that its function is declared in; 0: not told
  bool is_inlined = false;
};

/// Something about debug information that is missing, and why. No error: the rest works.
struct DebugNote {
  enum class Kind : uint8_t {
    kNoDebugInfo,        // neither in the binary nor in a separate file
    kDebugFileMismatch,  // a separate file was found, but it belongs to another build
    kAltFileMissing,     // the file of shared debug information (dwz)
    kAltFileMismatch,
    kSplitFileMissing,  // .dwo or .dwp of a unit
    kSplitFileMismatch,
    kDamaged,
  };
  Kind kind = Kind::kNoDebugInfo;
  std::string path;     // of the file that is missing or wrong; may be empty
  std::string message;  // lower case, one line
};

/// A variable, parameter or constant of the program.
struct Variable {
  enum class Kind : uint8_t { kParameter, kLocal, kStatic, kGlobal };
  std::string name;
  const Type* type = nullptr;  // never null
  Kind kind = Kind::kLocal;
  /// 0 for the innermost scope at the address, larger outwards.
  uint32_t depth = 0;
  /// Which of the frames of the address it belongs to; 0 for those of the unit, which all see.
  uint32_t frame = 0;
  uint32_t id = 0;  // for DebugInfo::locate
};

/// What a function takes and returns.
struct FunctionSignature {
  struct Parameter {
    Variable variable;
    bool is_reference = false;  // its caller passes the address of an object (C++ classes)
  };
  std::string name;              // as in the source
  const Type* result = nullptr;  // never null
  bool result_is_reference = false;
  std::vector<Parameter> parameters;  // in order
};

/// The debug information of one binary. Addresses are those of its ELF file (before relocation),
/// except in Location and ValueSource. Units are read when an address in them is asked for; so
/// lookups change the object, and it must be used by one thread at a time (libdw demands it too).
class DebugInfo {
 public:
  struct Options {
    /// Where to look for separate debug files, besides the binary's own directory.
    DebugDirectories debug_directories = system_debug_directories();
  };

  /// Reads the binary and finds its separate debug file, if it has none inside. Fails only when the
  /// file cannot be read (P002) or is no x86-64 ELF file (P001).
  static Result<DebugInfo> open_file(const std::string& path);
  static Result<DebugInfo> open_file(const std::string& path, const Options& options);
  /// From bytes alone: no other file is opened.
  static Result<DebugInfo> open_memory(ByteSpan bytes);
  /// With its separate debug file.
  static Result<DebugInfo> open_memory(ByteSpan bytes, ByteSpan debug);
  /// Of a file that may be gone: what belongs to it is looked for as if it were at `path` still.
  static Result<DebugInfo> open_memory(ByteSpan bytes, const std::string& path,
                                       const Options& options);

  DebugInfo(DebugInfo&&) noexcept;
  DebugInfo& operator=(DebugInfo&&) noexcept;
  ~DebugInfo();

  /// What was found missing so far; units can add to it when they are read.
  [[nodiscard]] const std::vector<DebugNote>& notes() const;
  /// The separate debug file in use; empty without one.
  [[nodiscard]] const std::string& debug_file() const;

  /// Innermost first; empty when nothing is known about the address.
  [[nodiscard]] std::vector<SourceFrame> frames_at(uint64_t address);

  /// The addresses where a statement of this line begins, ascending. A file matches when its
  /// trailing path components are those of `file` ("csv/sum.c" matches "/src/csv/sum.c").
  [[nodiscard]] std::vector<uint64_t> addresses_of_line(std::string_view file, uint32_t line);

  /// In scope at the address: locals and parameters, innermost scope first, then the variables of
  /// the compilation unit. Names can repeat: the first one hides the others.
  [[nodiscard]] std::vector<Variable> variables_at(uint64_t address);
  /// A variable with static storage of the whole program, by name; reads every unit once.
  [[nodiscard]] std::optional<Variable> find_global(std::string_view name);

  /// All variables with static storage outside of functions, by name; reads every unit once.
  [[nodiscard]] std::vector<Variable> globals();

  /// Of the function (not an inlined one) at the address.
  [[nodiscard]] std::optional<FunctionSignature> signature_at(uint64_t address);

  /// Where the variable is when the program stands at the address `pc`.
  [[nodiscard]] Location locate(const Variable& variable, uint64_t pc, const ValueSource& source);

  /// The definition of a struct, class or union that its unit only declares; reads every unit once.
  /// The type itself when there is none, or more than one.
  [[nodiscard]] const Type& complete(const Type& type);
  const Type& complete(const Type&& type) = delete;

 private:
  struct Impl;
  explicit DebugInfo(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace twinrun
