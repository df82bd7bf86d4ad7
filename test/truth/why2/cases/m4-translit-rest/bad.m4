translit(`one/two', `/', `_')
