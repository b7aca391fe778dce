(* McRank App. I: the best cut of a node from the sums of its bins is the cut that takes most off the squared error, and no cut
   gains more with fewer bins. *)
From Refrank Require Import Fields Leaves Trees Grown.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Histograms.
Variables (R : realFieldType) (d B : nat) (I : finType) (x : I -> 'I_d -> nat) (w r : I -> R).
Notation cut := ('I_d * nat)%type.
Notation rows := (@rows I).
Implicit Types (A : {set I}) (c : cut) (f : 'I_d) (b : nat) (v : I -> R).

(* one pass over the rows: a sum for each bin of a feature; one pass over the bins: what is left of a cut *)
Definition histogram v A f b := \sum_(i in A | x i f == b) v i.
Definition up_to v A c := \sum_(b < c.2.+1) histogram v A c.1 b.

(* (S_l/n_l - S_r/n_r)^2 n_l n_r / n from these sums; a side without rows gains nothing *)
Definition histogram_gain A c :=
  let s := \sum_(i in A) w i * r i in let n := \sum_(i in A) w i in
  let s_l := up_to (fun i => w i * r i) A c in let n_l := up_to w A c in
  if (n_l == 0) || (n - n_l == 0) then 0
  else (s_l / n_l - (s - s_l) / (n - n_l)) ^+ 2 * (n_l * (n - n_l) / n).

(* by how much a cut lowers the sum of squared errors about the means *)
Definition reduction A c :=
  if rows (low x c A) && rows (high x c A) then error w r A - error w r (low x c A) - error w r (high x c A) else 0.

Hypothesis w_gt0 : forall i, 0 < w i.

Lemma up_to_low v A c : up_to v A c = \sum_(i in low x c A) v i.
Proof.
rewrite [RHS](partition_big (fun i => inord (x i c.1) : 'I_c.2.+1) xpredT) //=; apply: eq_bigr => b _.
apply: eq_bigl => i; rewrite !inE /asks -andbA; case: (i \in A) => //=.
apply/eqP/andP=> [E|[le /eqP <-]]; last by rewrite inordK.
by rewrite E -ltnS ltn_ord; split=> //; apply/eqP/val_inj; rewrite /= inordK.
Qed.

Lemma rows_weight A : rows A = (weight w A != 0).
Proof.
have [->|A0] := eqVneq A set0; first by rewrite /Grown.rows /weight big_set0 !eqxx.
by rewrite /Grown.rows A0 gt_eqF // weight_gt0.
Qed.

Lemma sides_sum v A c : \sum_(i in A) v i - \sum_(i in low x c A) v i = \sum_(i in high x c A) v i.
Proof. by rewrite {1}(sides x (asks c) A) big_union ?sides_apart // addrC addKr. Qed.

Lemma histogram_split A c : histogram_gain A c = gain_of x w r rows A c.
Proof.
rewrite /histogram_gain /gain_of !up_to_low !sides_sum !rows_weight -negb_or.
rewrite -!/(weight w _); case: (_ || _) => //=.
rewrite /split_gain /mean /total; congr (_ * (_ / _)).
by rewrite {3}/weight -sides_sum addrC subrK.
Qed.

Lemma reduction_split A c : reduction A c = gain_of x w r rows A c.
Proof.
rewrite /reduction /gain_of; case: ifP => // /andP[l h].
by rewrite {1}(sides x (asks c) A) reduction_is_split_gain // sides_apart.
Qed.

(* trees.histogram_is_exact_split, trees.histogram_is_exact_split.variant-one-feature: the cut from the histogram is the exact one *)
Theorem histogram_is_exact A : best (histogram_gain A) (places d B) = best (reduction A) (places d B).
Proof. by apply: best_ext => c; rewrite histogram_split reduction_split. Qed.

(* trees.histogram_is_exact_split.variant-two-bins: no cut gains more with fewer bins: each that gains is a cut with all bins *)
Theorem fewer_bins_gain_no_more (g : 'I_d -> nat -> nat) A c :
  (forall f, {homo g f : a b / (a <= b)%N}) -> (forall i f, (x i f < B)%N) ->
  let x' := fun i f => g f (x i f) in 0 < gain_of x' w r rows A c ->
  exists2 b, (b < B)%N & gain_of x' w r rows A c = gain_of x w r rows A (c.1, b).
Proof.
move=> mono in_B x'; rewrite {1}/gain_of; case: ifP => [/andP[]|_]; last by rewrite ltxx.
rewrite /Grown.rows -card_gt0 => l _ _; have [i0 i0l top] := eq_bigmax_cond (fun i => x i c.1) l.
exists (x i0 c.1) => //; have E i : (x' i c.1 <= c.2)%N && (i \in A) = (x i c.1 <= x i0 c.1)%N && (i \in A).
  case iA: (i \in A); rewrite ?andbF ?andbT //; apply/idP/idP => [le|le].
    by rewrite -top leq_bigmax_cond // inE iA.
  by apply: leq_trans (mono _ _ _ le) _; move: i0l; rewrite inE => /andP[].
have L : low x (c.1, x i0 c.1) A = low x' c A by apply/setP=> i; rewrite !inE /asks andbC -E andbC.
rewrite /gain_of L; suff -> : high x (c.1, x i0 c.1) A = high x' c A by [].
apply/setP=> i; have := E i; rewrite !inE /asks /=; case: (i \in A) => //=; rewrite !andbT => ->.
by [].
Qed.
End Histograms.
