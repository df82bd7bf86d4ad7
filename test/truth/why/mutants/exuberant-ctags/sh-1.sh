f() {
 echo x
}
function g {
 :
}
