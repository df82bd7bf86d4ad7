# SPDX-License-Identifier: MIT
# torture: needs=memcached python3
# torture: files=no
# memcached raises its limit of files at its start and again lowers nothing; a client asks it over a socket.
memcached -u root -s "$PWD/socket" -t 2 -c 200 &
python3 - "$PWD/socket" <<'P'
import os, socket, sys, time
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
s = socket.socket(socket.AF_UNIX)
while s.connect_ex(sys.argv[1]):
    time.sleep(0.05)
f = s.makefile("rwb")
f.write(b"set key 0 0 5\r\nvalue\r\nget key\r\nget none\r\nquit\r\n")
f.flush()
print(f.read().decode())
P
kill %1
wait %1 2>/dev/null
echo "$?"
