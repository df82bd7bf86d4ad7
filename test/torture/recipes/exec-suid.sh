# SPDX-License-Identifier: MIT
# A set-user-id program still runs, unrecorded, and a warning says so.
# torture: listed=W010
# torture: root=yes
cp /usr/bin/id ./id-suid
chown nobody ./id-suid
chmod 4755 ./id-suid
./id-suid -u
./id-suid -u -r
echo "status $?"
