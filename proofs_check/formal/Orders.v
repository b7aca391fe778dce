(* Best first and depth first: the cut of a node depends on its rows alone, so both make the same tree if no limit stops them,
   and a tree with more leaves continues one with fewer. *)
From Refrank Require Import Fields Leaves Trees Grown.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Numbers.
Variable d : nat.
Notation cut := ('I_d * nat)%type.
Implicit Types (t : numbered cut) (k next : nat) (c : cut).

Fixpoint numbers t : seq nat := match t with Leaf k => [:: k] | Node _ t1 t2 => numbers t1 ++ numbers t2 end.

Lemma numbers_size t : size (numbers t) = n_leaves t.
Proof. by elim: t => //= c t1 <- t2 <-; rewrite size_cat. Qed.

Lemma replace_none k next c t : k \notin numbers t -> replace k next c t = t.
Proof.
elim: t => [j|a t1 IH1 t2 IH2] /=; first by rewrite inE eq_sym => /negbTE ->.
by rewrite mem_cat negb_or => /andP[/IH1 -> /IH2 ->].
Qed.

Lemma replace_numbers k next c t : uniq (numbers t) -> k \in numbers t ->
  perm_eq (k :: numbers (replace k next c t)) ([:: next; next.+1] ++ numbers t).
Proof.
elim: t => [j|a t1 IH1 t2 IH2] /=.
  by rewrite inE eq_sym => _ /eqP->; rewrite eqxx /= -[[:: _; _; _]]/([:: _] ++ [:: next; next.+1]) perm_catC.
rewrite cat_uniq mem_cat => /and3P[u1 /hasPn apart u2]; case: (boolP (k \in numbers t1)) => [k1 _|k1 /= k2].
  rewrite [replace _ _ _ t2]replace_none; last by apply: contraL k1 => /apart.
  by rewrite -!cat_cons perm_cat2r; exact: IH1.
rewrite (replace_none _ _ k1) -[k :: _]cat1s perm_catCA perm_sym -[[:: _, _ & _]]/([:: next; next.+1] ++ _).
by rewrite perm_catCA perm_cat2l perm_sym; exact: IH2.
Qed.

(* the leaves have different numbers, below that of the next node *)
Definition well_numbered t := uniq (numbers t) && all (ltn^~ (2 * n_leaves t).-1) (numbers t).

Lemma replace_leaves k next c t : uniq (numbers t) -> k \in numbers t -> n_leaves (replace k next c t) = (n_leaves t).+1.
Proof. by move=> u kt; have /perm_size[] := replace_numbers next c u kt; rewrite /= !numbers_size. Qed.

Lemma replace_well_numbered k c t : well_numbered t -> k \in numbers t -> well_numbered (replace k (2 * n_leaves t).-1 c t).
Proof.
case/andP=> u /allP below kt; set next := (2 * n_leaves t).-1.
have p := replace_numbers next c u kt; have top : (2 * (n_leaves t).+1).-1 = next.+2.
  by rewrite /next; have := below k kt; case: (n_leaves t) => // j _; rewrite !mulnS.
have fresh j : j \in numbers t -> (j < next)%N by exact: below.
have : uniq ([:: next; next.+1] ++ numbers t).
  rewrite /= u !inE negb_or andbT -andbA; apply/and3P; split.
  - by rewrite neq_ltn ltnSn.
  - by apply/negP=> /fresh; rewrite ltnn.
  - by apply/negP=> /fresh; rewrite ltnNge leqnSn.
rewrite -(perm_uniq p) cons_uniq => /andP[_ u']; rewrite /well_numbered u' replace_leaves // top.
apply/allP=> j jt; have : j \in [:: next; next.+1] ++ numbers t by rewrite -(perm_mem p) inE jt orbT.
rewrite !inE => /or3P[/eqP->|/eqP->|/fresh jn]; [exact: leqnSn|exact: leqnn|].
by apply: ltn_trans jn _; rewrite ltnS leqnSn.
Qed.
End Numbers.

Section Orders.
Variables (R : realFieldType) (d B : nat) (I : finType) (x : I -> 'I_d -> nat) (w r : I -> R) (enough : pred {set I}).
Hypothesis has_rows : ~~ enough set0.
Notation cut := ('I_d * nat)%type.
Notation waiting := (waiting B x w r enough).
Notation best_cut := (best_cut B x w r enough).
Implicit Types (t : numbered cut) (A : {set I}) (c : cut).

(* every cut of t is the best cut of its node *)
Fixpoint cuts_best t A : bool :=
  if t is Node c t1 t2 then [&& best_cut A == Some c, cuts_best t1 (low x c A) & cuts_best t2 (high x c A)] else true.

Lemma cut_sides A c : best_cut A = Some c ->
  [/\ low x c A != set0, high x c A != set0 & (#|low x c A| + #|high x c A| = #|A|)%N].
Proof.
move=> E; have := best_gains E; rewrite /gain_of; case: ifP => [/andP[l h] _|]; last by rewrite ltxx.
split; try by apply: contraNneq has_rows => <-.
by rewrite -cardsUI -sides (disjoint_setI0 (sides_apart _ _ _)) cards0 addn0.
Qed.

Lemma soonest_some (l : seq (nat * cut * R)) : if soonest l is Some a then exists2 b, b \in l & b.1 = a else l = [::].
Proof.
elim: l => //= a l; case: ifP => [some|_ _]; last by exists a; rewrite ?mem_head.
by case: soonest => [b [e el E]|E]; [exists e; rewrite ?inE ?el ?orbT | rewrite E in some].
Qed.

Lemma waiting_number t A b : b \in waiting t A -> b.1.1 \in numbers t.
Proof.
elim: t A => [k|c t1 IH1 t2 IH2] A /=; first by case: best_cut => // c; rewrite inE => /eqP->; rewrite mem_head.
by rewrite !mem_cat => /orP[/IH1|/IH2] ->; rewrite ?orbT.
Qed.

Lemma replace_best t A b next : uniq (numbers t) -> cuts_best t A -> b \in waiting t A ->
  cuts_best (replace b.1.1 next b.1.2 t) A.
Proof.
elim: t A => [k|c t1 IH1 t2 IH2] A /=.
  by case E: best_cut => [c|] //; rewrite inE => _ _ /eqP->; rewrite eqxx /= E eqxx.
rewrite cat_uniq mem_cat => /and3P[u1 /hasPn apart u2] /and3P[-> b1 b2] /orP[] wait.
  rewrite IH1 //= replace_none //; apply: contraL (waiting_number wait) => /apart //.
by rewrite [replace _ _ _ t1]replace_none ?b1 ?IH2 // apart // (waiting_number wait).
Qed.

Lemma leaves_at_most_rows t A : cuts_best t A -> A != set0 -> (n_leaves t <= #|A|)%N.
Proof.
elim: t A => [k|c t1 IH1 t2 IH2] A /=; first by rewrite card_gt0.
case/and3P=> /eqP/cut_sides[l h <-] b1 b2 _; exact: leq_add (IH1 _ b1 l) (IH2 _ b2 h).
Qed.

(* a tree in which no leaf waits is the tree that depth first makes *)
Lemma finished t A depth : cuts_best t A -> waiting t A = [::] -> (#|A| <= depth)%N -> shape t = deep B x w r enough depth A.
Proof.
elim: t A depth => [k|c t1 IH1 t2 IH2] A depth /=.
  by case: depth => [|depth] /=; case: best_cut.
case/and3P=> /eqP E b1 b2 /(congr1 size) /eqP; rewrite size_cat addn_eq0 !size_eq0 => /andP[/eqP w1 /eqP w2].
have [l h <-] := cut_sides E; rewrite -!card_gt0 in l h; case: depth => [|depth] le_A.
  by move: le_A; rewrite leqNgt addn_gt0 l.
rewrite /= E (IH1 _ depth b1 w1) ?(IH2 _ depth b2 w2) // -ltnS.
  by apply: leq_trans le_A; rewrite -add1n leq_add2r.
by apply: leq_trans le_A; rewrite -addn1 leq_add2l.
Qed.

(* growth stops where no leaf waits, or after as many cuts as it may make *)
Lemma grown cuts t A : well_numbered t -> cuts_best t A ->
  let t' := grow B x w r enough cuts t A in
  [/\ well_numbered t', cuts_best t' A & waiting t' A = [::] \/ n_leaves t' = (n_leaves t + cuts)%N].
Proof.
elim: cuts t => [|cuts IH] t /= nt bt; first by rewrite addn0; split=> //; right.
have := soonest_some (waiting t A); case: soonest => [[k c] [b bl E]|none]; last by split=> //; left.
have /andP[u _] := nt; have kt := waiting_number bl; have [<- <-] : b.1.1 = k /\ b.1.2 = c by rewrite E.
rewrite addnS -addSn -(replace_leaves (2 * n_leaves t).-1 b.1.2 u kt).
by apply: IH; [exact: replace_well_numbered | exact: replace_best].
Qed.

(* trees.best_first_is_depth_first, trees.best_first_is_depth_first.variant-min-samples-leaf: J = n and no limit of depth: the
   same tree, up to numbering *)
Theorem best_first_is_depth_first J depth : [set: I] != set0 -> (#|I| <= J)%N -> (#|I| <= depth)%N ->
  shape (best_first B x w r enough J) = deep B x w r enough depth [set: I].
Proof.
move=> I0 nJ nd; have rows : (0 < #|I|)%N by rewrite -cardsT card_gt0.
have [nt bt full] := grown J.-1 (t := Leaf 0) (A := [set: I]) isT isT; apply: finished; rewrite ?cardsT //.
case: full => // leaves; case E: (waiting _ _) => [//|b l]; have bl : b \in waiting (best_first B x w r enough J) [set: I].
  by rewrite E mem_head.
have /andP[u _] := nt; have := leaves_at_most_rows (replace_best 0 u bt bl) I0.
rewrite replace_leaves ?(waiting_number bl) // leaves cardsT add1n prednK ?(leq_trans rows) //.
by rewrite ltnNge nJ.
Qed.

Lemma grow_more a b t A : grow B x w r enough (a + b) t A = grow B x w r enough b (grow B x w r enough a t A) A.
Proof.
elim: a t => //= a IH t; case E: soonest => [[k c]|]; first exact: IH.
by case: b {IH} => //= b; rewrite E.
Qed.

(* trees.best_first_is_depth_first.variant-prefix: a larger tree begins with the J - 1 cuts of the tree with J leaves *)
Theorem larger_tree_continues J more : (0 < J)%N ->
  best_first B x w r enough (J + more) = grow B x w r enough more (best_first B x w r enough J) [set: I].
Proof. by case: J => // J _; rewrite /best_first addSn; exact: grow_more. Qed.
End Orders.
