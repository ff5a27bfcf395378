; The end of the task by buy:2: done when Item(name = "milk", stored = true).
(define (problem buy-problem)
  (:domain buy)
  (:objects
    home help lost - screen
    unknown-name - any-name
    n1 n0 - uses
    false - bool
    tap-shop-5 tap-shop-6 tap-shop-7 back-shop-8 - gesture
  )
  (:init
    (= (total-cost) 0)
    (at nowhere)
    (put-left n1)
    (next n0 n1)
    (item-stored milk unknown-bool)
    (shows-item home milk)
    (shows-item cart milk)
    (shows-item help milk)
    (shows-item lost milk)
    (shows-item nowhere milk)
    (edge home tap-shop-5 cart)
    (edge home tap-shop-6 help)
    (edge help tap-shop-7 cart)
    (edge cart back-shop-8 home)
    (edge help back-shop-8 home)
    (edge lost back-shop-8 home)
  )
  (:goal (finished))
  (:metric minimize (total-cost))
)
