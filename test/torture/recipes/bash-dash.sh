# SPDX-License-Identifier: MIT
# dash as the shell: command lists, functions, traps, exec.
dash -c 'f() { [ $1 -eq 0 ] || { echo $1; f $(($1 - 1)); }; }; f 5; trap "echo bye" 0; (exit 6); echo $?; exec 3>&1; echo x >&3; exec dash -c "exit 8"'; echo $?
