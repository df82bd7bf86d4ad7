import os
v, w = 1, 2
class F:
    def g(self): return """x"""
    h = lambda self: 1
def   spaced ( x ) :
    pass
