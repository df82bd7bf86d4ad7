# SPDX-License-Identifier: MIT
# torture: root=yes
# torture: needs=unshare
# Namespaces: of process numbers, mounts, names, users, networks.
unshare -f -p -m --mount-proc sh -c 'echo $$; cat /proc/1/comm'
unshare -u sh -c 'cat /proc/sys/kernel/ostype; exit 3'
echo "$?"
unshare -U -r sh -c 'id -u'
unshare -n sh -c 'wc -l </proc/net/dev'
unshare -i -C echo both
unshare -f -p sh -c 'sleep 0.01 & wait $!; echo "$?"'
