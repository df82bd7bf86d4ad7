// SPDX-License-Identifier: MIT
// A mix of SQL on a database in memory: rows and indexes, triggers, joins, windows, recursion,
// JSON, dates, full text search, R-trees, and at the end REINDEX and VACUUM. About 600 million
// instructions. Random numbers are drawn in statements of their own: the order in which a compiler
// evaluates arguments must not change the workload.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

enum { kRows = 4000, kObjects = 400, kRounds = 200, kDocuments = 600, kSearches = 60 };

static const char* const kWords[] = {"alpha", "beta",    "gamma",   "delta", "epsilon", "zeta",
                                     "eta",   "theta",   "iota",    "kappa", "lambda",  "mu",
                                     "nu",    "xi",      "omicron", "pi",    "rho",     "sigma",
                                     "tau",   "upsilon", "phi",     "chi",   "psi",     "omega"};
enum { kWordCount = sizeof kWords / sizeof kWords[0] };

static const char* const kSchema[] = {
    "PRAGMA cache_size=200",
    "CREATE TABLE item(id INTEGER PRIMARY KEY, a INT, b TEXT, c REAL, d BLOB)",
    "CREATE INDEX item_a ON item(a)",
    "CREATE INDEX item_bc ON item(b, c)",
    "CREATE TABLE object(k TEXT PRIMARY KEY, n INT, j TEXT) WITHOUT ROWID",
    "CREATE TABLE log(ts, what)",
    "CREATE TRIGGER changed AFTER UPDATE OF a ON item BEGIN"
    "  INSERT INTO log VALUES(new.id, old.a || '->' || new.a); END",
    "CREATE VIEW groups AS"
    "  SELECT a % 10 AS g, count(*) AS n, sum(c) AS s, max(b) AS m FROM item GROUP BY 1",
    "CREATE VIRTUAL TABLE document USING fts5(body)",
    "CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1)",
};

static const char* const kReports[] = {
    "SELECT * FROM groups ORDER BY s",
    "SELECT object.k, item.b FROM object JOIN item ON item.a = object.n WHERE object.n < 200 ORDER "
    "BY 1, 2 LIMIT 50",
    "WITH RECURSIVE c(n, f) AS (SELECT 1, 1.0 UNION ALL SELECT n + 1, f * (n + 1) FROM c WHERE n < "
    "60)"
    "  SELECT sum(f), group_concat(n) FROM c",
    "SELECT a, row_number() OVER (PARTITION BY a % 7 ORDER BY c),"
    "  sum(c) OVER (ORDER BY id ROWS 3 PRECEDING) FROM item WHERE id < 400",
    "SELECT json_extract(j, '$.x'), json_extract(j, '$.y[2]') FROM object WHERE json_extract(j, "
    "'$.x') > 50",
    "SELECT upper(substr(b, 2, 5)), length(b), replace(b, 'a', 'Q'), printf('%08.3f|%s|%x', c, b, "
    "a), hex(d)"
    "  FROM item WHERE id % 37 = 0",
    "SELECT date('2020-02-29', '+' || (id % 400) || ' days'),"
    "  strftime('%Y-%m-%d %H:%M', '2021-01-01 10:00', id || ' minutes') FROM item WHERE id % 61 = "
    "0",
    "SELECT DISTINCT b FROM item WHERE a IN (SELECT n FROM object)"
    "  UNION SELECT k FROM object EXCEPT SELECT what FROM log LIMIT 100",
};

static sqlite3* db;
static uint64_t state = 88172645463325252U;
static uint64_t digest;

static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 11) % n);
}

static const char* word(void) { return kWords[below(kWordCount)]; }

static void words(char* out, int n) {
  *out = '\0';
  for (int i = 0; i < n; i++) {
    strcat(out, word());
    strcat(out, " ");
  }
}

static int add_row(void* unused, int n, char** values, char** names) {
  (void)unused;
  (void)names;
  for (int i = 0; i < n; i++)
    for (const char* s = values[i]; s && *s; s++) digest = digest * 31 + (unsigned char)*s;
  return 0;
}

static void run(const char* sql) {
  char* message = NULL;
  if (sqlite3_exec(db, sql, add_row, NULL, &message) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, message);
    exit(1);
  }
}

static void runf(const char* format, ...) {
  char sql[8192];
  va_list list;
  va_start(list, format);
  vsnprintf(sql, sizeof sql, format, list);
  va_end(list);
  run(sql);
}

static void fill_items(void) {
  sqlite3_stmt* insert;
  run("BEGIN");
  sqlite3_prepare_v2(db, "INSERT INTO item(a, b, c, d) VALUES(?, ?, ?, ?)", -1, &insert, NULL);
  for (int i = 0; i < kRows; i++) {
    char text[4096];
    int n = 1 + (int)below(6);
    words(text, n);
    sqlite3_bind_int(insert, 1, (int)below(1000));
    sqlite3_bind_text(insert, 2, text, -1, SQLITE_TRANSIENT);
    sqlite3_bind_double(insert, 3, below(100000) / 7.0);
    sqlite3_bind_blob(insert, 4, text, (int)strlen(text), SQLITE_TRANSIENT);
    sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  run("COMMIT");
  run("ANALYZE");
}

static void fill_objects(void) {
  for (int i = 0; i < kObjects; i++) {
    const char* key = word();
    unsigned number = below(300);
    unsigned n = below(999);
    unsigned x = below(99);
    unsigned y = below(9);
    unsigned z = below(9);
    const char* last = word();
    runf(
        "INSERT OR REPLACE INTO object VALUES('%s%u', %u, json_object('x', %u, 'y', json_array(%u, "
        "%u, '%s')))",
        key, number, n, x, y, z, last);
  }
}

static void change_and_ask(int round) {
  runf("SELECT id, b, c FROM item WHERE a = %u ORDER BY c DESC LIMIT 5", below(1000));
  unsigned step = below(5);
  unsigned low = below(3000);
  unsigned high = below(3000) / 100 + 10;
  runf("UPDATE item SET a = a + %u, c = c * 1.01 WHERE id BETWEEN %u AND %u", step, low, high);
  runf("UPDATE item SET a = a + 1 WHERE id = %u", below(kRows));
  runf("DELETE FROM item WHERE id = %u", below(kRows));
  const char* part = word();
  if (round % 10 == 0) runf("SELECT count(*), avg(c) FROM item WHERE b LIKE '%%%s%%'", part);
  if (round % 20 == 0)
    for (size_t i = 0; i < sizeof kReports / sizeof kReports[0]; i++) run(kReports[i]);
}

static void fill_documents(void) {
  run("BEGIN");
  for (int i = 0; i < kDocuments; i++) {
    char text[4096];
    words(text, 12);
    runf("INSERT INTO document(body) VALUES('%s')", text);
    unsigned x0 = below(100);
    unsigned x1 = 100 + below(100);
    unsigned y0 = below(100);
    unsigned y1 = 100 + below(100);
    runf("INSERT INTO box VALUES(%d, %u, %u, %u, %u)", i + 1, x0, x1, y0, y1);
  }
  run("COMMIT");
}

static void search(void) {
  const char* one = word();
  const char* two = word();
  runf(
      "SELECT rowid, highlight(document, 0, '[', ']') FROM document WHERE document MATCH '%s AND "
      "%s' ORDER BY rank LIMIT 10",
      one, two);
  unsigned x = below(100);
  unsigned y = 100 + below(100);
  runf("SELECT id FROM box WHERE x0 < %u AND y1 > %u", x, y);
}

int main(void) {
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
  for (size_t i = 0; i < sizeof kSchema / sizeof kSchema[0]; i++) run(kSchema[i]);
  fill_items();
  fill_objects();
  for (int i = 0; i < kRounds; i++) change_and_ask(i);
  fill_documents();
  for (int i = 0; i < kSearches; i++) search();
  run("PRAGMA integrity_check");
  run("REINDEX");
  run("VACUUM");
  sqlite3_close(db);
  printf("%s %llx\n", sqlite3_libversion(), (unsigned long long)digest);
  return 0;
}
