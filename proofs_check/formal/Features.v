(* The order of features: of cuts that gain the same, the one on the first feature is made. A candidate of a node is the first
   best cut of a feature whose best cut gains the most of all features. *)
From Refrank Require Import Fields Leaves Trees Grown Orders.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Best.
Variables (R : realFieldType) (C : eqType) (g : C -> R).
Implicit Types (l : seq C) (o : option C) (c : C).

(* the first of two bests *)
Definition either o o' := if o is Some a then if o' is Some b then if g a < g b then o' else o else o else o'.

Lemma best_from o l : (forall a, o = Some a -> 0 < g a) -> foldl (better g) o l = either o (best g l).
Proof.
elim: l o => [|c l IH] o pos /=; first by case: o {pos}.
have pos' o' : (forall a, o' = Some a -> 0 < g a) -> forall a, better g o' c = Some a -> 0 < g a.
  move=> p a; rewrite /better; case: ifP => [gc [<-]|_]; last exact: p.
  by case: o' p gc => [u|] // p; apply: lt_trans; exact: p.
rewrite /best /= !IH; [|exact: pos'..]; rewrite -/(best g l).
case: o pos {pos'} => [a|] pos; last by case: (better g None c).
have a0 := pos a erefl; rewrite /better; have [c0|c0] := ltP 0 (g c); last first.
  by rewrite ltNge (le_trans c0 (ltW a0)) /=.
have [ac|ca] := ltP (g a) (g c); case: (best g l) => [z|] /=.
- by have [cz|zc] := ltP (g c) (g z); rewrite ?(lt_trans ac cz) ?ac.
- by rewrite ac.
- by have [cz|zc] := ltP (g c) (g z); rewrite // !ltNge ca (le_trans zc ca).
- by rewrite ltNge ca.
Qed.

Lemma best_cons c l : best g (c :: l) = either (better g None c) (best g l).
Proof. by rewrite {1}/best /= best_from // => a; rewrite /better; case: ifP => // c0 [<-]. Qed.

Lemma best_cat l1 l2 : best g (l1 ++ l2) = either (best g l1) (best g l2).
Proof. by rewrite {1}/best foldl_cat best_from // => a; exact: best_gains. Qed.

(* it gains at least as much as any *)
Lemma best_most l a : a \in l -> g a <= if best g l is Some c then g c else 0.
Proof.
elim: l => //= c l IH; rewrite inE best_cons /better => /orP[/eqP->|/IH].
  have [c0|c0] := ltP 0 (g c); first by case: (best g l) => [z|] //=; case: ltP => [/ltW|].
  by case E: (best g l) => [z|] //=; exact: le_trans c0 (ltW (best_gains E)).
have [c0|c0] := ltP 0 (g c) => //; case: (best g l) => [z|] le /=; last exact: le_trans le (ltW c0).
by case: ltP => // zc; exact: le_trans le zc.
Qed.

Lemma best_in l c : best g l = Some c -> c \in l.
Proof.
elim: l c => //= a l IH c; rewrite best_cons /better inE.
case: ltP => _ /=; last by move=> /IH ->; rewrite orbT.
by case: (best g l) IH => [z|] IH; [case: ltP => _ [<-]; rewrite ?eqxx // IH ?orbT | case=> <-; rewrite eqxx].
Qed.
End Best.

Lemma best_map (R : realFieldType) (C C' : eqType) (g : C' -> R) (h : C -> C') l :
  best g (map h l) = omap h (best (g \o h) l).
Proof.
elim: l => //= c l IH; rewrite !best_cons IH /better /=.
by case: (best _ l) => [z|] /=; case: ltP => //= _; case: ltP.
Qed.

Section Features.
Variables (R : realFieldType) (d B : nat) (I : finType) (w r : I -> R) (enough : pred {set I}).
Notation point := ('I_d -> nat).
Notation cut := ('I_d * nat)%type.
Implicit Types (x : I -> point) (A : {set I}) (c : cut) (f : 'I_d) (s : {perm 'I_d}).
Notation gain_of x := (gain_of x w r enough).
Notation best_cut x := (best_cut B x w r enough).

Definition best_of x A f := best (gain_of x A) [seq (f, b) | b <- iota 0 B].

(* c is the candidate of its feature *)
Definition candidate x A c := best_of x A c.1 = Some c /\ forall f b, (b < B)%N -> gain_of x A (f, b) <= gain_of x A c.

(* the parts into which a cut divides the rows of a node *)
Definition parts x A c : {set {set I}} := [set low x c A; high x c A].
Definition alike x A := forall c c', candidate x A c -> candidate x A c' -> parts x A c = parts x A c'.

Lemma best_cut_candidate x A c : best_cut x A = Some c -> candidate x A c.
Proof.
move=> E; split=> [|f b bB]; last first.
  have := best_most (gain_of x A) (l := places d B) (a := (f, b)); rewrite -/(best_cut x A) E; apply.
  by apply: allpairs_f; rewrite ?mem_enum ?mem_iota.
move: E; rewrite /Grown.best_cut /places; elim: (enum 'I_d) => //= f l IH.
rewrite best_cat -/(best_of x A f); case E: (best_of x A f) => [a|] //=.
have /mapP[b _ ab] := best_in E; have Ea : best_of x A a.1 = Some a by rewrite ab in E *.
by case: (best _ _) IH => [z|] IH; [case: ltP => _; [exact: IH | case=> <-] | case=> <-].
Qed.

Lemma best_cut_none x A f b : best_cut x A = None -> (b < B)%N -> gain_of x A (f, b) <= 0.
Proof.
move=> E bB; have := best_most (gain_of x A) (l := places d B) (a := (f, b)); rewrite -/(best_cut x A) E; apply.
by apply: allpairs_f; rewrite ?mem_enum ?mem_iota.
Qed.

Lemma candidate_gains x A c : candidate x A c -> 0 < gain_of x A c /\ (c.2 < B)%N.
Proof. by case=> E _; split; [exact: best_gains E | have /mapP[b] := best_in E; rewrite mem_iota => bB ->]. Qed.

(* the same data with the features in another order, and a cut of them as a cut of x *)
Definition reordered s x : I -> point := fun i f => x i (s f).
Definition back s c : cut := (s c.1, c.2).

Lemma best_of_back s x A f : best_of x A (s f) = omap (back s) (best_of (reordered s x) A f).
Proof. by rewrite /best_of -(best_map (gain_of x A) (back s)) -map_comp. Qed.

Lemma candidate_back s x A c : candidate (reordered s x) A c -> candidate x A (back s c).
Proof.
case=> E most; split; first by rewrite best_of_back E.
by move=> f b bB; have := most ((s^-1)%g f) b bB; rewrite -{2}(permKV s f).
Qed.

(* if all candidates are alike, every order makes a cut into the same parts, or none *)
Lemma same_parts s x A : alike x A ->
  match best_cut x A, best_cut (reordered s x) A with
  | Some c, Some c' => parts (reordered s x) A c' = parts x A c
  | None, None => True
  | _, _ => False
  end.
Proof.
move=> al; case E: (best_cut x A) => [c|]; case E': (best_cut (reordered s x) A) => [c'|] //.
- exact: al (candidate_back (best_cut_candidate E')) (best_cut_candidate E).
- have [g0 cB] := candidate_gains (best_cut_candidate E).
  have := best_cut_none ((s^-1)%g c.1) E' cB; rewrite leNgt; case/negP.
  by rewrite (_ : gain_of _ _ _ = gain_of x A (s (s^-1 c.1)%g, c.2)) // permKV -surjective_pairing.
have [g0 cB] := candidate_gains (candidate_back (best_cut_candidate E')).
by have := best_cut_none (back s c').1 E cB; rewrite leNgt -surjective_pairing g0.
Qed.

Definition two_leaves x := leaves x (shape (best_first B x w r enough 2)) [set: I].

Lemma two_leavesE x : two_leaves x = if best_cut x [set: I] is Some c then parts x [set: I] c else [set [set: I]].
Proof. by rewrite /two_leaves /best_first /=; case: (Grown.best_cut _ _ _ _ _ _). Qed.

(* a candidate is made if its feature comes first *)
Lemma candidate_first x A c : candidate x A c -> exists s, exists2 c', best_cut (reordered s x) A = Some c' & back s c' = c.
Proof.
move=> cc; have [E most] := cc; have [_ cB] := candidate_gains cc.
have : c.1 \in enum 'I_d by rewrite mem_enum.
case F: (enum 'I_d) => [//|f0 l] _; pose s := tperm f0 c.1; exists s.
have := best_of_back s x A f0; rewrite tpermL E; case E0: (best_of _ A f0) => [c'|] //= [cc'].
exists c'; rewrite // /Grown.best_cut /places F /= best_cat -/(best_of _ A f0) E0 /=.
case E1: (best _ _) => [z|] //=; rewrite ltNge.
have /allpairsP[[f b] [_ bB ->]] := best_in E1; rewrite mem_iota in bB.
by rewrite -[gain_of (reordered s x) A c']/(gain_of x A (back s c')) -cc' most.
Qed.

(* trees.permuted_features.variant-one-cut, trees.permuted_features.variant-one-cut-three-labels: one cut: the same leaves under
   every order of the features if and only if all candidates separate the rows in the same way *)
Theorem one_cut_keeps_leaves x : alike x [set: I] <-> forall s, two_leaves (reordered s x) = two_leaves x.
Proof.
split=> [al s|same c c' /candidate_first[s [a E <-]] /candidate_first[s' [a' E' <-]]].
  by rewrite !two_leavesE; have := same_parts s al; case: (Grown.best_cut _ _ _ _ _ _) => [c|]; case: (Grown.best_cut _ _ _ _ _ _).
have := same s; rewrite -(same s') !two_leavesE E E'; exact.
Qed.

(* at every node of the whole tree all candidates are alike *)
Fixpoint alike_below x depth A : Prop := alike x A /\
  if depth is less.+1 then
    if best_cut x A is Some c then alike_below x less (low x c A) /\ alike_below x less (high x c A) else True
  else True.

Lemma same_sides x x' A c c' : parts x' A c' = parts x A c ->
  low x' c' A = low x c A /\ high x' c' A = high x c A \/ low x' c' A = high x c A /\ high x' c' A = low x c A.
Proof.
have H y a : high y a A = A :\: low y a A by apply/setP=> i; rewrite !inE; case: (i \in A); rewrite ?andbT ?andbF.
move=> E; have : low x' c' A \in parts x A c by rewrite -E set21.
rewrite !inE => /orP[]/eqP L; [left | right]; split=> //; rewrite !H L //.
by rewrite H; apply/setP=> i; rewrite !inE; case: (i \in A); rewrite ?andbF // !andbT negbK.
Qed.

Lemma deep_keeps_leaves s x depth A : alike_below x depth A ->
  leaves (reordered s x) (deep B (reordered s x) w r enough depth A) A = leaves x (deep B x w r enough depth A) A.
Proof.
elim: depth A => //= depth IH A [/(same_parts s)]; case: (Grown.best_cut _ _ _ _ _ _) => [c|]; case: (Grown.best_cut _ _ _ _ _ _) => [c'|] //= E [a1 a2].
by case: (same_sides E); rewrite /low /high => -[-> ->]; rewrite !IH // setUC.
Qed.

(* trees.permuted_features.variant-no-ties: all candidates of all nodes separate in the same way, no limit J: the same leaves *)
Theorem no_ties_keep_leaves s x : ~~ enough set0 -> [set: I] != set0 -> alike_below x #|I| [set: I] ->
  let leaves_of x := leaves x (shape (best_first B x w r enough #|I|)) [set: I] in leaves_of (reordered s x) = leaves_of x.
Proof.
move=> e0 I0 al /=; rewrite !(best_first_is_depth_first _ _ _ _ e0 I0 (leqnn _) (leqnn _)).
exact: deep_keeps_leaves.
Qed.
End Features.
