(* What refrank computes in binary64, for labels in the normal range: roundings to 53 bits, sums on a grid and draws of rows,
   as docs/reference/numerics.md says (rules 1, 2, 5 and 7). The cuts of a node are those of Growth.v, on the grid. *)
From Coq Require Import List Arith ZArith Qabs.
From Refrank Require Import Rationals Growth.
Import ListNotations.
Local Open Scope Q_scope.

Definition times_two_to (e : Z) (q : Q) : Q :=
  if (0 <=? e)%Z then Qred (q * inject_Z (2 ^ e)) else Qred (q / inject_Z (2 ^ - e)).

(* the largest e with 2^e <= |q|, for q other than 0 *)
Definition log2 (q : Q) : Z :=
  let k := (Z.log2 (Z.abs (Qnum q)) - Z.log2 (Zpos (Qden q)))%Z in
  if leQ (times_two_to k 1) (Qabs q) then k else (k - 1)%Z.

(* the nearest integer, of two the even one *)
Definition rint (q : Q) : Z :=
  let floor := (Qnum q / Zpos (Qden q))%Z in
  let rest := subQ q (inject_Z floor) in
  if ltQ rest (1 # 2) || eqQ rest (1 # 2) && Z.even floor then floor else (floor + 1)%Z.

(* the nearest number of 53 bits *)
Definition round (q : Q) : Q :=
  if eqQ q 0 then 0 else let e := (52 - log2 q)%Z in times_two_to (- e) (inject_Z (rint (times_two_to e q))).

(* rule 1: e = 53 - L - E, n <= 2^L, max |value| < 2^E *)
Definition grid_exponent (values : list Q) : Z :=
  let top := fold_right (fun a b => if ltQ b (Qabs a) then Qabs a else b) 0 values in
  (53 - Z.log2_up (Z.of_nat (length values)) - (log2 top + 1))%Z.
Definition on_grid (values : list Q) : list Q :=
  if forallb (eqQ 0) values then values
  else let e := grid_exponent values in map (fun v => times_two_to (- e) (inject_Z (rint (times_two_to e v)))) values.

(* a tree of J leaves predicts its rows: sums on the grid are exact, and their quotients are rounded *)
Definition float_tree (n_leaves : nat) (x : list (list Q)) (labels : list Q) : list Q :=
  let q := on_grid (map round labels) in map round (at_rows x q (ones q) (best_first x q (ones q) 1 n_leaves)).

(* rule 7: SplitMix64 *)
Definition mask (z : Z) : Z := (z mod 2 ^ 64)%Z.
Definition mix (z : Z) (shift factor : Z) : Z := mask (Z.lxor z (Z.shiftr z shift) * factor).
Definition draw (key i : Z) : Z :=
  let z := mix (mix (mask (key + (i + 1) * 11400714819323198485)) 30 13787848793156543929) 27 10723151780598845931 in
  Z.lxor z (Z.shiftr z 31).

(* how often each of n rows is drawn for a tree of a forest *)
Definition counts (seed tree : Z) (n : nat) : list Q :=
  let key := draw (draw (draw 0 seed) tree) 0 in
  let drawn := map (fun i => Z.shiftr (draw key (Z.of_nat i) * Z.of_nat n) 64) (seq 0 n) in
  map (fun i => of_natQ (length (filter (Z.eqb (Z.of_nat i)) drawn))) (seq 0 n).

Definition forest_tree (seed tree : Z) (x : list (list Q)) (labels : list Q) : list Q :=
  let q := on_grid (map round labels) in
  let n := length labels in
  let w := counts seed tree n in
  map round (at_rows x q w (to_depth x q w 1 n (filter (fun i => ltQ 0 (nth i w 0)) (seq 0 n)))).

(* a forest adds its trees in order, and divides once *)
Definition forest (seed : Z) (n_trees : nat) (x : list (list Q)) (labels : list Q) : list Q :=
  let add scores t := map (fun d => round (addQ (fst d) (snd d))) (combine scores (forest_tree seed (Z.of_nat t) x labels)) in
  map (fun s => round (divQ s (of_natQ n_trees))) (fold_left add (seq 0 n_trees) (map (fun _ => 0) labels)).
