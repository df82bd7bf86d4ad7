# SPDX-License-Identifier: MIT
# Ruby fibers, threads, exceptions.
# torture: run=ruby
fib = Fiber.new do
  a, b = 0, 1
  loop { Fiber.yield a; a, b = b, a + b }
end
puts 30.times.map { fib.resume }.sum
fibers = 20.times.map { |i| Fiber.new { 10.times { |k| Fiber.yield i * k } ; :done } }
puts 10.times.map { fibers.map(&:resume).sum }.inspect
puts Thread.new { begin; raise "x"; rescue => e; e.message; ensure; 1; end }.value
puts catch(:out) { 10.times { |i| throw :out, i if i == 4 } }
exit 3
