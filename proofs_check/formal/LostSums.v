(* McRank Alg. 1, nu = 1, one document of grade 0 and three classes: its scores do not add up to 0 if each class sees the
   scores that the classes before it changed, and not after the second round if all probabilities come first.
   The exponential is any positive function e with e(a + b) = e(a) e(b) and e(1) at least 2. One document has one tree. *)
From Refrank Require Import Fields Leaves Scores.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section LostSums.
Variables (R : realFieldType) (e : R -> R).
Hypotheses (e_gt0 : forall a, 0 < e a) (eD : forall a b, e (a + b) = e a * e b) (e1 : 2%:R <= e 1).
Implicit Types (F : 'I_1 -> 'I_3 -> R) (k : 'I_3).

Definition grade : 'I_1 -> 'I_3 := fun=> ord0.
Definition one_leaf (k : 'I_3) (r : 'I_1 -> R) : {set {set 'I_1}} := [set [set: 'I_1]].

(* Alg. 1 as printed: one class after the other *)
Definition update F k : 'I_1 -> 'I_3 -> R := fun i s => if s == k then simultaneous e grade 1 one_leaf F i k else F i s.
Definition sequential F := foldl update F (enum 'I_3).

Lemma one_document F i k : simultaneous e grade 1 one_leaf F i k =
  F i k + 2%:R / 3%:R * (((k == ord0)%:R - proba e F i k) / (proba e F i k * (1 - proba e F i k))).
Proof.
rewrite /simultaneous mul1r betaE; have -> : pblock (one_leaf k (to_fit e grade F k)) i = [set: 'I_1].
  by apply: def_pblock (set11 _) (in_setT i); apply/trivIsetP=> A B /set1P-> /set1P->; rewrite eqxx.
by rewrite !(eq_bigl _ _ (in_setT (T := _))) !big_ord1 (ord1 i) /to_fit /grade eq_sym.
Qed.

Lemma e0 : e 0 = 1.
Proof. by apply: (mulfI (lt0r_neq0 (e_gt0 0))); rewrite mulr1 -eD addr0. Qed.

Lemma e2 : 4%:R <= e 2%:R.
Proof.
have -> : 2%:R = 1 + 1 :> R by [].
have -> : 4%:R = 2%:R * 2%:R :> R by rewrite -natrM.
by rewrite eD ler_pmul ?ler0n.
Qed.

Lemma classes : enum 'I_3 = [:: ord0; lift ord0 ord0; lift ord0 (lift ord0 ord0)].
Proof. by apply: (inj_map val_inj); rewrite val_enum_ord. Qed.

Lemma total3 (f : 'I_3 -> R) : \sum_k f k = f ord0 + f (lift ord0 ord0) + f (lift ord0 (lift ord0 ord0)).
Proof. by rewrite !big_ord_recl big_ord0 addr0 addrA. Qed.

(* a class whose grade is not that of the document, with the probability p = a / (a + b): beta = -(2/3) / (1 - p) *)
Lemma other_class (a b : R) : 0 < a -> 0 < b ->
  2%:R / 3%:R * ((0 - a / (a + b)) / (a / (a + b) * (1 - a / (a + b)))) = - (2%:R / 3%:R * ((a + b) / b)).
Proof. by move=> a0 b0; field; rewrite !gt_eqF ?addr_gt0. Qed.

Lemma at_most (x : R) : 4%:R <= x -> (1 + x) / x <= 5%:R / 4%:R.
Proof.
move=> x4; have x0 : 0 < x by apply: lt_le_trans x4; rewrite ltr0n.
rewrite ler_pdivr_mulr // -subr_ge0 (_ : _ - _ = (x - 4%:R) / 4%:R); first by rewrite divr_ge0 ?ler0n // subr_ge0.
by field.
Qed.

(* mcrank.sum_of_scores.variant-sequential-K3: the sum after the first round of Alg. 1 as printed is above 0, K = 3 *)
Example sequential_loses_sum i : 0 < \sum_k sequential (fun _ _ => 0) i k.
Proof.
pose a := e 2%:R; have a4 : 4%:R <= a by exact: e2.
have a0 : 0 < a by exact: e_gt0.
rewrite total3 /sequential classes /=.
set F1 := update (fun _ _ => 0) ord0; set F2 := update F1 _.
have F1E j : F1 j ord0 = 2%:R.
  by rewrite /F1 /update /= one_document /= /proba total3 e0; field.
pose b : R := - (2%:R / 3%:R * ((1 + (a + 1)) / (a + 1))).
have F2E j : F2 j (lift ord0 ord0) = b.
  rewrite /F2 /update /= one_document /= [LHS]add0r /proba total3 F1E /= e0.
  have -> : e 2%:R + 1 + 1 = 1 + (a + 1) by rewrite -/a; ring.
  by rewrite other_class ?addr_gt0 ?ltr01.
have c0 : 0 < a + e b by rewrite addr_gt0 ?e_gt0.
rewrite {1 2}/update /= {1}/F2 {1}/update /= F1E F2E /update /= one_document /= [F2 _ _ + _]add0r.
rewrite /proba total3 /= [F2 i ord0]F1E F2E /= e0 (_ : e 2%:R + e b + 1 = 1 + (a + e b)); last by rewrite -/a; ring.
rewrite other_class ?ltr01 // /b.
have p1 : (1 + (a + 1)) / (a + 1) <= 5%:R / 4%:R by rewrite at_most // ler_paddr ?ler01.
have p2 : (1 + (a + e b)) / (a + e b) <= 5%:R / 4%:R by rewrite at_most // ler_paddr // ltW ?e_gt0.
have half (u v : R) : u <= v -> 2%:R / 3%:R * u <= 2%:R / 3%:R * v by apply: ler_wpmul2l; rewrite divr_ge0 ?ler0n.
apply: lt_le_trans (ler_sub (ler_sub (lexx 2%:R) (half _ _ p1)) (half _ _ p2)).
by rewrite (_ : _ - _ = 1 / 3%:R) ?divr_gt0 ?ltr01 ?ltr0n //; field.
Qed.

(* mcrank.sum_of_scores.variant-one-leaf-twice: the sum after the second round is below 0, K = 3, all p of a round first *)
Example second_round_loses_sum i : \sum_k scores e grade 1 one_leaf 2 i k < 0.
Proof.
pose a := e 2%:R; pose b := e (- 1); have a0 : 0 < a by exact: e_gt0.
have b0 : 0 < b by exact: e_gt0.
have ab : b < a.
  have a1 : 1 < a by apply: lt_le_trans e2; rewrite ltr1n.
  apply: le_lt_trans a1; have -> : 1 = b * e 1 by rewrite /b -eD addNr e0.
  by rewrite ler_pmulr // (le_trans _ e1) // ler1n.
set F1 := scores e grade 1 one_leaf 1.
have F1E : F1 i ord0 = 2%:R /\ forall k, k != ord0 -> F1 i k = - 1.
  by split=> [|k /negbTE k0]; rewrite /F1 /scores /= one_document ?k0 /= /proba total3 e0; field.
case: F1E => F1a F1b; rewrite total3 [scores _ _ _ _ 2]iterS -/(scores e grade 1 one_leaf 1) -/F1.
rewrite !one_document /= /proba total3 F1a !F1b // -/a -/b.
set sum := (X in X < 0); have -> : sum = - (2%:R / 3%:R * ((a + b + b) * (a - b) / (a * (a + b)))).
  have d : a + b + b - a = b + b by ring.
  by rewrite /sum; field; rewrite d !gt_eqF ?addr_gt0.
by rewrite oppr_lt0 mulr_gt0 ?divr_gt0 ?mulr_gt0 ?subr_gt0 ?addr_gt0 ?ltr0n ?ltr01.
Qed.
End LostSums.
