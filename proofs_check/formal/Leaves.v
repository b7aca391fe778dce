(* One round of least-squares boosting (McRank Alg. 2): every residual loses nu times the mean of its leaf.
   By how much the squared errors fall, for any leaves and any positive weights of the rows; and what a cut gains. *)
From Refrank Require Import Fields.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Leaves.
Variables (R : realFieldType) (I : finType) (w : I -> R).
Implicit Types (r y : I -> R) (A B : {set I}) (P : {set {set I}}) (nu : R).

Definition weight A := \sum_(i in A) w i.
Definition total r A := \sum_(i in A) w i * r i.
Definition mean r A := total r A / weight A.
Definition error r A := \sum_(i in A) w i * (r i - mean r A) ^+ 2.
Definition sse r := \sum_i w i * r i ^+ 2.

(* what a cut into the rows A and B gains *)
Definition split_gain r A B := (mean r A - mean r B) ^+ 2 * (weight A * weight B / (weight A + weight B)).

(* the residuals after a round whose leaves are the parts of P; pblock P i is the leaf of row i *)
Definition after nu P r i := r i - nu * mean r (pblock P i).

Hypothesis w_gt0 : forall i, 0 < w i.

Lemma weight_gt0 A : A != set0 -> 0 < weight A.
Proof.
case/set0Pn=> i iA; rewrite /weight (bigD1 i) //= ltr_paddr //.
by apply: sumr_ge0 => j _; exact: ltW.
Qed.

Lemma totalE r A : total r A = mean r A * weight A.
Proof.
have [->|/weight_gt0 W] := eqVneq A set0; first by rewrite /total /weight !big_set0 mulr0.
by rewrite divfK // gt_eqF.
Qed.

Lemma big_union A B (f : I -> R) : [disjoint A & B] ->
  \sum_(i in A :|: B) f i = \sum_(i in A) f i + \sum_(i in B) f i.
Proof. by move=> dAB; rewrite -bigU //; apply: eq_bigl => i; rewrite !inE. Qed.

Lemma weight_union A B : [disjoint A & B] -> weight (A :|: B) = weight A + weight B.
Proof. exact: big_union. Qed.

Lemma mean_union r A B : [disjoint A & B] ->
  mean r (A :|: B) = (mean r A * weight A + mean r B * weight B) / (weight A + weight B).
Proof.
by move=> dAB; rewrite {1}/mean weight_union // [total r _]big_union // -![\sum_(i in _) _]/(total r _) !totalE.
Qed.

(* sum w (r - a)^2 = sum w r^2 - 2 a (sum w r) + a^2 (sum w) *)
Lemma shifted r a A :
  \sum_(i in A) w i * (r i - a) ^+ 2 = (\sum_(i in A) w i * r i ^+ 2) - (2%:R * a) * total r A + a ^+ 2 * weight A.
Proof. by rewrite /total /weight !mulr_sumr -sumrB -big_split /=; apply: eq_bigr => i _; ring. Qed.

Lemma mean_between y A lo hi : A != set0 -> (forall i, i \in A -> lo <= y i <= hi) -> lo <= mean y A <= hi.
Proof.
move=> /weight_gt0 W y_in; rewrite /mean ler_pdivl_mulr // ler_pdivr_mulr // !mulr_sumr.
by apply/andP; split; apply: ler_sum => i iA; have /andP[lo_y y_hi] := y_in i iA; rewrite [_ * w i]mulrC ler_pmul2l.
Qed.

(* in one leaf *)
Lemma leaf_after r nu A : \sum_(i in A) w i * (r i - nu * mean r A) ^+ 2 =
  (\sum_(i in A) w i * r i ^+ 2) - nu * (2%:R - nu) * (weight A * mean r A ^+ 2).
Proof. by rewrite shifted totalE; ring. Qed.

Lemma over_leaves P (f : I -> R) : partition P [set: I] -> \sum_i f i = \sum_(A in P) \sum_(i in A) f i.
Proof.
case/and3P=> /eqP cP tP _; rewrite -big_trivIset //=; apply: eq_bigl => i.
by rewrite cP inE.
Qed.

(* trees.ls_training_error.step1: SSE_m = SSE_{m-1} - nu (2 - nu) sum_j n_j mean_j^2 *)
Theorem round_by_means P nu r : partition P [set: I] ->
  sse (after nu P r) = sse r - nu * (2%:R - nu) * \sum_(A in P) weight A * mean r A ^+ 2.
Proof.
move=> pP; rewrite /sse !(over_leaves _ pP) mulr_sumr -sumrB; apply: eq_bigr => A AP.
rewrite -leaf_after; apply: eq_bigr => i iA; rewrite /after.
by case/and3P: pP => _ tP _; rewrite (def_pblock tP AP iA).
Qed.

(* trees.ls_training_error: for 0 < nu <= 2 the squared error on the training data does not rise *)
Theorem round_lowers P nu r : partition P [set: I] -> 0 < nu -> nu <= 2%:R -> sse (after nu P r) <= sse r.
Proof.
move=> pP nu0 nu2; rewrite round_by_means // ger_addl oppr_le0 mulr_ge0 //.
  by rewrite mulr_ge0 ?subr_ge0 // ltW.
by apply: sumr_ge0 => A _; rewrite mulr_ge0 ?sqr_ge0 // sumr_ge0 // => i _; exact: ltW.
Qed.

(* trees.ls_training_error.variant-nu-2: for nu = 2 it stays *)
Theorem round_keeps P r : partition P [set: I] -> sse (after 2%:R P r) = sse r.
Proof. by move=> pP; rewrite round_by_means // subrr mulr0 mul0r subr0. Qed.

Lemma after_adds_up P nu r : partition P [set: I] -> \sum_i w i * after nu P r i = (1 - nu) * \sum_i w i * r i.
Proof.
move=> pP; rewrite !(over_leaves _ pP) mulr_sumr; apply: eq_bigr => A AP.
rewrite (eq_bigr (fun i => w i * r i - (nu * mean r A) * w i)) => [|i iA].
  by rewrite sumrB -mulr_sumr -/(weight A) -/(total r A) totalE; ring.
by case/and3P: pP => _ tP _; rewrite /after (def_pblock tP AP iA); ring.
Qed.

(* the residuals before round m + 1: line 1 begins with the mean of the labels; the leaves of each round are any *)
Fixpoint residual nu (leaves : nat -> {set {set I}}) y m : I -> R :=
  if m is m'.+1 then after nu (leaves m') (residual nu leaves y m') else fun i => y i - mean y [set: I].

(* trees.ls_training_error.step2: the residuals add up to 0 before every round *)
Theorem residuals_add_up_to_0 nu leaves y m : (forall k, partition (leaves k) [set: I]) ->
  \sum_i w i * residual nu leaves y m i = 0.
Proof.
move=> pP; elim: m => [|m IH] /=.
  rewrite (eq_bigr (fun i => w i * y i - mean y [set: I] * w i)) => [|i _]; last by ring.
  have E := totalE y [set: I]; rewrite /total /weight !(eq_bigl _ _ (in_setT (T := I))) in E.
  by rewrite sumrB -mulr_sumr -E subrr.
by rewrite after_adds_up // IH mulr0.
Qed.

(* trees.histogram_is_exact_split.step1: SSE - SSE_l - SSE_r = (S_l/n_l - S_r/n_r)^2 n_l n_r / n *)
Theorem reduction_is_split_gain r A B : A != set0 -> B != set0 -> [disjoint A & B] ->
  error r (A :|: B) - error r A - error r B = split_gain r A B.
Proof.
move=> /weight_gt0 a0 /weight_gt0 b0 dAB.
rewrite /error !shifted !totalE big_union // mean_union // weight_union // /split_gain.
set a := \sum_(i in A) _; set b := \sum_(i in B) _.
by field; rewrite gt_eqF // addr_gt0.
Qed.
End Leaves.

(* losses.ls_boosting: S_after = S - nu (2 - nu) sum_R (sum_{i in R} r_i)^2 / |R|, for any leaves R *)
Theorem least_squares_round (R : realFieldType) (I : finType) (r : I -> R) (P : {set {set I}}) (nu : R) :
  partition P [set: I] ->
  \sum_i (r i - nu * ((\sum_(j in pblock P i) r j) / #|pblock P i|%:R)) ^+ 2 =
  \sum_i r i ^+ 2 - nu * (2%:R - nu) * \sum_(A in P) (\sum_(i in A) r i) ^+ 2 / #|A|%:R.
Proof.
move=> pP; pose w (i : I) : R := 1.
have W A : weight w A = #|A|%:R by rewrite /weight sumr_const.
have T A : total w r A = \sum_(i in A) r i by apply: eq_bigr => i _; rewrite mul1r.
have w0 i : 0 < w i by exact: ltr01.
have := round_by_means w0 nu r pP; rewrite /sse (eq_bigr _ (fun i _ => mul1r _)) (eq_bigr _ (fun i _ => mul1r _)).
under eq_bigr do rewrite /after /mean T W; move=> ->; congr (_ - _ * _); apply: eq_bigr => A AP.
rewrite -T -W totalE //; have [->|/(weight_gt0 w0) /lt0r_neq0 W0] := eqVneq A set0.
  by rewrite /weight big_set0 mul0r mulr0 expr0n mul0r.
by field.
Qed.
