// SPDX-License-Identifier: MIT
#include "report/match_database.h"

#include <sqlite3.h>

#include <cstdio>
#include <memory>
#include <string_view>
#include <type_traits>

namespace twinrun {
namespace {

constexpr std::string_view kTables = R"(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
BEGIN;
CREATE TABLE file (id INTEGER PRIMARY KEY, side TEXT, path TEXT, build_id TEXT, functions INTEGER,
  basicblocks INTEGER, data INTEGER, instructions INTEGER);
CREATE TABLE function (id INTEGER PRIMARY KEY, address1 INTEGER, name1 TEXT, address2 INTEGER,
  name2 TEXT, rule TEXT, level TEXT, strength TEXT, basicblocks1 INTEGER, basicblocks2 INTEGER,
  matched_basicblocks INTEGER, instructions1 INTEGER, instructions2 INTEGER);
CREATE TABLE basicblock (id INTEGER PRIMARY KEY, function_id INTEGER REFERENCES function(id),
  address1 INTEGER, address2 INTEGER, rule TEXT, level TEXT, strength TEXT,
  instructions1 INTEGER, instructions2 INTEGER, size1 INTEGER, size2 INTEGER);
CREATE TABLE instruction (basicblock_id INTEGER REFERENCES basicblock(id), address1 INTEGER,
  address2 INTEGER);
CREATE TABLE data (id INTEGER PRIMARY KEY, address1 INTEGER, address2 INTEGER, rule TEXT,
  level TEXT, strength TEXT, size1 INTEGER, size2 INTEGER);
CREATE TABLE unmatched (side TEXT, kind TEXT, address INTEGER, size INTEGER, function TEXT);
)";

class Database {
 public:
  ~Database() { sqlite3_close(handle_); }
  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  bool open(const std::string& path) { return sqlite3_open(path.c_str(), &handle_) == SQLITE_OK; }
  bool run(std::string_view sql) {
    return sqlite3_exec(handle_, std::string(sql).c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  [[nodiscard]] sqlite3* handle() const { return handle_; }
  [[nodiscard]] std::string message() const { return sqlite3_errmsg(handle_); }

 private:
  sqlite3* handle_ = nullptr;
};

// One INSERT for many rows.
class Insert {
 public:
  Insert(Database& database, std::string_view sql) {
    ok_ = sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()),
                             &statement_, nullptr) == SQLITE_OK;
  }
  ~Insert() { sqlite3_finalize(statement_); }
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;

  template <typename... Values>
  void row(const Values&... values) {
    if (!ok_) return;
    int column = 0;
    (bind(++column, values), ...);
    ok_ = sqlite3_step(statement_) == SQLITE_DONE && sqlite3_reset(statement_) == SQLITE_OK;
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  template <typename Value>
  void bind(int column, const Value& value) {
    if constexpr (std::is_integral_v<Value>) {
      sqlite3_bind_int64(statement_, column, static_cast<sqlite3_int64>(value));
    } else {
      const std::string_view text(value);
      if (text.empty())
        sqlite3_bind_null(statement_, column);
      else
        sqlite3_bind_text(statement_, column, text.data(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT);
    }
  }

  sqlite3_stmt* statement_ = nullptr;
  bool ok_ = false;
};

bool fill(Database& database, const MatchReport& report) {
  bool ok = true;
  {
    Insert insert(database, "INSERT INTO file VALUES (?,?,?,?,?,?,?,?)");
    for (const int side : {0, 1}) {
      const MatchReport::Binary& b = report.binaries[static_cast<size_t>(side)];
      insert.row(side + 1, side == 0 ? "old" : "new", b.path, b.build_id, b.counts[0], b.counts[2],
                 b.counts[1], b.instructions);
    }
    ok &= insert.ok();
  }
  {
    Insert insert(database, "INSERT INTO function VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (size_t i = 0; i < report.functions.size(); ++i) {
      const MatchedFunction& f = report.functions[i];
      insert.row(i + 1, f.old_address, f.old_name, f.new_address, f.new_name, f.rule.step,
                 f.rule.level, strength_name(f.rule.strength), f.blocks[0], f.blocks[1],
                 f.matched_blocks, f.instructions[0], f.instructions[1]);
    }
    ok &= insert.ok();
  }
  {
    Insert insert(database, "INSERT INTO basicblock VALUES (?,?,?,?,?,?,?,?,?,?,?)");
    for (size_t i = 0; i < report.blocks.size(); ++i) {
      const MatchedBlock& b = report.blocks[i];
      insert.row(i + 1, b.function + 1, b.old_address, b.new_address, b.rule.step, b.rule.level,
                 strength_name(b.rule.strength), b.instructions[0], b.instructions[1], b.sizes[0],
                 b.sizes[1]);
    }
    ok &= insert.ok();
  }
  {
    Insert insert(database, "INSERT INTO instruction VALUES (?,?,?)");
    for (const MatchedInstruction& i : report.instructions)
      insert.row(i.block + 1, i.old_address, i.new_address);
    ok &= insert.ok();
  }
  {
    Insert insert(database, "INSERT INTO data VALUES (?,?,?,?,?,?,?,?)");
    for (size_t i = 0; i < report.data.size(); ++i) {
      const MatchedData& d = report.data[i];
      insert.row(i + 1, d.old_address, d.new_address, d.rule.step, d.rule.level,
                 strength_name(d.rule.strength), d.sizes[0], d.sizes[1]);
    }
    ok &= insert.ok();
  }
  Insert insert(database, "INSERT INTO unmatched VALUES (?,?,?,?,?)");
  for (const UnmatchedThing& thing : report.unmatched) {
    constexpr std::array<std::string_view, 3> kKinds{"function", "data", "basicblock"};
    insert.row(thing.side == Side::kOld ? "old" : "new", kKinds[static_cast<size_t>(thing.subject)],
               thing.address, thing.size, thing.name);
  }
  return ok && insert.ok();
}

}  // namespace

Result<void> write_match_database(const MatchReport& report, const std::string& path) {
  const std::string temporary = path + ".partial";
  std::remove(temporary.c_str());
  std::string trouble;
  {
    Database database;
    if (!database.open(temporary) || !database.run(kTables) || !fill(database, report) ||
        !database.run("COMMIT"))
      trouble = database.message();
  }
  if (trouble.empty() && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  std::remove(temporary.c_str());
  return fail("M003", "cannot write {}: {}", path, trouble.empty() ? "cannot be renamed" : trouble);
}

}  // namespace twinrun
