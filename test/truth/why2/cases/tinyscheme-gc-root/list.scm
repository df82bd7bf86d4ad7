(define (numbers n) (if (= n 0) (quote ()) (cons n (numbers (- n 1)))))
(define (sum l) (if (eq? l (quote ())) 0 (+ (car l) (sum (cdr l)))))
(define (run n) (display (+ (sum (numbers n)) (sum (numbers n)) (sum (numbers n)) (sum (numbers n)))) (newline))
