(define (caddr x) (car (cdr (cdr x))))
