(* Trees of cuts, and least-squares boosting with them: the squared error falls by what the cuts gain, and a tree or a
   forest predicts within the range of the labels. A cut asks any question of a point; how trees are grown is left open. *)
From Refrank Require Import Fields Leaves.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Inductive tree (X : Type) := Stop | Cut of pred X & tree X & tree X.
Arguments Stop {X}.

Section Trees.
Variables (R : realFieldType) (I : finType) (X : Type) (x : I -> X) (w : I -> R).
Implicit Types (r y : I -> R) (A B : {set I}) (P Q : {set {set I}}) (q : pred X) (t : tree X) (p : X) (nu : R).

Definition left q A := [set i in A | q (x i)].
Definition right q A := [set i in A | ~~ q (x i)].

(* the leaves of a tree that is grown from the rows A, each with its rows *)
Fixpoint leaves t A : {set {set I}} :=
  if t is Cut q t1 t2 then leaves t1 (left q A) :|: leaves t2 (right q A) else [set A].

(* every leaf has rows *)
Fixpoint sound t A : bool := if t is Cut q t1 t2 then sound t1 (left q A) && sound t2 (right q A) else A != set0.

(* the sum of the split gains of the cuts *)
Fixpoint gains t A r : R :=
  if t is Cut q t1 t2 then split_gain w r (left q A) (right q A) + gains t1 (left q A) r + gains t2 (right q A) r
  else 0.

(* the rows of the leaf into which a point falls *)
Fixpoint leaf_at t A p : {set I} :=
  if t is Cut q t1 t2 then if q p then leaf_at t1 (left q A) p else leaf_at t2 (right q A) p else A.

Lemma sides q A : A = left q A :|: right q A.
Proof. by apply/setP=> i; rewrite !inE -andb_orr orbN andbT. Qed.

Lemma sides_apart q A : [disjoint left q A & right q A].
Proof. by rewrite -setI_eq0; apply/eqP/setP=> i; rewrite !inE; case: (q (x i)); rewrite ?andbF. Qed.

Lemma partition_union P Q A B : [disjoint A & B] -> partition P A -> partition Q B ->
  [disjoint P & Q] /\ partition (P :|: Q) (A :|: B).
Proof.
move=> dAB /and3P[/eqP cP tP nP] /and3P[/eqP cQ tQ nQ].
have apart S T : S \in P -> T \in Q -> [disjoint S & T].
  by move=> SP TQ; apply: disjointWl (disjointWr _ dAB); rewrite -?cP -?cQ;
    [exact: (bigcup_max S) | exact: (bigcup_max T)].
split.
  apply/pred0P=> S /=; apply/andP=> -[SP SQ]; case/negP: nP.
  by have := apart S S SP SQ; rewrite -setI_eq0 setIid => /eqP <-.
rewrite /partition /cover bigcup_setU -/(cover P) -/(cover Q) cP cQ eqxx inE negb_or nP nQ !andbT /=.
apply/trivIsetP=> S T; rewrite !inE => /orP[SP|SQ] /orP[TP|TQ] ST.
- exact: (trivIsetP tP).
- exact: apart.
- by rewrite disjoint_sym apart.
- exact: (trivIsetP tQ).
Qed.

Lemma leaves_partition t A : sound t A -> partition (leaves t A) A.
Proof.
elim: t A => [|q t1 IH1 t2 IH2] A /=.
  move=> A0; rewrite /partition /cover big_set1 eqxx inE eq_sym A0 andbT.
  by apply/trivIsetP=> S T /set1P-> /set1P->; rewrite eqxx.
by case/andP=> /IH1 p1 /IH2 p2; rewrite {3}(sides q A); case: (partition_union (sides_apart q A) p1 p2).
Qed.

Lemma sound_rows t A : sound t A -> A != set0.
Proof.
elim: t A => [|q t1 IH1 t2 IH2] A //= /andP[/IH1 /set0Pn[i]]; rewrite inE => /andP[iA _] _.
by apply/set0Pn; exists i.
Qed.

Lemma leaf_at_rows t A p : sound t A -> leaf_at t A p != set0.
Proof. by elim: t A => [|q t1 IH1 t2 IH2] A //= /andP[/IH1 ? /IH2 ?]; case: ifP. Qed.

(* a row of the training data falls into its own leaf *)
Lemma leaf_at_row t i : sound t [set: I] -> leaf_at t [set: I] (x i) = pblock (leaves t [set: I]) i.
Proof.
move=> st; have /and3P[_ tP _] := leaves_partition st.
suff /andP[L iL] : (leaf_at t [set: I] (x i) \in leaves t [set: I]) && (i \in leaf_at t [set: I] (x i)).
  by rewrite (def_pblock tP L iL).
move: (in_setT i); elim: t [set: I] {st tP} => [|q t1 IH1 t2 IH2] A iA /=; first by rewrite set11.
have [iq|iq] := boolP (q (x i)); rewrite inE.
  by have /IH1/andP[-> ->] : i \in left q A by rewrite inE iA.
by have /IH2/andP[-> ->] : i \in right q A; rewrite ?orbT // inE iA.
Qed.

Hypothesis w_gt0 : forall i, 0 < w i.

(* W1 m1^2 + W2 m2^2 = W m^2 + the gain of the cut *)
Lemma cut_gains r A B : A != set0 -> B != set0 -> [disjoint A & B] ->
  weight w A * mean w r A ^+ 2 + weight w B * mean w r B ^+ 2 =
  weight w (A :|: B) * mean w r (A :|: B) ^+ 2 + split_gain w r A B.
Proof.
move=> /(weight_gt0 w_gt0) a0 /(weight_gt0 w_gt0) b0 dAB.
by rewrite mean_union // weight_union // /split_gain; field; rewrite gt_eqF // addr_gt0.
Qed.

Lemma sum_of_gains t A r : sound t A ->
  \sum_(B in leaves t A) weight w B * mean w r B ^+ 2 = weight w A * mean w r A ^+ 2 + gains t A r.
Proof.
elim: t A => [|q t1 IH1 t2 IH2] A /=; first by rewrite big_set1 addr0.
case/andP=> s1 s2; have [d _] := partition_union (sides_apart q A) (leaves_partition s1) (leaves_partition s2).
have := cut_gains r (sound_rows s1) (sound_rows s2) (sides_apart q A); rewrite -sides => E.
by rewrite big_union // IH1 // IH2 // addrACA E !addrA.
Qed.

Lemma round_by_gains t nu r : sound t [set: I] -> \sum_i w i * r i = 0 ->
  sse w (after w nu (leaves t [set: I]) r) = sse w r - nu * (2%:R - nu) * gains t [set: I] r.
Proof.
move=> st r0; rewrite round_by_means ?leaves_partition // sum_of_gains //.
by rewrite /mean /total (eq_bigl _ _ (in_setT (T := I))) r0 mul0r expr0n mulr0 add0r.
Qed.

(* trees.ls_training_error.step3, trees.ls_training_error.variant-weights: SSE_m = SSE_{m-1} - nu (2 - nu) sum of split_gains *)
Theorem boosting_by_gains (t : nat -> tree X) nu y m : (forall k, sound (t k) [set: I]) ->
  let r := residual w nu (fun k => leaves (t k) [set: I]) y in
  sse w (r m.+1) = sse w (r m) - nu * (2%:R - nu) * gains (t m) [set: I] (r m).
Proof.
move=> st /=; apply: round_by_gains => //; apply: residuals_add_up_to_0 => // k.
exact: leaves_partition.
Qed.

(* trees.predictions_in_range, trees.predictions_in_range.variant-weights: min y <= tree(p) <= max y for every point p *)
Theorem tree_in_range t y lo hi p : sound t [set: I] -> (forall i, lo <= y i <= hi) ->
  lo <= mean w y (leaf_at t [set: I] p) <= hi.
Proof. by move=> st y_in; apply: mean_between => //; exact: leaf_at_rows. Qed.
End Trees.

(* trees.predictions_in_range.variant-forest: the statement for the mean of trees, each on rows that are drawn *)
Theorem forest_in_range (R : realFieldType) (I : finType) (X : Type) (x : I -> X) (y : I -> R) lo hi M n
  (draw : 'I_M.+1 -> 'I_n -> I) (t : 'I_M.+1 -> tree X) (p : X) :
  (forall i, lo <= y i <= hi) -> (forall k, sound (x \o draw k) (t k) [set: 'I_n]) ->
  lo <= (\sum_k mean (fun=> 1) (y \o draw k) (leaf_at (x \o draw k) (t k) [set: 'I_n] p)) / M.+1%:R <= hi.
Proof.
move=> y_in st; rewrite ler_pdivl_mulr ?ltr0Sn // ler_pdivr_mulr ?ltr0Sn //.
have copies (a : R) : a * M.+1%:R = \sum_(k < M.+1) a by rewrite sumr_const card_ord mulr_natr.
rewrite !copies.
have between k := tree_in_range (fun _ : 'I_n => ltr01 : 0 < 1 :> R) p (st k) (fun j => y_in (draw k j)).
by apply/andP; split; apply: ler_sum => k _; case/andP: (between k).
Qed.
