// SPDX-License-Identifier: MIT
// Regular expressions on generated lines: compiling, each of the matchers (automaton, one pass, bit
// state, NFA), captures, replacing and sets. About 300 million instructions.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "re2/re2.h"
#include "re2/set.h"

namespace {

const char* const kPatterns[] = {
    R"((\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}))",
    R"(^(\w+)\s+(\w+)\s+(\w+))",
    R"((?i)error|warning|notice)",
    R"(([a-z]+)@([a-z]+)\.(com|org|net))",
    R"(\b(GET|POST|PUT) (/[^ ]*)+ HTTP/1\.[01])",
    R"((a|b|c|d)*e.{3,8}f)",
    R"([α-ωА-я]+\p{Lu}?)",
    R"((x+x+)+y|(\s*;\s*)+$)",
    R"(key(\d+)=("[^"]*"|[^\s,]+))",
    R"((?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})",
    R"([^[:alnum:]\s]{2,}|(?s:q.*z))",
    R"((?U)<(\w+)(.*)>)",
};

const char* const kWords[] = {"alpha",
                              "error",
                              "GET /index/page HTTP/1.1",
                              "2024-05-17T12:30",
                              "user@example.org",
                              "key12=\"a b\"",
                              "192.168.10.254",
                              "abcdeabcabcf",
                              "λόγος",
                              "Привет",
                              "<tag attr>",
                              "xxxxxxxz",
                              "; ;",
                              "Warning",
                              "q--z",
                              "plain text",
                              "key7=v,",
                              "zz::top"};

std::uint64_t state = 88172645463325252U;
std::uint64_t digest = 0;

unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return static_cast<unsigned>((state >> 11) % n);
}

void add(const std::string& text) {
  for (char c : text) digest = digest * 31 + static_cast<unsigned char>(c);
}

std::string make_line() {
  std::string line;
  const unsigned n = 3 + below(9);
  for (unsigned i = 0; i < n; i++) {
    line += kWords[below(std::size(kWords))];
    line += below(7) == 0 ? '\t' : ' ';
  }
  return line;
}

void search(const std::vector<std::string>& lines, const char* pattern,
            const RE2::Options& options) {
  RE2 expression(pattern, options);
  if (!expression.ok()) {
    std::fprintf(stderr, "%s: %s\n", pattern, expression.error().c_str());
    std::exit(1);
  }
  const bool captures = expression.NumberOfCapturingGroups() > 0;
  for (const std::string& line : lines) {
    std::string first;
    if (captures && RE2::PartialMatch(line, expression, &first)) add(first);
    re2::StringPiece rest(line);
    while (captures && !rest.empty() && RE2::FindAndConsume(&rest, expression, &first)) {
      digest++;
      if (first.empty() && !rest.empty()) rest.remove_prefix(1);
    }
    digest = digest * 31 + static_cast<std::uint64_t>(RE2::FullMatch(line, expression));
    if (line.size() % 4 == 0) {
      std::string changed = line;
      digest += static_cast<std::uint64_t>(RE2::GlobalReplace(&changed, expression, "[\\0]"));
      add(changed);
    }
  }
}

void match_sets(const std::vector<std::string>& lines) {
  RE2::Set set(RE2::DefaultOptions, RE2::UNANCHORED);
  for (const char* pattern : kPatterns) set.Add(pattern, nullptr);
  set.Compile();
  for (const std::string& line : lines) {
    std::vector<int> found;
    set.Match(line, &found);
    for (int i : found) digest = digest * 31 + static_cast<std::uint64_t>(i);
  }
}

void compile_many() {
  for (unsigned i = 0; i < 120; i++) {
    std::string pattern;
    const unsigned parts = 1 + below(4);
    for (unsigned k = 0; k < parts; k++) {
      pattern += k == 0 ? "(" : "|(";
      pattern += kPatterns[below(std::size(kPatterns))];
      pattern += "){0," + std::to_string(1 + below(3)) + "}";
    }
    RE2 expression(pattern, RE2::Quiet);
    digest = digest * 31 +
             (expression.ok() ? static_cast<std::uint64_t>(expression.ProgramSize() > 100) : 7);
  }
}

}  // namespace

int main() {
  std::vector<std::string> lines;
  for (int i = 0; i < 350; i++) lines.push_back(make_line());
  for (const char* pattern : kPatterns) {
    RE2::Options options;
    search(lines, pattern, options);
    options.set_longest_match(true);
    search(lines, pattern, options);
    options.set_encoding(RE2::Options::EncodingLatin1);
    search(lines, pattern, options);
  }
  match_sets(lines);
  compile_many();
  // No memory for the automaton: the other matchers have to do it.
  RE2::Options small;
  small.set_max_mem(1 << 14);
  small.set_log_errors(false);
  lines.resize(60);
  search(lines, R"(^(\w+) (\w+))", small);
  search(lines, R"((a|b|c|d)*e(.{0,4})f)", small);
  std::printf("%llx\n", static_cast<unsigned long long>(digest));
  return 0;
}
