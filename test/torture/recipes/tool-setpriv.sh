# SPDX-License-Identifier: MIT
# torture: needs=setpriv
# torture: root=yes
# Programs under fewer rights, and as another user.
setpriv --no-new-privs sh -c 'echo no-new'
setpriv --bounding-set -sys_resource sh -c 'ulimit -n >/dev/null; echo bounded'
setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'id -u; id -g'
setpriv --reuid 65534 --clear-groups --inh-caps -all cat /etc/shadow 2>/dev/null || echo "status $?"
