(* The regret of DCG for noisy labels, in a finite probability space: the labels may depend on each other.
   Documents are numbered in the order of pi, which sorts by real predictions f; g is any ranking. *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Means.
Variables (R : realFieldType) (Omega : finType) (P : Omega -> R) (n : nat).
Implicit Types (X : Omega -> R) (z : Omega -> 'I_n -> R) (f : 'I_n -> R) (c : nat -> R) (g h : 'S_n).

Definition mean X := \sum_w P w * X w.
Definition means z : 'I_n -> R := fun i => mean (fun w => z w i).

Lemma mean_dcg c g z : mean (fun w => DCG c g (z w)) = DCG c g (means z).
Proof.
rewrite DCGE /mean; under eq_bigr => w _ do rewrite DCGE mulr_sumr.
rewrite exchange_big; apply: eq_bigr => i _ /=; rewrite /means /mean mulr_sumr.
by apply: eq_bigr => w _; rewrite mulrCA.
Qed.

(* regret.ndcg.variant-dcg: the expected DCG is largest when documents are ranked by their expected gains *)
Theorem expected_dcg_perfect c g h z : falling c -> sorts g (means z) ->
  mean (fun w => DCG c h (z w)) <= mean (fun w => DCG c g (z w)).
Proof. by move=> fc sg; rewrite !mean_dcg; exact: dcg_perfect. Qed.

Definition squared_error z f := mean (fun w => \sum_i (z w i - f i) ^+ 2).

(* regret.cossock_zhang.step1: the least squared error is that of the means, and the rest is Pythagoras *)
Theorem pythagoras z f : \sum_w P w = 1 ->
  squared_error z f - squared_error z (means z) = \sum_i (means z i - f i) ^+ 2 /\
  forall e, squared_error z (means z) <= squared_error z e.
Proof.
move=> P1; have rest e : squared_error z e - squared_error z (means z) = \sum_i (means z i - e i) ^+ 2.
  have sumE k : squared_error z k = \sum_i \sum_w P w * (z w i - k i) ^+ 2.
    by rewrite exchange_big; apply: eq_bigr => w _; rewrite mulr_sumr.
  rewrite !sumE -sumrB; apply: eq_bigr => i _.
  have E a : \sum_w P w * (z w i - a) ^+ 2 = \sum_w P w * z w i ^+ 2 - 2%:R * a * means z i + a ^+ 2.
    have -> : a ^+ 2 = \sum_w P w * a ^+ 2 by rewrite -mulr_suml P1 mul1r.
    by rewrite mulr_sumr -sumrB -big_split; apply: eq_bigr => w _ /=; ring.
  by rewrite !E; ring.
split; first exact: rest.
by move=> e; rewrite -subr_ge0 rest; apply: sumr_ge0 => i _; exact: sqr_ge0.
Qed.
End Means.

Section Regret.
Variables (R : rcfType) (Omega : finType) (P : Omega -> R) (n : nat).
Hypotheses (P0 : forall w, 0 <= P w) (P1 : \sum_w P w = 1).
Implicit Types (z : Omega -> 'I_n -> R) (f : 'I_n -> R) (c : nat -> R) (g : 'S_n).

Notation regret c g z := (mean P (fun w => DCG c g (z w)) - mean P (fun w => DCG c 1 (z w))).
Notation excess z f := (squared_error P z f - squared_error P z (means P z)).

(* regret.cossock_zhang.variant-sharp: the regret of any ranking is bounded by the excess of the squared error *)
Theorem regret_sharp c g z f : falling c -> noninc f ->
  regret c g z <= Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2) * Num.sqrt (excess z f).
Proof.
by move=> fc nf; rewrite !mean_dcg (pythagoras _ f P1).1; exact: (regression_error Two (means P z) g fc nf).
Qed.

(* regret.cossock_zhang: the same with the factor of Cossock and Zhang *)
Theorem regret_cossock_zhang c g z f : falling c -> (forall p, 0 <= c p) -> noninc f ->
  regret c g z <= Num.sqrt (2%:R * \sum_(i < n) c i ^+ 2) * Num.sqrt (excess z f).
Proof.
by move=> fc c0 nf; rewrite !mean_dcg (pythagoras _ f P1).1; exact: (cossock_zhang Two (means P z) g fc c0 nf).
Qed.

(* regret.cossock_zhang.variant-error: the squared error itself, which contains the noise, is a weaker bound *)
Theorem regret_error c g z f : falling c -> noninc f ->
  regret c g z <= Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2) * Num.sqrt (squared_error P z f).
Proof.
move=> fc nf; apply: le_trans (regret_sharp g z fc nf) _; rewrite ler_wpmul2l ?sqrtr_ge0 // ler_wsqrtr //.
rewrite ler_subl_addr ler_addl /squared_error /mean; apply: sumr_ge0 => w _; apply: mulr_ge0 => //.
by apply: sumr_ge0 => i _; exact: sqr_ge0.
Qed.
End Regret.
