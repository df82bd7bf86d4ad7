# SPDX-License-Identifier: MIT
# redis-server with clients over a Unix socket.
# torture: needs=redis-check-rdb redis-cli
# torture: files=no
# torture: timeout=90
ln -s "$(command -v redis-check-rdb)" redis-server
./redis-server --port 0 --unixsocket "$PWD/s" --save '' --daemonize no --logfile log --dir . & server=$!
for i in $(seq 600); do [ -S s ] && break; sleep 0.05; done
redis-cli -s s set key value
for i in 1 2 3; do redis-cli -s s incr counter; done
redis-cli -s s --no-raw lpush list a b c
redis-cli -s s eval 'local s=0; for i=1,1000 do s=s+i end; return s' 0
redis-cli -s s mget key counter
redis-cli -s s shutdown nosave
wait $server; echo "server ended with $?"
