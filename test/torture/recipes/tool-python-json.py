# SPDX-License-Identifier: MIT
# A few hundred thousand bytecodes of common library code.
import collections, hashlib, json, re, sqlite3, zlib
data = [{"i": i, "f": i / 7, "s": "x" * (i % 13)} for i in range(300)]
text = json.dumps(data, sort_keys=True)
assert json.loads(text) == data
print(hashlib.sha256(text.encode()).hexdigest(), zlib.crc32(zlib.compress(text.encode(), 9)))
print(collections.Counter(re.findall(r'"s": "(x+)"', text)).most_common(3))
db = sqlite3.connect(":memory:")
db.execute("create table t(a, b)")
db.executemany("insert into t values(?, ?)", [(i, i * i % 97) for i in range(500)])
print(db.execute("select b, count(*), sum(a) from t group by b order by 2 desc, 1 limit 3").fetchall())
print(2**500 % 10**50, sorted({1.5, -2, 3e10}))
