; The task of buy: gestures that its clauses and policies permit
(define (domain buy)
  (:requirements :strips :typing :action-costs :negative-preconditions :equality)
  (:types
    screen any-name uses any-bool gesture - object
    name - any-name
    bool - any-bool
  )
  (:constants
    nowhere cart - screen
    milk - name
    unknown-bool - any-bool
    true - bool
  )
  (:predicates
    (acted) ; an action was done
    (finished) ; the task is over
    (at ?screen - screen) ; the screen that shows
    (put-done ?name - name) ; Put was done
    (put-left ?left - uses) ; how often buy:1 may still permit it
    (next ?less - uses ?more - uses)
    (item ?name - name) ; there is a row of Item
    (item-stored ?name - name ?stored - any-bool) ; what its stored is
    (shows-item ?screen - screen ?name - name) ; where rows of Item are seen
    (edge ?from - screen ?by - gesture ?to - screen) ; a `goto` rule: the gesture leads from one screen to the other
  )
  (:functions (total-cost) - number
  )

  ; buy:1: allow Put(name = "milk").
  (:action put-by-buy-1
    :parameters (?name-1 - name ?left - uses ?less - uses ?stored-before-2 - any-bool)
    :precondition (and
      (= ?name-1 milk)
      (not (put-done ?name-1))
      (put-left ?left)
      (next ?less ?left)
      (at cart)
      (item-stored ?name-1 ?stored-before-2)
    )
    :effect (and
      (put-done ?name-1)
      (acted)
      (not (put-left ?left))
      (put-left ?less)
      (not (item-stored ?name-1 ?stored-before-2))
      (item-stored ?name-1 true)
      (item ?name-1)
      (increase (total-cost) 1000)
    )
  )

  ; buy:2: done when Item(name = "milk", stored = true).
  (:action finish
    :parameters ()
    :precondition (and (item-stored milk true))
    :effect (and (finished))
  )

  ; the app shows stored of Item
  (:action see-item-stored
    :parameters (?name - name ?screen - screen ?stored-before-3 - any-bool ?stored-4 - bool)
    :precondition (and
      (at ?screen)
      (shows-item ?screen ?name)
      (item-stored ?name ?stored-before-3)
      (= ?stored-before-3 unknown-bool)
    )
    :effect (and
      (not (item-stored ?name ?stored-before-3))
      (item-stored ?name ?stored-4)
      (item ?name)
      (increase (total-cost) 1)
    )
  )

  ; make a gesture that leads to another screen
  (:action go
    :parameters (?from - screen ?by - gesture ?to - screen)
    :precondition (and (at ?from) (edge ?from ?by ?to))
    :effect (and (not (at ?from)) (at ?to) (increase (total-cost) 1000))
  )

  ; suppose the first screen
  (:action start-on
    :parameters (?to - screen)
    :precondition (and (at nowhere))
    :effect (and (not (at nowhere)) (at ?to) (increase (total-cost) 1))
  )

  ; suppose that another screen shows: no gesture is known that leads there
  (:action suppose-screen
    :parameters (?from - screen ?to - screen)
    :precondition (and (at ?from))
    :effect (and (not (at ?from)) (at ?to) (increase (total-cost) 100000))
  )
)
