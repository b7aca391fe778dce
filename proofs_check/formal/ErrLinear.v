(* Bounds of the DCG error that are bounds of the ERR error, with the discount 1/i and gains over 2^K.
   Documents are numbered in the order of pi, which sorts by the predictions; g sorts by the labels y. *)
From Refrank Require Import Rankings Bounds Regression Probabilities McRank OneSided Thresholds Grades ClassProba.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section ErrLinear.
Variables (R : realFieldType) (n K : nat).
Implicit Types (g : 'S_n) (f : 'I_n -> R) (y y_hat : 'I_n -> nat).
Notation beta := (beta R).
Notation ERR_error g y := (ERR beta g (rels R K y) - ERR beta 1 (rels R K y)).

Lemma err_below_dcg g y b : grades K y -> sorts_grades g y ->
  DCG beta g (gains y) - DCG beta 1 (gains y) <= b -> ERR_error g y <= b / 2%:R ^+ K.
Proof.
move=> yK gy dcg_b; have p0 := power_gt0 R K.
apply: (@le_trans _ _ ((DCG beta g (gains y) - DCG beta 1 (gains y)) / 2%:R ^+ K)); last first.
  by rewrite ler_wpmul2r ?invr_ge0 ?(ltW p0).
have := err_below_rr_dcg 1 (@beta_falling R) (rels_sorts R K gy) (rels_relevances R yK); move/le_trans; apply.
rewrite !DCGE mulrBl !mulr_suml le_eqVlt; apply/orP; left; apply/eqP.
by congr (_ - _); apply: eq_bigr => i _; rewrite relsE -gainE mulrA.
Qed.

(* new.one_sided.variant-err: one-sided errors, for any real predictions of the gains *)
Theorem one_sided_err g y f : grades K y -> sorts_grades g y -> noninc f ->
  ERR_error g y <= (\sum_i one_sided_cost beta (gains y) f i) / 2%:R ^+ K.
Proof. by move=> yK gy nf; apply: err_below_dcg => //; apply: one_sided_real => //; exact: beta_falling. Qed.

(* new.dcg_threshold.variant-err: the crossings at each grade *)
Theorem dcg_threshold_err g y y_hat : grades K y -> sorts_grades g y -> graded y_hat ->
  ERR_error g y <= (\sum_(t < K) 2%:R ^+ t * swaps n beta (crossings y y_hat t)) / 2%:R ^+ K.
Proof. by move=> yK gy gw; apply: err_below_dcg => //; apply: dcg_threshold => //; exact: beta_falling. Qed.
End ErrLinear.

Section ClassProbabilities.
Variables (R : realFieldType) (m K : nat) (p : 'I_m.+1 -> 'I_K.+1 -> R) (y : 'I_m.+1 -> 'I_K.+1).
Hypotheses (p0 : forall i k, 0 <= p i k) (p1 : forall i, \sum_k p i k = 1).
Implicit Types (g : 'S_m.+1) (a : R).
Notation beta := (beta R).
Notation labels := (fun i => y i : nat).
Notation ERR_error g := (ERR beta g (rels R K labels) - ERR beta 1 (rels R K labels)).
Notation share a := ((a / 2%:R ^+ K) * (1 - m.+1%:R^-1) * \sum_i left_over p y i).

Lemma err_below_left_over g a : sorts_grades g labels ->
  DCG beta g (gains y) - DCG beta 1 (gains y) <= (a * (beta 0%N - beta m)) * (\sum_i left_over p y i) ->
  ERR_error g <= share a.
Proof.
move=> gy /(err_below_dcg (K := K)) below; apply: le_trans (below _ gy) _ => [i|]; first by rewrite -ltnS.
rewrite /Rankings.beta invr1 le_eqVlt; apply/orP; left; apply/eqP.
by move: (\sum_i _) (1 - _) (2%:R ^+ K)^-1 => S b t; ring.
Qed.

(* losses.class_proba.variant-err: the ERR error of the ranking by expected gain *)
Theorem class_proba_err g : sorts_grades g labels -> noninc (expected_gain p) -> ERR_error g <= share (gain K).
Proof. by move=> gy nv; apply: err_below_left_over gy _; exact: (class_proba y p0 p1 g (@beta_falling R) nv). Qed.

(* losses.class_proba.variant-expected-relevance-err: the ERR error of the ranking by expected relevance *)
Theorem class_proba_by_relevance_err g : sorts_grades g labels -> noninc (expected_relevance p) ->
  ERR_error g <= share (K%:R * 2%:R ^+ K.-1).
Proof.
by move=> gy nv; apply: err_below_left_over gy _; exact: (class_proba_by_relevance y p0 p1 g (@beta_falling R) nv).
Qed.
End ClassProbabilities.
