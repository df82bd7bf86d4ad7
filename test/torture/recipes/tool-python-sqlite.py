# SPDX-License-Identifier: MIT
# sqlite3 in Python: transactions, functions of one's own, full text.
# torture: files=no
import sqlite3
db = sqlite3.connect("t.db")
db.execute("create table t(a integer primary key, b text, c real)")
with db:
    db.executemany("insert into t(b, c) values(?, ?)", [(f"row {i % 17}", i / 3) for i in range(500)])
db.create_function("twice", 1, lambda x: x * 2)
for row in db.execute("select b, count(*), round(sum(twice(c)), 3) from t group by b order by 3 limit 5"):
    print(row)
try:
    with db:
        db.execute("delete from t")
        raise ValueError("undone")
except ValueError as e:
    print(e, db.execute("select count(*) from t").fetchone())
print(db.execute("select group_concat(a) from t where c between 10 and 12").fetchone())
