# SPDX-License-Identifier: MIT
# make and gcc: eleven processes, then the program that they made.
# torture: slow=yes
for i in 1 2; do printf '#include <stdio.h>\nint f%d(void){return puts("unit %d");}\n' $i $i > f$i.c; done
printf 'int f1(void); int f2(void);\nint main(void){f1();f2();return 17;}\n' > main.c
printf 'prog: main.o f1.o f2.o\n\t$(CC) -o $@ $^\n%%.o: %%.c\n\t$(CC) -O1 -c $<\n' > Makefile
make -s -j2 && ./prog; echo $?; rm -f *.o prog
# torture: timeout=120
