(* McRank Alg. 1 with all probabilities of a round computed first: when the scores of a document add up to 0.
   The exponential is any positive function e with e(a + b) = e(a) e(b); the trees are any that see gains of cuts only. *)
From Refrank Require Import Fields Leaves.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Scores.
Variables (R : realFieldType) (e : R -> R) (I : finType) (K : nat) (y : I -> 'I_K).
Hypotheses (e_gt0 : forall a, 0 < e a) (eD : forall a b, e (a + b) = e a * e b).
Implicit Types (F : I -> 'I_K -> R) (i : I) (k : 'I_K) (A : {set I}) (P : {set {set I}}) (nu : R).

(* line 4 *)
Definition proba F i k := e (F i k) / \sum_s e (F i s).
Definition to_fit F k i := (y i == k)%:R - proba F i k.

(* lines 5 to 7: the leaves of class k are regions k (to_fit F k) *)
Definition documents F k A : seq (R * R) := [seq ((y i == k)%:R, proba F i k) | i <- enum A].
Definition simultaneous nu (regions : 'I_K -> (I -> R) -> {set {set I}}) F i k :=
  F i k + nu * leaf K (documents F k (pblock (regions k (to_fit F k)) i)).

(* the scores after m rounds *)
Definition scores nu regions m := iter m (simultaneous nu regions) (fun _ _ => 0).

(* a tree learns of residuals only what cuts gain *)
Definition by_gains (grow : (I -> R) -> {set {set I}}) :=
  forall r r', (forall A B, split_gain (fun=> 1) r A B = split_gain (fun=> 1) r' A B) -> grow r = grow r'.

Lemma betaE F k A : leaf K (documents F k A) = (K - 1)%:R / K%:R *
  ((\sum_(i in A) to_fit F k i) / \sum_(i in A) proba F i k * (1 - proba F i k)).
Proof. by rewrite leafE !big_map -!big_enum. Qed.

Lemma sum_gt0 F i k : 0 < \sum_s e (F i s).
Proof. by rewrite (bigD1 k) //= ltr_paddr ?e_gt0 // sumr_ge0 // => s _; exact: ltW. Qed.

Lemma proba_sum F i k : \sum_s proba F i s = 1.
Proof. by rewrite -mulr_suml divff // gt_eqF // (sum_gt0 F i k). Qed.

Lemma gain_opp (r : I -> R) A B : split_gain (fun=> 1) (fun i => - r i) A B = split_gain (fun=> 1) r A B.
Proof.
have N C : mean (fun=> 1) (fun i => - r i) C = - mean (fun=> 1) r C.
  by rewrite /mean -mulNr; congr (_ / _); rewrite /total -sumrN; apply: eq_bigr => i _; rewrite mulrN.
by rewrite /split_gain !N -opprD sqrrN.
Qed.

(* mcrank.sum_of_scores.variant-one-leaf: the sum is kept in the first round if all classes share regions *)
Theorem first_round_keeps_sum nu P i : \sum_k scores nu (fun _ _ => P) 1 i k = 0.
Proof.
have [k|none] := pickP 'I_K; last by rewrite big_pred0.
have K0 : K%:R != 0 :> R by rewrite pnatr_eq0 -lt0n (leq_ltn_trans _ (ltn_ord k)).
have p0 j s : proba (fun _ _ => 0) j s = K%:R^-1.
  by rewrite /proba sumr_const card_ord -[_ *+ K]mulr_natr invfM mulrA divff ?mul1r // gt_eqF.
rewrite /scores /= /simultaneous; set A := pblock P i; set H := \sum_(j in A) K%:R^-1 * (1 - K%:R^-1) : R.
have bottom s : \sum_(j in A) proba (fun _ _ => 0) j s * (1 - proba (fun _ _ => 0) j s) = H.
  by apply: eq_bigr => j _; rewrite p0.
under eq_bigr do rewrite add0r betaE bottom.
rewrite -!mulr_sumr -mulr_suml exchange_big /= big1 ?mul0r ?mulr0 // => j _.
rewrite sumrB proba_sum // (bigD1 (y j)) //= eqxx big1 ?addr0 ?subrr // => s.
by rewrite eq_sym => /negbTE ->.
Qed.

(* mcrank.sum_of_scores.variant-centred: subtracting the mean over classes from F keeps p *)
Theorem centring_keeps_proba F i k : proba (fun j s => F j s - (\sum_t F j t) / K%:R) i k = proba F i k.
Proof.
rewrite /proba; set a := _ / K%:R; rewrite eD; under eq_bigr do rewrite eD.
by rewrite -mulr_suml invfM mulrACA divff ?mulr1 // gt_eqF.
Qed.
End Scores.

(* mcrank.sum_of_scores.variant-simultaneous-K2: kept in every round when all p of a round come first, K = 2 *)
Theorem two_classes_keep_sum (R : realFieldType) (e : R -> R) (I : finType) (y : I -> 'I_2) nu grow m i :
  (forall a, 0 < e a) -> by_gains grow -> \sum_k scores e y nu (fun=> grow) m i k = 0.
Proof.
move=> e0 grown; elim: m i => [|m IH] i; first by rewrite big1.
rewrite /scores /= -/(scores e y nu _ m); set F := scores _ _ _ _ m in IH *.
have p1 j : proba e F j (lift ord0 ord0) = 1 - proba e F j ord0.
  by rewrite -(proba_sum e0 F j ord0) big_ord_recl big_ord1 addrC addKr.
have r1 j : to_fit e y F (lift ord0 ord0) j = - to_fit e y F ord0 j.
  rewrite /to_fit p1 (_ : (y j == lift ord0 ord0)%:R = 1 - (y j == ord0)%:R); first by ring.
  by case: (y j) => [[|[|k]] k2] //; rewrite ?subr0 ?subrr.
have same : grow (to_fit e y F (lift ord0 ord0)) = grow (to_fit e y F ord0).
  apply: grown => A B; rewrite -[RHS]gain_opp /split_gain /mean /total.
  by under eq_bigr do rewrite r1; under [X in (_ - X / _) ^+ 2]eq_bigr do rewrite r1.
rewrite big_ord_recl big_ord1 /simultaneous same addrACA -mulrDr; have := IH i; rewrite big_ord_recl big_ord1 => ->.
rewrite !betaE add0r; set A := pblock _ i.
have -> : \sum_(j in A) to_fit e y F (lift ord0 ord0) j = - \sum_(j in A) to_fit e y F ord0 j.
  by rewrite -sumrN; apply: eq_bigr => j _; exact: r1.
have -> : \sum_(j in A) proba e F j (lift ord0 ord0) * (1 - proba e F j (lift ord0 ord0)) =
          \sum_(j in A) proba e F j ord0 * (1 - proba e F j ord0).
  by apply: eq_bigr => j _; rewrite p1; ring.
by rewrite mulNr mulrN subrr mulr0.
Qed.
