# SPDX-License-Identifier: MIT
# Python's multiprocessing: a pool of forked workers, queues, shared values.
import multiprocessing as mp
def square(x):
    return x * x
def add(q, v):
    with v.get_lock():
        v.value += q.get()
if __name__ == "__main__":
    mp.set_start_method("fork")
    with mp.Pool(3) as pool:
        print(sum(pool.map(square, range(100))))
    q, v = mp.Queue(), mp.Value("i", 0)
    ps = [mp.Process(target=add, args=(q, v)) for _ in range(3)]
    for p in ps: p.start()
    for i in (1, 10, 100): q.put(i)
    for p in ps: p.join()
    print(v.value, [p.exitcode for p in ps])
