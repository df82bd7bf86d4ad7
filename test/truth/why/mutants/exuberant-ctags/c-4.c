int f1(int), f2(void);
struct a { struct b { int c; } d; unsigned e:3; };
#if 0
int no;
#endif
long long w = 1;
char c = '\'', s[] = "q\"{";
int last(void)
{ if (1) { } return 0; }
