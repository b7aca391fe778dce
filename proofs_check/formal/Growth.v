(* Regression trees and least-squares boosting over the rational numbers, one row at a time, as they are computed:
   what proofs_check/engine/exact_tree.py computes in Python. Rows are numbers from 0; x lists the features of each row. *)
From Coq Require Import List Arith.
From Refrank Require Export Rationals.
Import ListNotations.
Local Open Scope Q_scope.

(* rows with feature f at most b go left *)
Record cut := Cut { gain : Q; feature : nat; bound : Q; low : list nat; high : list nat }.

(* leaves have the numbers in which they were made, the root 0 *)
Inductive tree := Leaf (number : nat) (rows : list nat) | Node (c : cut) (left right : tree).

Definition sum (f : nat -> Q) (rows : list nat) : Q := fold_right (fun i rest => addQ (f i) rest) 0 rows.

Fixpoint insert (v : Q) (l : list Q) : list Q :=
  match l with
  | [] => [v]
  | u :: rest => if eqQ v u then l else if ltQ v u then v :: l else u :: insert v rest
  end.
Definition distinct (values : list Q) : list Q := fold_right insert [] values.

Section Growth.
Variables (x : list (list Q)) (r w : list Q) (least : nat).  (* residuals, weights, the least number of rows in a leaf *)

Definition weight := sum (fun i => nth i w 0).
Definition total := sum (fun i => mulQ (nth i w 0) (nth i r 0)).
Definition mean (rows : list nat) : Q := divQ (total rows) (weight rows).
Definition error (rows : list nat) : Q := sum (fun i => mulQ (nth i w 0) (powerQ (subQ (nth i r 0) (mean rows)) 2)) rows.

(* McRank App. I, as in Leaves.v *)
Definition split_gain (left right : list nat) : Q :=
  mulQ (powerQ (subQ (mean left) (mean right)) 2)
       (divQ (mulQ (weight left) (weight right)) (addQ (weight left) (weight right))).

Definition value (f i : nat) : Q := nth f (nth i x []) 0.
Definition cut_at (rows : list nat) (f : nat) (b : Q) : cut :=
  let '(below, above) := partition (fun i => leQ (value f i) b) rows in Cut (split_gain below above) f b below above.

(* every cut of a node, by feature, then by bound *)
Definition cuts (rows : list nat) : list cut :=
  filter (fun c => Nat.leb least (length (low c)) && Nat.leb least (length (high c)))
    (flat_map (fun f => map (cut_at rows f) (removelast (distinct (map (value f) rows)))) (seq 0 (length (hd [] x)))).

(* the first of the cuts that gain most; none if no cut gains *)
Definition best (l : list cut) : option cut :=
  fold_left (fun b c => if ltQ (match b with Some a => gain a | None => 0 end) (gain c) then Some c else b) l None.
Definition best_cut (rows : list nat) : option cut := best (cuts rows).

(* the leaves that a cut improves, left to right *)
Fixpoint waiting (t : tree) : list (nat * cut) :=
  match t with
  | Leaf number rows => match best_cut rows with Some c => [(number, c)] | None => [] end
  | Node _ l u => waiting l ++ waiting u
  end.

(* the one that gains most, and of equals the one that was made first *)
Definition sooner (a b : nat * cut) : bool :=
  ltQ (gain (snd b)) (gain (snd a)) || eqQ (gain (snd a)) (gain (snd b)) && Nat.ltb (fst a) (fst b).
Fixpoint soonest (l : list (nat * cut)) : option (nat * cut) :=
  match l with
  | [] => None
  | a :: rest => match soonest rest with Some b => if sooner b a then Some b else Some a | None => Some a end
  end.

Fixpoint replace (number next : nat) (c : cut) (t : tree) : tree :=
  match t with
  | Leaf k rows => if Nat.eqb k number then Node c (Leaf next (low c)) (Leaf (S next) (high c)) else t
  | Node d l u => Node d (replace number next c l) (replace number next c u)
  end.

Fixpoint leaves (t : tree) : list (list nat) :=
  match t with Leaf _ rows => [rows] | Node _ l u => leaves l ++ leaves u end.

Fixpoint grow (n_cuts : nat) (t : tree) : tree :=
  match n_cuts, soonest (waiting t) with
  | S more, Some (number, c) => grow more (replace number (2 * length (leaves t) - 1) c t)
  | _, _ => t
  end.

Definition root : tree := Leaf 0 (seq 0 (length r)).
Definition best_first (n_leaves : nat) : tree := grow (n_leaves - 1) root.

Fixpoint to_depth (depth : nat) (rows : list nat) : tree :=
  match depth, best_cut rows with
  | S less, Some c => Node c (to_depth less (low c)) (to_depth less (high c))
  | _, _ => Leaf 0 rows
  end.

(* what a tree predicts at a point, and at its rows *)
Fixpoint at_point (t : tree) (p : list Q) : Q :=
  match t with
  | Leaf _ rows => mean rows
  | Node c l u => if leQ (nth (feature c) p 0) (bound c) then at_point l p else at_point u p
  end.
Definition at_rows (t : tree) : list Q := map (at_point t) x.
End Growth.

Definition ones (y : list Q) : list Q := map (fun _ => 1) y.

(* the partition of the rows into leaves: for each row, the first row of its leaf *)
Definition parts (t : tree) (n : nat) : list nat :=
  map (fun i => hd 0%nat (hd [] (filter (existsb (Nat.eqb i)) (leaves t)))) (seq 0 n).

Fixpoint equal {T : Type} (same : T -> T -> bool) (a b : list T) : bool :=
  match a, b with
  | [], [] => true
  | u :: us, v :: vs => same u v && equal same us vs
  | _, _ => false
  end.

(* the same cuts and the same rows in the leaves, whatever the numbers *)
Fixpoint same_tree (s t : tree) : bool :=
  match s, t with
  | Leaf _ a, Leaf _ b => equal Nat.eqb a b
  | Node c l u, Node d l' u' =>
      Nat.eqb (feature c) (feature d) && eqQ (bound c) (bound d) && same_tree l l' && same_tree u u'
  | _, _ => false
  end.

(* McRank Alg. 2: the scores of the rows and of other points after m rounds *)
Section Boosting.
Variables (x : list (list Q)) (y : list Q) (nu : Q) (n_leaves : nat) (points : list (list Q)).

Definition residual (scores : list Q) : list Q := map (fun d => subQ (fst d) (snd d)) (combine y scores).
Definition add_tree (scores predicted : list Q) : list Q :=
  map (fun d => addQ (fst d) (mulQ nu (snd d))) (combine scores predicted).

Fixpoint boost (m : nat) : list Q * list Q :=
  match m with
  | 0%nat => let start := mean y (ones y) (seq 0 (length y)) in (map (fun _ => start) y, map (fun _ => start) points)
  | S before =>
      let '(scores, elsewhere) := boost before in
      let r := residual scores in
      let t := best_first x r (ones y) 1 n_leaves in
      (add_tree scores (at_rows x r (ones y) t), add_tree elsewhere (map (at_point r (ones y) t) points))
  end.

Definition squared_error (scores : list Q) : Q := fold_right (fun a rest => addQ (mulQ a a) rest) 0 (residual scores).
End Boosting.
