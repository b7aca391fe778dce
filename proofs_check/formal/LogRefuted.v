(* A Newton step of McRank's Alg. 1 can raise the loss of Eq. 7, with the real exponential and logarithm of Coq: one leaf of
   documents (y, p), where y is 1 for a document of class k and 0 for others, and p its probability of class k. *)
From Coq Require Import Reals Lra List.
Import ListNotations.
Local Open Scope R_scope.

Definition sum_over (f : R -> R -> R) (leaf : list (R * R)) : R := fold_right (fun d rest => f (fst d) (snd d) + rest) 0 leaf.

(* t = a G / H, and by how much the loss changes if t is added to the scores of class k *)
Definition newton_step (a : R) leaf : R := a * (sum_over (fun y p => y - p) leaf / sum_over (fun y p => p * (1 - p)) leaf).
Definition change (t : R) leaf : R := sum_over (fun y p => ln (1 - p + p * exp t) - y * t) leaf.

Lemma exp_nat n x : exp (INR n * x) = exp x ^ n.
Proof.
induction n as [|n IH]; [rewrite Rmult_0_l; exact exp_0|].
rewrite S_INR, Rmult_plus_distr_r, exp_plus, IH, Rmult_1_l; simpl; ring.
Qed.

(* two documents with the same p, of which one is of class k *)
Lemma pair_raises p t : 0 < p < 1 -> (1 - p) ^ 2 < p ^ 2 * exp t -> 1 < exp t -> 0 < change t [(0, p); (1, p)].
Proof.
intros [p0 p1] large up; unfold change, sum_over; simpl.
assert (0 < 1 - p + p * exp t) by nra.
enough (t < 2 * ln (1 - p + p * exp t)) by lra.
apply exp_lt_inv; replace (2 * ln (1 - p + p * exp t)) with (INR 2 * ln (1 - p + p * exp t)) by (simpl; ring).
rewrite exp_nat, exp_ln by assumption; nra.
Qed.

(* losses.softmax_boosting.variant-never-raises: a step raises the loss for y = (0, 1), p = 1/64 and a = 1/2 *)
Example step_raises : 0 < change (newton_step (1 / 2) [(0, 1 / 64); (1, 1 / 64)]) [(0, 1 / 64); (1, 1 / 64)].
Proof.
replace (newton_step _ _) with (INR 8 * (124 / 63)) by (unfold newton_step, sum_over; simpl; field).
assert (E := exp_ineq1 (124 / 63) ltac:(lra)).
assert (P : (29 / 10) ^ 8 <= exp (124 / 63) ^ 8) by (apply pow_incr; lra).
apply pair_raises; rewrite ?exp_nat; lra.
Qed.

(* losses.softmax_boosting.variant-first-round-12: nu = 1, p = 1/K: two documents of different classes raise it for K = 12 *)
Example first_round_raises : 0 < change (newton_step (11 / 12) [(0, 1 / 12); (1, 1 / 12)]) [(0, 1 / 12); (1, 1 / 12)].
Proof.
replace (newton_step _ _) with (INR 80 * (1 / 16)) by (unfold newton_step, sum_over; simpl; field).
assert (E := exp_ineq1 (1 / 16) ltac:(lra)).
assert (P : (17 / 16) ^ 80 <= exp (1 / 16) ^ 80) by (apply pow_incr; lra).
apply pair_raises; rewrite ?exp_nat; lra.
Qed.
