translit(`one two', `/', `_')
