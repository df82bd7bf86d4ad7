class A(object):
    """doc class B:"""
    x = 1
    def f(self,
          y):
        def inner():
            pass

class C: pass
