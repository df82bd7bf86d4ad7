def a(): pass

if True:
    def b():
        s = '''
def no():
'''

class D:
	class E:
		def m(self): pass
