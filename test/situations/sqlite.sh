# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# SQL whose result differs by the type of a column.
needs_recorder
sqlite3 --version >version 2>/dev/null || skip "no sqlite3"
echo "create table t(n integer); insert into t values('9'),('10'); select max(n) from t;" >good.sql
echo "create table t(n text); insert into t values('9'),('10'); select max(n) from t;" >bad.sql
status 1 twinrun why 'sqlite3 -init /dev/null :memory: ".read good.sql"' 'sqlite3 -init /dev/null :memory: ".read bad.sql"' >out 2>log
begins out "bad.sql, line 1, column 22 has \"text)" "where good.sql has \"integer)"
