(* Words for the false rows: documents in the order of pi, whose labels y and predictions yhat are lists, and another
   ranking g, which lists the place of each document, from 1. A claim gives its two sides, or whether it holds. *)
From Coq Require Export List Arith.
From Refrank Require Export Rationals.
Import ListNotations.
Open Scope Q_scope.

Definition sum (l : list Q) : Q := fold_right addQ 0 l.
Definition sum_of {T : Type} (f : T -> Q) (l : list T) : Q := sum (map f l).
Definition square (a : Q) : Q := mulQ a a.
Definition larger (a b : Q) : Q := if ltQ a b then b else a.
Definition size (a : Q) : Q := larger a (subQ 0 a).
Definition sign (a : Q) : Q := if ltQ 0 a then 1 else if ltQ a 0 then -1 else 0.
Definition largest (l : list Q) : Q := fold_right larger (hd 0 l) l.
Definition least (l : list Q) : Q := subQ 0 (largest (map (subQ 0) l)).
Definition minus (a b : list Q) : list Q := map (fun d => subQ (fst d) (snd d)) (combine a b).
Definition times (a b : list Q) : list Q := map (fun d => mulQ (fst d) (snd d)) (combine a b).
Definition same (a b : list Q) : bool := Nat.eqb (length a) (length b) && forallb (eqQ 0) (minus a b).
Definition among (a : Q) (l : list Q) : bool := existsb (eqQ a) l.
Definition inside (low high : Q) (l : list Q) : bool := forallb (fun a => leQ low a && leQ a high) l.
Fixpoint falling (l : list Q) : bool := match l with a :: (b :: _) as rest => leQ b a && falling rest | _ => true end.

(* what is required of an instance, and the two sides of the claim; without it, sides that agree *)
Definition given (premise : bool) (sides : Q * Q) : Q * Q := if premise then sides else (0, 0).

(* the sides are the numbers printed, and contradict the claim that they are equal, that left is at most right *)
Definition differ (sides : Q * Q) (left right : Q) : bool :=
  eqQ (fst sides) left && eqQ (snd sides) right && negb (eqQ left right).
Definition exceed (sides : Q * Q) (left right : Q) : bool :=
  eqQ (fst sides) left && eqQ (snd sides) right && ltQ right left.
(* the right side is irrational, and at most the second of the sides; it was rounded down when it was printed *)
Definition exceed_rounded (sides : Q * Q) (left right : Q) : bool :=
  eqQ (fst sides) left && leQ right (snd sides) && ltQ (snd sides) left.

(* both sides are irrational, and each lies between two numbers, which are the number printed but for half a unit of its
   last digit *)
Definition enclosed : Type := (Q * Q) * (Q * Q).
Definition exceed_enclosed (sides : enclosed) (left half_left right half_right : Q) : bool :=
  let '((a, b), (c, d)) := sides in
  ltQ d a && close half_left a left && close half_left b left && close half_right c right && close half_right d right.

Definition nothing : enclosed := ((0, 0), (0, 0)).

Definition first_different (left right : list Q) : Q * Q :=
  hd (0, 0) (filter (fun d => negb (eqQ (fst d) (snd d))) (combine left right)).

Fixpoint put {T : Type} (before : T -> T -> bool) (a : T) (l : list T) : list T :=
  match l with
  | [] => [a]
  | b :: rest => if before a b then a :: l else b :: put before a rest
  end.
Definition by_label (y : list nat) : list nat := fold_right (put (fun a b => Nat.leb b a)) [] y.
Definition by_number (l : list Q) : list Q := fold_right (put (fun a b => leQ b a)) [] l.

Fixpoint everywhere {T : Type} (a : T) (l : list T) : list (list T) :=
  match l with [] => [[a]] | b :: rest => (a :: l) :: map (cons b) (everywhere a rest) end.
Fixpoint orders {T : Type} (l : list T) : list (list T) :=
  match l with [] => [[]] | a :: rest => flat_map (everywhere a) (orders rest) end.

(* the numbers of the documents in the order of g *)
Fixpoint find_place (p : nat) (g : list nat) : nat :=
  match g with [] => 0 | q :: rest => if Nat.eqb p q then 0 else S (find_place p rest) end.
Definition along {T : Type} (d : T) (g : list nat) (l : list T) : list T :=
  map (fun p => nth (find_place p g) l d) (seq 1 (length g)).
Definition along_g := along 0.
Definition at_document (i : nat) (l : list Q) : Q := nth (i - 1) l 0.

(* pi sorts by yhat; any ranking; a perfect ranking, along which y falls *)
Definition falling_grades (l : list nat) : bool := falling (map of_natQ l).
Definition is_ranking (y g : list nat) : bool := same (map of_natQ (rev (by_label g))) (map of_natQ (seq 1 (length y))).
Definition perfect (y yhat g : list nat) : bool :=
  Nat.eqb (length y) (length yhat) && falling_grades yhat && is_ranking y g && falling_grades (along 0%nat g y).
Definition at_places (g : list nat) (by_place : list Q) : list Q := map (fun p => nth (p - 1) by_place 0) g.

(* DCG with listed discounts *)
Definition dcg (c z : list Q) : Q := dcgQ (fun i => nth i c 0) 0 z.
Definition dcg_error (c : list Q) (y : list nat) : Q := subQ (dcg c (map gainQ (by_label y))) (dcg c (map gainQ y)).

(* ERR, and what it is made of at each place: the probabilities of a look and of a stop, for K = 4 if labels are given *)
Definition relevances (y : list nat) : list Q := map (relevanceQ 4) y.
Definition places (n : nat) : list Q := map reciprocalQ (seq 0 n).
Definition err (r : list Q) : Q := errQ reciprocalQ 0 r.
Definition only (p q : nat) : Q := if Nat.eqb p q then 1 else 0.
Definition stops (r : list Q) : list Q := map (fun p => errQ (only p) 0 r) (seq 0 (length r)).
Definition looks (r : list Q) : list Q := map (fun p => errQ (only p) 0 (firstn p r ++ [1])) (seq 0 (length r)).

(* the same for each document, with the documents ranked by g *)
Definition of_documents (quantity : list Q -> list Q) (r : list Q) (g : list nat) : list Q :=
  at_places g (quantity (along_g g r)).
Definition err_error (y : list nat) : Q := subQ (err (relevances (by_label y))) (err (relevances y)).
Definition misses (y yhat : list nat) : list Q := minus (map gainQ y) (map gainQ yhat).
Definition errors (y yhat : list nat) : Q :=
  sum_of (fun d => if Nat.eqb (fst d) (snd d) then 0 else 1) (combine y yhat).
