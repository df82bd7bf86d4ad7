int f(int a){
  if (a) /* word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word */
  {a++;}
  return a;}
