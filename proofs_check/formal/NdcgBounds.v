(* Each bound of the DCG error, divided by the best DCG, bounds 1 - NDCG; with discounts that are cut off behind place k,
   it bounds 1 - NDCG@k. And expected NDCG is a DCG of the expected shares z_i / DCG_g.
   Documents are numbered in the order of pi, which sorts by the predicted grades y_hat; g is a ranking by the labels y. *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression Cutoffs McRank Probabilities.
From Refrank Require Import Thresholds Isotonic Regret Ndcg.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Linear.
Variables (R : realFieldType) (n : nat) (c : nat -> R) (g : 'S_n) (K : nat) (y y_hat : 'I_n -> nat).
Hypotheses (fc : falling c) (sg : sorts_grades g y) (gy : graded y_hat).
Hypotheses (yK : grades K y) (y_hatK : grades K y_hat).

(* ndcg.by_ideal.variant-lemma1-sharp: by the number of errors *)
Theorem ndcg_by_errors : 0 < DCG c g (gains y) ->
  1 - NDCG c 1 (gains y) <= (2%:R ^+ K - 1) * swaps n c (errors y y_hat) / DCG c g (gains y).
Proof. by move=> pos; apply: ndcg_below (sorts_gains R sg) pos _; exact: dcg_by_errors. Qed.

(* ndcg.by_ideal.variant-thresholds: by thresholds *)
Theorem ndcg_by_thresholds : 0 < DCG c g (gains y) ->
  1 - NDCG c 1 (gains y) <=
  (\sum_(t < K) 2%:R ^+ t * swaps n c (crossings y y_hat t)) / DCG c g (gains y).
Proof. by move=> pos; apply: ndcg_below (sorts_gains R sg) pos _; exact: dcg_threshold. Qed.

Variable k : nat.
Hypothesis c0 : forall p, 0 <= c p.

(* ndcg.at_cutoff.variant-lemma1-sharp: by the number of errors, at a cut-off *)
Theorem ndcg_at_by_errors : 0 < DCG_at k c g (gains y) ->
  1 - NDCG_at k c 1 (gains y) <= (2%:R ^+ K - 1) * swaps n (cut k c) (errors y y_hat) / DCG_at k c g (gains y).
Proof.
by move=> pos; apply: ndcg_below_at (sorts_gains R sg) pos _; apply: dcg_by_errors => //; exact: cut_falling.
Qed.

(* ndcg.at_cutoff.variant-thresholds: by thresholds, at a cut-off *)
Theorem ndcg_at_by_thresholds : 0 < DCG_at k c g (gains y) ->
  1 - NDCG_at k c 1 (gains y) <=
  (\sum_(t < K) 2%:R ^+ t * swaps n (cut k c) (crossings y y_hat t)) / DCG_at k c g (gains y).
Proof.
by move=> pos; apply: ndcg_below_at (sorts_gains R sg) pos _; apply: dcg_threshold => //; exact: cut_falling.
Qed.
End Linear.

Section Roots.
Variables (R : rcfType) (n : nat) (c : nat -> R) (g : 'S_n) (K : nat) (y y_hat : 'I_n -> nat).
Hypotheses (fc : falling c) (sg : sorts_grades g y).

(* ndcg.by_ideal.variant-isotonic: by the ranking itself, whatever the predictions are *)
Theorem ndcg_isotonic f : 0 < DCG c g (gains y) -> isotonic f (gains y : 'I_n -> R) ->
  1 - NDCG c 1 (gains y) <= isotonic_bound c (gains y) f / DCG c g (gains y).
Proof. by move=> pos iso; apply: ndcg_below (sorts_gains R sg) pos _; exact: isotonic_error. Qed.

Hypothesis gy : graded y_hat.
Notation powers_differ := (\sum_i ((2%:R : R) ^+ y i - 2%:R ^+ y_hat i) ^+ 2).

(* ndcg.by_ideal.variant-min-pairing: by the differences of the powers of 2 *)
Theorem ndcg_min_pairing : 0 < DCG c g (gains y) ->
  1 - NDCG c 1 (gains y) <=
  Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2) * Num.sqrt powers_differ / DCG c g (gains y).
Proof. by move=> pos; apply: ndcg_below (sorts_gains R sg) pos _; exact: min_pairing. Qed.

Hypothesis c0 : forall p, 0 <= c p.

(* ndcg.by_ideal.variant-lemma1: McRank's Lemma 1; a is prod c^(2/n) *)
Theorem ndcg_lemma1 a : grades K y -> grades K y_hat -> is_root n (\prod_(i < n) c i ^+ 2) a ->
  0 < DCG c g (gains y) ->
  1 - NDCG c 1 (gains y) <=
  (2%:R ^+ K - 1) * Num.sqrt 2%:R * Num.sqrt ((\sum_(i < n) c i ^+ 2) - n%:R * a) * Num.sqrt (errors y y_hat)%:R
  / DCG c g (gains y).
Proof. by move=> yK y_hatK ra pos; apply: ndcg_below (sorts_gains R sg) pos _; exact: mcrank_lemma1. Qed.

Variable k : nat.
Hypothesis pos : 0 < DCG_at k c g (gains y).

(* ndcg.at_cutoff.variant-isotonic: by the ranking itself, at a cut-off *)
Theorem ndcg_at_isotonic f : isotonic f (gains y : 'I_n -> R) ->
  1 - NDCG_at k c 1 (gains y) <= isotonic_bound (cut k c) (gains y) f / DCG_at k c g (gains y).
Proof.
by move=> iso; apply: ndcg_below_at (sorts_gains R sg) pos _; apply: isotonic_error => //; exact: cut_falling.
Qed.

(* ndcg.at_cutoff.variant-min-pairing: by the differences of the powers of 2, at a cut-off *)
Theorem ndcg_at_min_pairing :
  1 - NDCG_at k c 1 (gains y) <=
  Num.sqrt (\sum_(i < n) (cut k c i - cut k c (rev_ord i)) ^+ 2) * Num.sqrt powers_differ
  / DCG_at k c g (gains y).
Proof. by apply: ndcg_below_at (sorts_gains R sg) pos _; apply: min_pairing => //; exact: cut_falling. Qed.

(* ndcg.at_cutoff.variant-lemma1: Lemma 1 at a cut-off before the last place, where its product is 0 *)
Theorem ndcg_at_lemma1 : (k < n)%N -> grades K y -> grades K y_hat ->
  1 - NDCG_at k c 1 (gains y) <=
  (2%:R ^+ K - 1) * Num.sqrt (2%:R * (\sum_(i < k) c i ^+ 2) * (errors y y_hat)%:R) / DCG_at k c g (gains y).
Proof.
move=> kn yK y_hatK; apply: ndcg_below_at (sorts_gains R sg) pos _.
have fk := cut_falling k fc c0; have ck := cut_ge0 k c0.
have ra : is_root n (\prod_(i < n) cut k c i ^+ 2) 0.
  rewrite /is_root lexx /= expr0n (gtn_eqF (leq_ltn_trans (leq0n k) kn)) /=.
  by rewrite (bigD1 (Ordinal kn)) //= /cut ltnn expr0n mul0r.
apply: le_trans (mcrank_lemma1 g fk ck gy yK y_hatK ra) _; rewrite mulr0 subr0 -!mulrA -!sqrtrM ?ler0n //; last first.
  by apply: sumr_ge0 => i _; exact: sqr_ge0.
rewrite le_eqVlt; apply/orP; left; apply/eqP; congr (_ * Num.sqrt (_ * (_ * _))).
rewrite (big_ord_widen n (fun p => c p ^+ 2) (ltnW kn)) [RHS]big_mkcond; apply: eq_bigr => i _.
by rewrite /cut; case: ifP; rewrite ?expr0n.
Qed.
End Roots.

Section Expected.
Variables (R : rcfType) (Omega : finType) (P : Omega -> R) (n : nat) (c : nat -> R) (z : Omega -> 'I_n -> R).
Implicit Types (g h : 'S_n).

(* q_i = E[z_i / DCG_g], for any joint labels *)
Definition shares : 'I_n -> R := means P (fun w i => z w i / ideal c (z w)).
Notation expected_ndcg h := (mean P (fun w => NDCG c h (z w))).

(* regret.ndcg.step1: expected NDCG is linear in the shares *)
Theorem expected_ndcg_linear h : expected_ndcg h = \sum_i c (h i) * shares i.
Proof.
rewrite -DCGE -mean_dcg; apply: eq_bigr => w _; congr (_ * _).
by rewrite /NDCG !DCGE mulr_suml; apply: eq_bigr => i _; rewrite mulrA.
Qed.

(* regret.ndcg: expected NDCG is largest when documents are ranked by the shares *)
Theorem expected_ndcg_perfect g h : falling c -> sorts g shares -> expected_ndcg h <= expected_ndcg g.
Proof. by move=> fc sg; rewrite !expected_ndcg_linear -!DCGE; exact: dcg_perfect. Qed.

(* regret.ndcg.variant-regret: the regret of any real f by which pi sorts *)
Theorem expected_ndcg_regret f h : falling c -> noninc f ->
  expected_ndcg h - expected_ndcg 1 <=
  Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2) * Num.sqrt (\sum_i (shares i - f i) ^+ 2).
Proof. by move=> fc nf; rewrite !expected_ndcg_linear -!DCGE; exact: (regression_error Two _ _ fc nf). Qed.
End Expected.
