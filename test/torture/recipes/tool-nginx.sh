# SPDX-License-Identifier: MIT
# torture: needs=nginx curl
# torture: files=no
# A server with a master and two workers answers, is asked to read its configuration again, and to end.
mkdir -p tmp
cat >nginx.conf <<X
daemon on; worker_processes 2; pid $PWD/pid; error_log $PWD/error.log; user root;
events { worker_connections 64; }
http { access_log off; client_body_temp_path $PWD/tmp; server { listen unix:$PWD/socket; root $PWD; } }
X
echo hello >page
nginx -p "$PWD" -c "$PWD/nginx.conf" 2>/dev/null || echo "status $?"
ask() { curl -s --retry 20 --retry-connrefused --retry-delay 1 --unix-socket socket http://localhost/page || echo "curl $?"; }
ask
ask
kill -HUP "$(cat pid)"
ask
kill -QUIT "$(cat pid)"
while [ -e pid ]; do sleep 0.1; done
echo ended
