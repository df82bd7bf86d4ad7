#ifdef X
#define MIN(a, b) ((a)<(b)?(a):(b))
#else
int y[10], *z;
#endif
typedef struct t { int q; } t_t;
void g(void) { int l; { l = 1; } }
union u { int i; };
