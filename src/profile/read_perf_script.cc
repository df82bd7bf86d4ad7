// SPDX-License-Identifier: MIT
// The text of `perf script`. Fields vary with its -F; what is understood:
//  - a line with branches "0xFROM/0xTO/P/..." (brstack), the newest first. What was executed
//  between
//    two of them is one range;
//  - any other line of a sample: the address behind "event:", or at the start of the line. In a
//  call
//    chain, which follows a line without an address, the first address is the sample's;
//  - PERF_RECORD_MMAP and MMAP2 (--show-mmap-events), which tell where the binary was loaded.
// Addresses are those in memory. They become those of the binary by the mappings; without any, by
// "(OBJECT+0xOFFSET)" or "SYMBOL+0xOFFSET (OBJECT)", or they are taken as they are.
#include "profile/profile_text.h"
#include "profile/read_profile.h"

#include <algorithm>
#include <vector>

namespace twinrun {
namespace {

struct PerfMapping {
  uint64_t process = 0;
  uint64_t start = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  // in the file
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  ProfileWords words(line);
  for (std::string_view word = words.next(); !word.empty(); word = words.next())
    out.push_back(word);
  return out;
}

bool is_branch_word(std::string_view word) {
  return word.starts_with("0x") && word.find('/') != std::string_view::npos;
}

class PerfReader {
 public:
  PerfReader(std::string_view text, const ProfileSubject& subject)
      : text_(text), lines_(text), subject_(subject), extent_(subject.binary.symbols().extent()) {}

  Result<AddressProfile> run() {
    // Mappings can come behind samples of another process, and are needed before.
    for (ProfileLines lines(text_); lines.next();)
      if (lines.line().find("PERF_RECORD_MMAP") != std::string_view::npos) TRY_VOID(mapping(lines));
    while (lines_.next()) TRY_VOID(read_line(lines_.line()));
    if (samples_ > 0 && out_.branches.empty() && out_.hits.empty()) return nothing_found();
    out_.normalize();
    return std::move(out_);
  }

 private:
  static constexpr uint64_t kElsewhere = AddressProfile::kElsewhere;

  // "... PERF_RECORD_MMAP2 12/12: [0x5555(0x1000) @ 0x1000 08:01 12 34]: r-xp /bin/prog"
  Result<void> mapping(const ProfileLines& lines) {
    const std::string_view line = lines.line();
    const size_t record = line.find("PERF_RECORD_MMAP");
    const size_t open = line.find('[', record);
    const size_t paren = line.find('(', open);
    const size_t close = line.find(')', paren);
    const size_t at = line.find("@ ", close);
    const size_t end = line.find("]: ", at);
    if (end == std::string_view::npos) return lines.bad("the record of a mapping is cut");
    ProfileWords words(line.substr(end + 3));
    const std::string_view access = words.next();
    const std::string_view path = words.next();
    if (access.find('x') == std::string_view::npos || !subject_.is_named(path)) return {};
    ProfileWords head(line.substr(record));
    head.next();
    const std::string_view process = head.next();
    const auto start = parse_hex(line.substr(open + 1, paren - open - 1));
    const auto size = parse_hex(line.substr(paren + 1, close - paren - 1));
    ProfileWords about(line.substr(at + 2, end - at - 2));
    const std::string_view page = about.next();
    if (const std::string_view id = about.next(); id.starts_with('<') && id.ends_with('>'))
      out_.build_id = id.substr(1, id.size() - 2);
    const auto offset = page == "0" ? std::optional<uint64_t>(0) : parse_hex(page);
    if (!start || !size || !offset) return lines.bad("the record of a mapping has no addresses");
    mappings_.push_back(
        {parse_decimal(process.substr(0, process.find('/'))).value_or(0), *start, *size, *offset});
    return {};
  }

  Result<void> read_line(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) {
      in_chain_ = false;
      return {};
    }
    if (line.starts_with('#') || line.find("PERF_RECORD_") != std::string_view::npos) return {};
    if (std::ranges::any_of(words, is_branch_word)) return branches(words);
    return sample(line, words);
  }

  // The process: the first word of digits only, "12" or "12/13", of a line that begins with a name.
  static uint64_t process_of(const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) {
      if (word.ends_with(':')) break;
      if (const auto number = parse_decimal(word.substr(0, word.find('/')))) return *number;
    }
    return 0;
  }

  uint64_t address_of(uint64_t memory, uint64_t process) const {
    bool is_known = false;
    for (const PerfMapping& m : mappings_) is_known |= m.process == process;
    for (const PerfMapping& m : mappings_)
      if ((!is_known || m.process == process) && memory >= m.start && memory - m.start < m.size)
        return subject_.binary.symbols()
            .address_of_offset(memory - m.start + m.offset)
            .value_or(kElsewhere);
    if (!mappings_.empty()) return kElsewhere;
    return extent_ && memory >= extent_->begin && memory < extent_->end ? memory : kElsewhere;
  }

  // Takes "0x401000" or "0x401000(/bin/prog)" and the slash behind it off a word.
  std::optional<uint64_t> take_end(std::string_view& word, uint64_t process) const {
    const size_t digits = word.find_first_of("/(");
    const auto memory = parse_hex(word.substr(0, digits));
    if (!memory || digits == std::string_view::npos) return std::nullopt;
    uint64_t out = address_of(*memory, process);
    size_t end = digits;
    if (word[digits] == '(') {
      end = word.find(")/", digits);
      if (end == std::string_view::npos) return std::nullopt;
      if (!subject_.is_named(word.substr(digits + 1, end - digits - 1))) out = kElsewhere;
      ++end;
    }
    word.remove_prefix(end + 1);
    return out;
  }

  Result<void> branches(const std::vector<std::string_view>& words) {
    ++samples_;
    in_chain_ = false;
    const uint64_t process = process_of(words);
    uint64_t next_from = kElsewhere;  // of the branch that was executed behind this one
    for (std::string_view word : words) {
      if (!is_branch_word(word)) continue;
      const std::string_view whole = word;
      const auto from = take_end(word, process);
      const auto to = from ? take_end(word, process) : std::nullopt;
      if (!to) return lines_.bad("{} is no branch FROM/TO/...", excerpt(whole));
      out_.add_branch(*from, *to, 1, word.starts_with('M') ? 1 : 0);
      if (*to != kElsewhere && next_from != kElsewhere && *to <= next_from)
        out_.add_range(*to, next_from, 1);
      next_from = *from;
    }
    return {};
  }

  Result<void> sample(std::string_view line, const std::vector<std::string_view>& words) {
    const bool is_indented = line.front() == ' ' || line.front() == '\t';
    if (is_indented && in_chain_) return {};  // a caller of the sample's function
    size_t at = 0;
    for (size_t i = 0; i < words.size(); ++i)
      if (words[i].size() > 1 && words[i].ends_with(':')) at = i + 1;
    if (at == words.size()) {  // the addresses follow
      chain_process_ = process_of(words);
      in_chain_ = false;
      return {};
    }
    const auto memory = parse_hex(words[at]);
    if (!memory) return lines_.bad("{} is no address", excerpt(words[at]));
    ++samples_;
    const uint64_t process = at > 0 ? process_of(words) : chain_process_;
    in_chain_ = is_indented && at == 0 && chain_process_ != 0;
    const uint64_t address =
        place(*memory, process, {words.begin() + static_cast<ptrdiff_t>(at) + 1, words.end()});
    if (address != kElsewhere) out_.add_hits(address, 1);
    return {};
  }

  // `rest`: what follows the address, such as "main+0x12 (/bin/prog+0x1140)".
  uint64_t place(uint64_t memory, uint64_t process,
                 const std::vector<std::string_view>& rest) const {
    if (rest.empty() || !rest.back().ends_with(')') || !rest.back().starts_with('('))
      return address_of(memory, process);
    std::string_view object = rest.back().substr(1, rest.back().size() - 2);
    const size_t plus = object.rfind("+0x");
    const auto offset =
        plus == std::string_view::npos ? std::nullopt : parse_hex(object.substr(plus + 1));
    if (offset) object = object.substr(0, plus);
    if (!subject_.is_named(object)) return kElsewhere;
    if (offset) return subject_.binary.symbols().address_of_offset(*offset).value_or(kElsewhere);
    if (const uint64_t direct = address_of(memory, process);
        direct != kElsewhere || !mappings_.empty())
      return direct;
    return by_symbol(rest.front());
  }

  // "main+0x12"; a name that several local symbols have tells nothing.
  uint64_t by_symbol(std::string_view text) const {
    const size_t plus = text.rfind("+0x");
    if (plus == std::string_view::npos) return kElsewhere;
    const auto offset = parse_hex(text.substr(plus + 1));
    const std::string name(text.substr(0, plus));
    auto address = subject_.names.address(name);
    if (!address && !subject_.names.address(name + "/2"))
      address = subject_.names.address(name + "/1");
    return address && offset ? *address + *offset : kElsewhere;
  }

  [[nodiscard]] std::unexpected<Error> nothing_found() const {
    return std::unexpected(
        Error{"F005",
              fmt::format("none of the {} samples is in {}", samples_, subject_.binary.path()),
              "perf script --show-mmap-events tells where it was loaded",
              {}});
  }

  std::string_view text_;
  ProfileLines lines_;
  const ProfileSubject& subject_;
  std::optional<ElfSymbols::Extent> extent_;
  AddressProfile out_;
  std::vector<PerfMapping> mappings_;
  uint64_t samples_ = 0;
  uint64_t chain_process_ = 0;
  bool in_chain_ = false;  // behind the sample's own address
};

}  // namespace

Result<AddressProfile> read_perf_script(std::string_view text, const ProfileSubject& subject) {
  return PerfReader(text, subject).run();
}

}  // namespace twinrun
