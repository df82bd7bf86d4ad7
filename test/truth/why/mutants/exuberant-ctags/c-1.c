#define MAX 10
int x;
static int f(int a)
{
	return a;
}
struct s { int a; char *b; };
enum e { A, B };
