/* comment */ extern int e1;
int (*fp)(int, char);
static const char *const names[] = { "a", "b" };
int h(a, b) int a; int b; { return a + b; }
enum { C = 1, D } v;
// end
