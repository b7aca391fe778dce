(* NDCG, the DCG divided by that of the best ranking: each bound of the DCG error divided by the same bounds 1 - NDCG,
   also at a cut-off k, where the discounts behind place k are 0; and expected NDCG.
   Documents are numbered in the order of pi; g is a ranking by the gains z, or by the labels y. *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression Cutoffs McRank Probabilities.
From Refrank Require Import Thresholds Attained Isotonic Regret.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Ndcg.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (z f : 'I_n -> R) (g h : 'S_n) (b : R) (k m p : nat).

Definition NDCG c h z := DCG c h z / ideal c z.

(* of the first k places alone *)
Definition NDCG_at k c h z := DCG_at k c h z / dcg c 0 (take k (sorted_gains z)).

Lemma NDCG_atE k c h z : NDCG_at k c h z = NDCG (cut k c) h z.
Proof. by rewrite /NDCG_at DCG_atE -dcg_cut. Qed.

(* ndcg.by_ideal: the error of NDCG is that of DCG, divided by the best DCG *)
Theorem ndcg_error c g z : sorts g z -> 0 < DCG c g z ->
  1 - NDCG c 1 z = (DCG c g z - DCG c 1 z) / DCG c g z.
Proof. by move=> sg g0; rewrite mulrBl divff ?gt_eqF // /NDCG -(dcg_ideal c sg). Qed.

(* ndcg.at_cutoff: at a cut-off, the discounts behind place k are 0 *)
Theorem ndcg_error_at k c g z : sorts g z -> 0 < DCG_at k c g z ->
  1 - NDCG_at k c 1 z = (DCG (cut k c) g z - DCG (cut k c) 1 z) / DCG (cut k c) g z.
Proof. by rewrite NDCG_atE DCG_atE; exact: ndcg_error. Qed.

Lemma ndcg_below c g z b : sorts g z -> 0 < DCG c g z -> DCG c g z - DCG c 1 z <= b ->
  1 - NDCG c 1 z <= b / DCG c g z.
Proof. by move=> sg g0 le_b; rewrite (ndcg_error sg g0) ler_pmul2r ?invr_gt0. Qed.

Lemma ndcg_below_at k c g z b : sorts g z -> 0 < DCG_at k c g z -> DCG (cut k c) g z - DCG (cut k c) 1 z <= b ->
  1 - NDCG_at k c 1 z <= b / DCG_at k c g z.
Proof. by rewrite NDCG_atE DCG_atE; exact: ndcg_below. Qed.

(* ndcg.at_cutoff.variant-swaps-of-k: the sum of m swaps is that of the first min(m, k) discounts, if k <= n/2 *)
Theorem swaps_at k c m : (k <= n./2)%N -> swaps n (cut k c) m = \sum_(p < minn m k) c p.
Proof.
move=> kn; rewrite /swaps (big_ord_widen n c); last by rewrite (leq_trans (geq_minr _ _)) // below_half.
rewrite big_mkcond [RHS]big_mkcond; apply: eq_bigr => i _; rewrite !leq_min /cut.
case: (ltnP i m) => //= im; case: (ltnP i n./2) => [half|half]; last by rewrite ltnNge (leq_trans kn half).
rewrite [(n - i.+1 < k)%N]ltnNge (leq_trans kn) ?subr0 // leq_subRL //.
by rewrite (leq_trans (leq_add half (leqnn _))) // addnn -geq_half_double.
Qed.

(* ndcg.by_ideal.variant-errors: what 1 - NDCG can be if there is an error; it is 0 if there is none *)
Theorem ndcg_by_any_errors c g (y y_hat : 'I_n -> nat) :
  falling c -> (forall p, 0 <= c p) -> sorts_grades g y -> graded y_hat -> 0 < DCG c g (gains y) ->
  1 - NDCG c 1 (gains y) <= if errors y y_hat == 0%N then 0 else 1 - c n.-1 / c 0%N.
Proof.
move=> fc c0 sg gy pos; have sz := sorts_gains R sg; case: eqP => [/eqP none|_].
  have same : y =1 y_hat by move=> i; move/pred0P: none => /(_ i) /= /negbFE/eqP.
  rewrite (ndcg_error sz pos) (dcg_ideal c sz) -(dcg_ideal c (g := 1)) ?subrr ?mul0r //.
  by apply/noninc_sorts/graded_noninc => i j ij; rewrite !same; exact: gy.
set z : 'I_n -> R := gains y; have z0 i : 0 <= z i by exact: gain_ge0.
have hi : DCG c g z <= c 0%N * \sum_i z i.
  by rewrite DCGE mulr_sumr; apply: ler_sum => i _; rewrite ler_wpmul2r // falling_le.
have lo : c n.-1 * (\sum_i z i) <= DCG c 1 z.
  rewrite DCGE mulr_sumr; apply: ler_sum => i _; rewrite ler_wpmul2r // perm1.
  by have /andP[] := discount_between i fc.
have c1 : 0 < c 0%N.
  rewrite lt_neqAle c0 andbT eq_sym; apply: contraTneq (lt_le_trans pos hi) => ->; by rewrite mul0r ltxx.
rewrite ler_add2l ler_opp2 /NDCG -(dcg_ideal c sz) ler_pdivl_mulr // mulrAC ler_pdivr_mulr //.
by rewrite (le_trans (ler_wpmul2l (c0 _) hi)) // mulrCA [X in _ <= X]mulrC ler_wpmul2l.
Qed.

End Ndcg.

(* ndcg.by_ideal.variant-errors-attained: one error attains it, for every n and all discounts at once *)
Theorem ndcg_by_any_errors_attained (R : realFieldType) (n K : nat) : (0 < K)%N -> (0 < n)%N ->
  exists y y_hat : 'I_n -> nat,
  [/\ graded y_hat, grades K y, grades K y_hat, errors y y_hat = 1%N &
      forall (c : nat -> R) (g : 'S_n), sorts_grades g y -> 0 < c 0%N ->
      0 < DCG c g (gains y) /\ 1 - NDCG c 1 (gains y) = 1 - c n.-1 / c 0%N].
Proof.
move=> K0; case: n => // m _; exists (from m K), (until 0 1); split.
- exact: graded_until.
- exact: grades_from.
- exact: grades_until.
- rewrite /errors -(card1 (@ord_max m)); apply: eq_card => i; rewrite !inE -val_eqE /= [RHS]eqn_leq leq_ord.
  by rewrite /from /until; case: (leqP m i) => //; rewrite neq_ltn K0 orbT.
move=> c g sg c1; have dcg_from (h : 'S_m.+1) : DCG c h (gains (from m K)) = c (h ord_max) * gain K.
  rewrite DCGE big_ord_recr big1 => [|i _]; first by rewrite /= add0r /from leqnn.
  have -> : from m K (widen_ord (leqnSn m) i) = 0%N by rewrite /from /= leqNgt ltn_ord.
  by rewrite /Metrics.gain /= subrr mulr0.
have gK : 0 < gain K :> R by rewrite gainE subr_gt0 exprn_egt1 ?ltr1n // -lt0n.
have best : DCG c g (gains (from m K)) = c 0%N * gain K.
  rewrite (dcg_ideal c (sorts_gains R sg)) -(dcg_ideal c (sorts_gains R (@reverse_from _ m K))) dcg_from.
  by rewrite reverseE /= subnn.
rewrite best mulr_gt0 //; split=> //; rewrite /NDCG -(dcg_ideal c (sorts_gains R sg)) best dcg_from perm1 /=.
by rewrite -mulf_div divff ?gt_eqF // mulr1.
Qed.
