class A:
    def f(self):
        pass

def g():
    return 1

X = 3
