" settings
function! Foo()
endfunction
command -nargs=1 | Bar call Foo()
let g:x = 1
