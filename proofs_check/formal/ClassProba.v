(* From class probabilities to the error of the ranking by their expected gain, or by their expected relevance. *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression Probabilities McRank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Gains.
Variables (R : realFieldType) (n K : nat).
Variables (p : 'I_n -> 'I_K.+1 -> R) (y : 'I_n -> 'I_K.+1).
Hypotheses (p0 : forall i k, 0 <= p i k) (p1 : forall i, \sum_k p i k = 1).
Implicit Types (c : nat -> R) (g : 'S_n).

Definition expected_gain i : R := expected gain 0 (codom (p i)).
Definition expected_relevance i : R := expected of_nat 0 (codom (p i)).
(* the probability of the wrong classes *)
Definition left_over i : R := 1 - p i (y i).

Lemma gap_ge0 c : falling c -> 0 <= c 0%N - c n.-1.
Proof. by move=> fc; rewrite subr_ge0 falling_le. Qed.

(* losses.class_proba.step1: the DCG error is below sum (c_g - c_pi) (2^y - 1 - v), v the expected gain *)
Theorem class_proba_rearranged c g : falling c -> noninc expected_gain ->
  DCG c g (gains y) - DCG c 1 (gains y) <= \sum_i (c (g i) - c i) * (gain (y i) - expected_gain i).
Proof. exact: dcg_error_below_misses. Qed.

(* losses.class_proba.step3: no two discounts are further apart than the first and the last *)
Theorem discounts_near c g (i : 'I_n) : falling c -> `|c (g i) - c i| <= c 0%N - c n.-1.
Proof. exact: discounts_within. Qed.

(* losses.class_proba: the DCG error of the ranking by expected gain, the constant 2^K - 1 *)
Theorem class_proba c g : falling c -> noninc expected_gain ->
  DCG c g (gains y) - DCG c 1 (gains y) <= (gain K * (c 0%N - c n.-1)) * \sum_i left_over i.
Proof.
move=> fc nv; apply: le_trans (regression_error_l1 (gains y) g fc nv) _; rewrite [gain K * _]mulrC -mulrA.
rewrite ler_wpmul2l ?gap_ge0 // mulr_sumr; apply: ler_sum => i _; exact: expected_gain_near.
Qed.

(* pi sorts by the interpolated gain of the expected relevance as well *)
Lemma interpolated_noninc : noninc expected_relevance -> noninc (fun i => interpolated K (expected_relevance i)).
Proof. by move=> nv i j le_ij; apply: interpolated_le; exact: nv. Qed.

Lemma gain_below_slope : gain K <= K%:R * 2%:R ^+ K.-1 :> R.
Proof.
case: K => [|k]; first by rewrite gainE subrr mul0r.
elim: k => [|k IH]; first by rewrite gainE expr1 mulrS addrC addKr mulr1.
have -> : gain k.+2 = 2%:R * gain k.+1 + 1 :> R by rewrite !gainE exprS; ring.
rewrite [k.+2%:R]mulrS mulrDl mul1r addrC ler_add ?exprn_ege1 ?ler1n //=.
by rewrite exprS mulrCA ler_wpmul2l ?ler0n.
Qed.

(* losses.class_proba.variant-expected-relevance: of the ranking by expected relevance, the constant K 2^(K-1) *)
Theorem class_proba_by_relevance c g : falling c -> noninc expected_relevance ->
  DCG c g (gains y) - DCG c 1 (gains y) <= ((K%:R * 2%:R ^+ K.-1) * (c 0%N - c n.-1)) * \sum_i left_over i.
Proof.
move=> fc nv; apply: le_trans (regression_error_l1 (gains y) g fc (interpolated_noninc nv)) _.
rewrite [_ * (c 0%N - _)]mulrC -mulrA; rewrite ler_wpmul2l ?gap_ge0 // mulr_sumr; apply: ler_sum => i _.
have /andP[lo hi] := expected_relevance_near (y i) (p0 i) (p1 i); rewrite ler_norml hi andbT.
by apply: le_trans lo; rewrite ler_opp2 ler_wpmul2r ?gain_below_slope ?others_ge0.
Qed.
End Gains.

Section Attained.
Variables (R : realFieldType) (m K : nat).
Notation n := m.+1.
Implicit Types (c : nat -> R) (a b : R).

(* the last document first, and the first last *)
Definition ends_exchanged : 'S_n := tperm ord0 ord_max.
Definition last_only (T : Type) (a b : T) (i : 'I_n) : T := if i == ord_max then a else b.

Lemma ends_exchanged_sorts a b : b <= a -> sorts ends_exchanged (last_only a b).
Proof.
move=> ba i j; rewrite /last_only /ends_exchanged; case: (eqVneq i ord_max) => [->|im]; first by case: ifP.
case: (eqVneq j ord_max) => // ->; rewrite tpermR leqn0 => /eqP i0.
case/eqP: im; apply: (@perm_inj _ ends_exchanged); apply: val_inj; rewrite [RHS]/= /ends_exchanged tpermR; exact: i0.
Qed.

Lemma ends_exchanged_error c a b :
  DCG c ends_exchanged (last_only a b) - DCG c 1 (last_only a b) = (c 0%N - c m) * (a - b).
Proof.
rewrite !DCGE -sumrB; have [m0|m0] := eqVneq m 0%N.
  have only (i : 'I_n) : i = ord_max by apply: val_inj; case: i => i /=; rewrite ltnS m0 leqn0 => /eqP.
  rewrite big1 => [|i _]; last by rewrite (only (ends_exchanged i)) (only ((1 : 'S_n)%g i)) subrr.
  by rewrite m0 subrr mul0r.
have ends : ord0 != ord_max :> 'I_n by rewrite -val_eqE /= eq_sym.
rewrite (bigD1 ord0) // (bigD1 ord_max) 1?eq_sym //= big1 => [|i /andP[i0 im]]; last first.
  by rewrite /ends_exchanged tpermD 1?eq_sym // perm1 subrr.
by rewrite /last_only (negbTE ends) eqxx /ends_exchanged tpermL tpermR !perm1 /=; ring.
Qed.

(* n - 1 documents of grade 0 and the last of grade K, all of them predicted 0 with certainty *)
Definition sure_zero (i : 'I_n) (k : 'I_K.+1) : R := (k == ord0)%:R.
Definition perfect_last : 'I_n -> 'I_K.+1 := last_only ord_max ord0.

(* losses.class_proba.variant-attained: no smaller constant than 2^K - 1 will do, for every n and all discounts *)
Theorem class_proba_attained c :
  [/\ noninc (expected_gain sure_zero), sorts ends_exchanged (gains perfect_last : 'I_n -> R) &
      DCG c ends_exchanged (gains perfect_last) - DCG c 1 (gains perfect_last)
      = (gain K * (c 0%N - c m)) * \sum_i left_over sure_zero perfect_last i].
Proof.
have G i : gain (perfect_last i) = last_only (gain K) (gain 0) i :> R.
  by rewrite /perfect_last /last_only; case: ifP.
have D g : DCG c g (gains perfect_last) = DCG c g (last_only (gain K) (gain 0)).
  by rewrite !DCGE; apply: eq_bigr => i _; rewrite G.
split.
- by move=> i j _; rewrite /expected_gain.
- by move=> i j le_ij; rewrite !G; apply: (ends_exchanged_sorts (gain_le _ (leq0n K)) le_ij).
rewrite !D ends_exchanged_error (_ : gain 0 = 0 :> R); last by rewrite gainE subrr.
rewrite subr0 [gain K * _]mulrC -mulrA; congr (_ * _).
rewrite (bigD1 ord_max) //= big1 => [|i /negbTE im]; last first.
  by rewrite /left_over /sure_zero /perfect_last /last_only im eqxx subrr.
rewrite /left_over /sure_zero /perfect_last /last_only eqxx addr0 -val_eqE /=.
by case: (K) => [|k]; rewrite /= ?subr0 ?mulr1 // gainE subrr mul0r.
Qed.

(* n - 1 documents of grade K - 1, predicted with certainty, and the last of grade K, which is 0 with probability 1/K *)
Hypothesis K0 : (0 < K)%N.
Definition nearly : 'I_K.+1 := inord K.-1.
Definition doubted (i : 'I_n) (k : 'I_K.+1) : R :=
  if i == ord_max then (k == ord_max)%:R * (1 - K%:R^-1) + (k == ord0)%:R * K%:R^-1 else (k == nearly)%:R.
Definition best_last : 'I_n -> 'I_K.+1 := last_only ord_max nearly.

Lemma expected_sure (t : nat -> R) (k : 'I_K.+1) : \sum_(j < K.+1) (j == k)%:R * t j = t k :> R.
Proof. by rewrite (bigD1 k) //= eqxx mul1r big1 ?addr0 // => j /negbTE ->; rewrite mul0r. Qed.

Lemma doubted_relevance i : expected_relevance doubted i = K.-1%:R.
Proof.
rewrite /expected_relevance; have -> := expectedE of_nat (doubted i).
rewrite /doubted; case: (i == ord_max); last first.
  by rewrite (expected_sure of_nat) of_natE inordK // ltnW // ltnS prednK.
rewrite (eq_bigr (fun j : 'I_K.+1 =>
  (1 - K%:R^-1) * ((j == ord_max)%:R * of_nat j) + K%:R^-1 * ((j == ord0)%:R * of_nat j))).
  rewrite big_split -!mulr_sumr /= !(expected_sure of_nat) !of_natE mulr0 addr0 /=.
  have K1 : K%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
  have K2 : K%:R = 1 + K.-1%:R :> R by rewrite -mulrS prednK.
  by rewrite mulrBl mul1r mulVf // K2 addrC addKr.
by move=> j _; move: (of_nat j : R) ((j == ord_max)%:R : R) ((j == ord0)%:R : R) => t a b; ring.
Qed.

(* losses.class_proba.variant-expected-relevance-attained: no smaller constant than K 2^(K-1) will do, for every n *)
Theorem class_proba_by_relevance_attained c :
  [/\ noninc (expected_relevance doubted), sorts ends_exchanged (gains best_last : 'I_n -> R) &
      DCG c ends_exchanged (gains best_last) - DCG c 1 (gains best_last)
      = ((K%:R * 2%:R ^+ K.-1) * (c 0%N - c m)) * \sum_i left_over doubted best_last i].
Proof.
have nearlyE : nearly = K.-1 :> nat by rewrite inordK // ltnS leq_pred.
have G i : gain (best_last i) = last_only (gain K) (gain K.-1) i :> R.
  by rewrite /best_last /last_only; case: ifP => // _; rewrite nearlyE.
have D g : DCG c g (gains best_last) = DCG c g (last_only (gain K) (gain K.-1)).
  by rewrite !DCGE; apply: eq_bigr => i _; rewrite G.
have K1 : K%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
split.
- by move=> i j _; rewrite !doubted_relevance.
- by move=> i j le_ij; rewrite !G; apply: (ends_exchanged_sorts (gain_le _ (leq_pred K)) le_ij).
rewrite !D ends_exchanged_error (bigD1 ord_max) //= big1 => [|i /negbTE im]; last first.
  by rewrite /left_over /doubted /best_last /last_only im eqxx subrr.
rewrite /left_over /doubted /best_last /last_only eqxx addr0 eqxx -[ord_max == ord0]val_eqE /=.
have -> : gain K - gain K.-1 = 2%:R ^+ K.-1 :> R.
  by rewrite !gainE -{1}(prednK K0) exprS; ring.
by rewrite (negbTE (lt0n_neq0 K0)) mul1r mul0r addr0; field.
Qed.
End Attained.

Section Squares.
Variables (R : rcfType) (n K : nat).
Variables (p : 'I_n -> 'I_K.+1 -> R) (y : 'I_n -> 'I_K.+1).
Hypotheses (p0 : forall i k, 0 <= p i k) (p1 : forall i, \sum_k p i k = 1).
Implicit Types (c : nat -> R) (g : 'S_n).

Notation left_over := (left_over p y).

Lemma below_root c g b : falling c -> noninc (expected_gain p) -> \sum_i (gain (y i) - expected_gain p i) ^+ 2 <= b ->
  DCG c g (gains y) - DCG c 1 (gains y) <= Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2) * Num.sqrt b.
Proof.
move=> fc nv le_b; apply: le_trans (regression_error Two (gains y) g fc nv) _.
by rewrite ler_wpmul2l ?sqrtr_ge0 // ler_wsqrtr.
Qed.

(* losses.class_proba.variant-l2: the same by squares *)
Theorem class_proba_squared c g : falling c -> noninc (expected_gain p) ->
  DCG c g (gains y) - DCG c 1 (gains y)
  <= (gain K * Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2)) * Num.sqrt (\sum_i left_over i ^+ 2).
Proof.
move=> fc nv; have G : 0 <= gain K :> R by exact: gain_ge0.
rewrite [gain K * _]mulrC -mulrA -{1}(ger0_norm G) -sqrtr_sqr -sqrtrM ?sqr_ge0 //.
apply: below_root => //; rewrite mulr_sumr; apply: ler_sum => i _.
rewrite -exprMn -[X in X <= _]real_normK ?num_real //.
have near := expected_gain_near (y i) (p0 i) (p1 i).
by rewrite ler_expn2r ?nnegrE ?normr_ge0 // (le_trans (normr_ge0 _) near).
Qed.

(* losses.class_proba.variant-brier: by the sum of the squared errors of all probabilities; spread 4 is 744/5 (spread4) *)
Theorem class_proba_brier c g : falling c -> noninc (expected_gain p) ->
  DCG c g (gains y) - DCG c 1 (gains y) <= Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2) *
    Num.sqrt (spread R K * \sum_i \sum_k (p i k - (k == y i)%:R) ^+ 2).
Proof.
move=> fc nv; apply: below_root => //; rewrite mulr_sumr; apply: ler_sum => i _.
exact: expected_gain_brier (y i) (p1 i).
Qed.
End Squares.
