# SPDX-License-Identifier: MIT
# sqlite3: joins, windows, triggers, json, a failing constraint.
# torture: needs=sqlite3
# torture: files=no
sqlite3 t.db <<'EOF'
create table a(id integer primary key, name text unique, v real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300) insert into a select i, 'n' || i, i * 1.5 from n;
create trigger t after delete on a begin insert into a values (old.id + 1000, old.name || 'x', -old.v); end;
delete from a where id % 50 = 0;
select count(*), sum(v) from a;
select id, sum(v) over (order by id rows 3 preceding) from a where id < 6;
select json_group_array(name) from a where id > 1000;
insert into a values (1, 'n2', 0);
EOF
echo $?
