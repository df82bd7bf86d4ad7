# f() comment
function h() { :; }
 k () { :; }
if true; then l() { :; }; fi
