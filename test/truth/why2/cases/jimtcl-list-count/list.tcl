proc make {n} { return [list [string repeat x $n] [string repeat y $n]] }
set a [make 40]
set b {}
if {[lindex $argv 0] eq "b"} { set b $a }
lappend b z
set b {}
set c {}
for {set i 0} {$i < 5} {incr i} { lappend c [string repeat q $i] }
puts [string length [lindex $a 0]]
puts [llength $c]
