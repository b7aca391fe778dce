(* The inequality of Cauchy and Schwarz, and its case for a sum of numbers. *)
From Refrank Require Import Fields.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Sums.
Variables (R : realFieldType) (I : finType).
Implicit Types a b d : I -> R.

(* sum_ij (a_i b_j - a_j b_i)^2 is twice the difference of the two sides *)
Lemma cauchy_schwarz a b : (\sum_i a i * b i) ^+ 2 <= (\sum_i a i ^+ 2) * (\sum_i b i ^+ 2).
Proof.
rewrite -subr_ge0 -(@pmulr_rge0 _ 2%:R) ?ltr0n //.
set A := \sum_i a i ^+ 2; set B := \sum_i b i ^+ 2; set C := \sum_i a i * b i.
have -> : 2%:R * (A * B - C ^+ 2) = A * B + B * A - 2%:R * (C * C) by ring.
suff -> : A * B + B * A - 2%:R * (C * C) = \sum_i \sum_j (a i * b j - a j * b i) ^+ 2.
  by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: sqr_ge0.
rewrite !big_distrlr mulr_sumr -big_split -sumrB /=; apply: eq_bigr => i _.
by rewrite mulr_sumr -big_split -sumrB /=; apply: eq_bigr => j _; ring.
Qed.

Lemma sum_squared d : (\sum_i d i) ^+ 2 <= #|I|%:R * (\sum_i d i ^+ 2).
Proof.
have -> : #|I|%:R = \sum_(i : I) 1 ^+ 2 :> R by rewrite expr1n sumr_const.
by have := cauchy_schwarz (fun=> 1) d; rewrite (eq_bigr d) // => i _; rewrite mul1r.
Qed.
End Sums.
