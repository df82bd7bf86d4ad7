# SPDX-License-Identifier: MIT
# redis-server on a free loopback port, two clients at a time.
# torture: needs=redis-check-rdb redis-cli
# torture: files=no
# torture: timeout=90
ln -s "$(command -v redis-check-rdb)" redis-server
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
./redis-server --port "$port" --bind 127.0.0.1 --save '' --logfile log --dir . & server=$!
for i in $(seq 200); do redis-cli -p "$port" ping >/dev/null 2>&1 && break; sleep 0.1; done
seq 50 | sed 's/.*/rpush l &/' | redis-cli -p "$port" | tail -n 1
seq 50 | sed 's/.*/incr n/' | redis-cli -p "$port" > /dev/null & seq 50 | sed 's/.*/incr n/' | redis-cli -p "$port" > /dev/null; wait $!
redis-cli -p "$port" get n
redis-cli -p "$port" lrange l 10 12
redis-cli -p "$port" shutdown nosave; wait $server; echo $?
