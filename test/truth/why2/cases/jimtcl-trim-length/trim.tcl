set s [string trimleft [lindex $argv 0]]
puts [string length $s]
