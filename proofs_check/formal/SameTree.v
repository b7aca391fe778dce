(* What does not change a tree: other numbers of the rows, copies of rows instead of their weight, a common factor of all
   weights, and strictly increasing transforms of features whose values have a bin each. *)
From Refrank Require Import Fields Leaves Trees Grown.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section SameTree.
Variables (R : realFieldType) (d B : nat).
Notation point := ('I_d -> nat).
Notation best_first := (@best_first R d B).

(* rows J, each of them one of the rows I, that share out the weight of their row *)
Section Copies.
Variables (I J : finType) (h : J -> I) (x : I -> point) (w r : I -> R) (v : J -> R).
Variables (enough : pred {set I}) (enough' : pred {set J}).
Hypothesis shared : forall i, w i = \sum_(j | h j == i) v j.
Hypothesis same_enough : forall A : {set I}, enough' (h @^-1: A) = enough A.
Implicit Types (A : {set I}).

Lemma copied (f : I -> R) A : \sum_(j in h @^-1: A) v j * f (h j) = \sum_(i in A) w i * f i.
Proof.
rewrite (partition_big h (mem A)) /=; last by move=> j; rewrite inE.
apply: eq_bigr => i iA; rewrite shared mulr_suml; apply: eq_big => j; last by case/andP=> _ /eqP->.
by rewrite inE; case: eqP => [->|]; rewrite ?iA ?andbF.
Qed.

Lemma copied_weight A : weight v (h @^-1: A) = weight w A.
Proof.
rewrite /weight; have := copied (fun=> 1) A; rewrite (eq_bigr v) => [->|j _]; last exact: mulr1.
by apply: eq_bigr => i _; rewrite mulr1.
Qed.

Lemma copied_mean A : mean v (r \o h) (h @^-1: A) = mean w r A.
Proof. by rewrite /mean /total copied copied_weight. Qed.

Lemma copied_gain A A' : split_gain v (r \o h) (h @^-1: A) (h @^-1: A') = split_gain w r A A'.
Proof. by rewrite /split_gain !copied_mean !copied_weight. Qed.

Lemma copied_sides q A :
  left (x \o h) q (h @^-1: A) = h @^-1: left x q A /\ right (x \o h) q (h @^-1: A) = h @^-1: right x q A.
Proof. by split; apply/setP=> j; rewrite !inE. Qed.

Lemma copied_gain_of A c : gain_of (x \o h) v (r \o h) enough' (h @^-1: A) c = gain_of x w r enough A c.
Proof.
rewrite /gain_of /low /high; have [-> ->] := copied_sides (asks c) A.
by rewrite !same_enough copied_gain.
Qed.

Lemma copied_waiting t A :
  waiting B (x \o h) v (r \o h) enough' t (h @^-1: A) = waiting B x w r enough t A.
Proof.
elim: t A => [k|c t1 IH1 t2 IH2] A /=.
  have -> : best_cut B (x \o h) v (r \o h) enough' (h @^-1: A) = best_cut B x w r enough A.
    by apply: best_ext => c; exact: copied_gain_of.
  by case: best_cut => // c; rewrite copied_gain_of.
by rewrite /low /high; have [-> ->] := copied_sides (asks c) A; rewrite IH1 IH2.
Qed.

Lemma copied_tree J' : best_first (x \o h) v (r \o h) enough' J' = best_first x w r enough J'.
Proof.
rewrite /Grown.best_first -(preimsetT h); elim: J'.-1 (Leaf 0) => //= n IH t.
by rewrite copied_waiting; case: soonest => // -[k c]; rewrite IH.
Qed.

Lemma copied_leaf t A p : leaf_at (x \o h) t (h @^-1: A) p = h @^-1: leaf_at x t A p.
Proof.
elim: t A => //= q t1 IH1 t2 IH2 A; have [-> ->] := copied_sides q A.
by case: ifP => _; rewrite ?IH1 ?IH2.
Qed.
End Copies.

(* trees.permuted_rows, trees.permuted_rows.variant-one-feature: permuted rows: the same leaves, permuted *)
Theorem permuted_rows (I : finType) (s : {perm I}) (x : I -> point) (w r : I -> R) J p :
  let t := best_first x w r (@rows I) J in
  best_first (x \o s) (w \o s) (r \o s) (@rows I) J = t /\
  leaf_at (x \o s) (shape t) [set: I] p = s @^-1: leaf_at x (shape t) [set: I] p.
Proof.
move=> t; split; last by rewrite -[X in leaf_at _ _ X](preimsetT s) copied_leaf.
apply: copied_tree => [i|A].
  rewrite (big_pred1 ((s^-1)%g i)) /= ?permKV // => j.
  by rewrite /= -[i in LHS](permKV s) (inj_eq perm_inj).
by rewrite /rows -!card_gt0 on_card_preimset //; exact: onW_bij (Bijective (permK s) (permKV s)).
Qed.

(* what a tree predicts: the mean of the rows of the leaf *)
Definition predict (I : finType) (x : I -> point) (w r : I -> R) J p :=
  mean w r (leaf_at x (shape (best_first x w r (@rows I) J)) [set: I] p).

(* trees.duplicated_rows, trees.duplicated_rows.variant-one-feature: a row of weight w predicts as copies that share it out *)
Theorem duplicated_rows (I J : finType) (h : J -> I) (x : I -> point) (w r : I -> R) (v : J -> R) n_leaves p :
  (forall i, exists j, h j = i) -> (forall i, w i = \sum_(j | h j == i) v j) ->
  predict (x \o h) v (r \o h) n_leaves p = predict x w r n_leaves p.
Proof.
move=> onto shared; rewrite /predict (@copied_tree _ _ h x w r v (@rows I) _ shared) => [|A].
  by rewrite -[X in leaf_at _ _ X](preimsetT h) copied_leaf (copied_mean _ shared).
apply/set0Pn/set0Pn=> -[]; first by move=> j; rewrite inE; exists (h j).
by move=> i iA; have [j hj] := onto i; exists j; rewrite inE hj.
Qed.

(* all weights times k *)
Section Scaled.
Variables (I : finType) (x : I -> point) (w r : I -> R) (enough : pred {set I}) (k : R).
Hypothesis k0 : 0 < k.
Notation scaled := (fun i => k * w i).

Lemma scaled_weight A : weight scaled A = k * weight w A.
Proof. by rewrite /weight mulr_sumr. Qed.

Lemma scaled_mean A : mean scaled r A = mean w r A.
Proof.
rewrite /mean scaled_weight /total; under eq_bigr do rewrite -mulrA.
by rewrite -mulr_sumr -mulf_div divff ?mul1r // gt_eqF.
Qed.

Lemma scaled_gain_of A c : gain_of x scaled r enough A c = k * gain_of x w r enough A c.
Proof.
rewrite /gain_of; case: ifP => _; rewrite ?mulr0 //.
rewrite /split_gain !scaled_weight !scaled_mean -mulrDr [RHS]mulrCA; congr (_ * _).
set a := weight w _; set b := weight w _; have -> : k * a * (k * b) = k * (k * (a * b)) by ring.
by rewrite -mulf_div divff ?mul1r ?mulrA // gt_eqF.
Qed.

Lemma scaled_waiting t A :
  waiting B x scaled r enough t A = [seq (a.1, k * a.2) | a <- waiting B x w r enough t A].
Proof.
elim: t A => [n|c t1 IH1 t2 IH2] A /=; last by rewrite IH1 IH2 map_cat.
have -> : best_cut B x scaled r enough A = best_cut B x w r enough A.
  by rewrite /best_cut -[RHS](best_scale _ _ k0); apply: best_ext => c; exact: scaled_gain_of.
by case: best_cut => // c; rewrite scaled_gain_of.
Qed.

Lemma scaled_soonest (l : seq (nat * ('I_d * nat) * R)) : soonest [seq (a.1, k * a.2) | a <- l] = soonest l.
Proof.
elim: l => //= a l IH; rewrite IH has_map; congr (if _ then _ else _).
by apply: eq_has => b; rewrite /sooner /= ltr_pmul2l // (inj_eq (mulfI (lt0r_neq0 k0))).
Qed.

Lemma scaled_tree J : best_first x scaled r enough J = best_first x w r enough J.
Proof.
rewrite /Grown.best_first; elim: J.-1 (Leaf 0) => //= n IH t.
by rewrite scaled_waiting scaled_soonest; case: soonest => // -[c e]; rewrite IH.
Qed.
End Scaled.

(* trees.duplicated_rows.variant-twice: all rows m times, for any m above 0: the same tree and the same predictions *)
Theorem repeated_rows (I : finType) (x : I -> point) (w r : I -> R) m J p :
  let x' (j : I * 'I_m.+1) := x j.1 in let w' (j : I * 'I_m.+1) := w j.1 in let r' (j : I * 'I_m.+1) := r j.1 in
  best_first x' w' r' (@rows _) J = best_first x w r (@rows I) J /\ predict x' w' r' J p = predict x w r J p.
Proof.
move=> x' w' r'; pose k : R := m.+1%:R; have k0 : 0 < k by rewrite ltr0Sn.
have shared i : k * w i = \sum_(j | j.1 == i) w' j.
  transitivity (\sum_(i' | i' == i) \sum_(a < m.+1) w i').
    by rewrite big_pred1_eq sumr_const card_ord mulr_natl.
  by rewrite pair_big /=; apply: eq_bigl => j; rewrite andbT.
have onto (i : I) : exists j : I * 'I_m.+1, j.1 = i by exists (i, ord0).
split; last by rewrite (duplicated_rows x r J p onto shared) /predict scaled_tree // scaled_mean.
rewrite (copied_tree (enough := @rows I) x r shared) ?scaled_tree // => A.
by apply/set0Pn/set0Pn=> -[j jA]; [exists j.1; move: jA | exists (j, ord0)]; rewrite ?inE.
Qed.

(* the bin of a value where each value has its own: how many smaller values its feature has *)
Definition rank (I : finType) (D : realDomainType) (z : I -> 'I_d -> D) : I -> point :=
  fun i f => size (undup [seq z j f | j <- enum I & z j f < z i f]).

Lemma same_bins (I : finType) (x x' : I -> point) (w r : I -> R) enough J :
  x =2 x' -> best_first x w r enough J = best_first x' w r enough J.
Proof.
move=> E; have S c D : low x c D = low x' c D /\ high x c D = high x' c D.
  by split; apply/setP=> i; rewrite !inE /asks E.
have G c D : gain_of x w r enough D c = gain_of x' w r enough D c by rewrite /gain_of; have [-> ->] := S c D.
have W t D : waiting B x w r enough t D = waiting B x' w r enough t D.
  elim: t D => [k|c t1 IH1 t2 IH2] D /=; last by have [-> ->] := S c D; rewrite IH1 IH2.
  have -> : best_cut B x w r enough D = best_cut B x' w r enough D by apply: best_ext => c; exact: G.
  by case: best_cut => // c; rewrite G.
by rewrite /Grown.best_first; elim: J.-1 (Leaf 0) => //= n IH t; rewrite W; case: soonest => // -[k c]; rewrite IH.
Qed.

(* trees.monotone_transforms: rank bins: x and T(x) give the same bins and the same tree, T strictly increasing *)
Theorem monotone_transforms (I : finType) (D D' : realDomainType) (z : I -> 'I_d -> D) (T : 'I_d -> D -> D') (w r : I -> R) J :
  (forall f, {mono T f : a b / a <= b}) -> let Tz i f := T f (z i f) in
  rank Tz =2 rank z /\ best_first (rank Tz) w r (@rows I) J = best_first (rank z) w r (@rows I) J.
Proof.
move=> mT Tz; have E : rank Tz =2 rank z.
  move=> i f; rewrite /rank (eq_filter (fun j => leW_mono (mT f) (z j f) (z i f))).
  by rewrite (map_comp (T f)) (undup_map_inj (inc_inj (mT f))) size_map.
by split=> //; exact: same_bins.
Qed.
End SameTree.
