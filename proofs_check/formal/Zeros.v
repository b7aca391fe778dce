(* LambdaRank for ERR, the other direction: u documents of relevance 0 in front of v of relevance 1. The sum of what the
   exchanges of the wrong pairs add is v (H_u - u/(u+1)), and the error is u/(u+1). *)
From Refrank Require Import Rankings Bounds Err PairSums LambdaRank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Zeros.
Variables (R : realFieldType) (u v : nat).
Notation n := (u + v)%N.
Implicit Types (h : 'S_n) (i j l : 'I_n).

Definition zeros_in_front (i : 'I_n) : R := (u <= i)%N%:R.
Notation r := zeros_in_front.
Definition harmonic k : R := \sum_(i < k) beta R i.

Lemma front l : (l < u)%N -> r l = 0. Proof. by rewrite /r ltnNge => /negbTE ->. Qed.
Lemma behind l : (u <= l)%N -> r l = 1. Proof. by rewrite /r => ->. Qed.

(* the user stops at the first document of relevance 1 *)
Lemma err_first c h j : r j = 1 -> (forall l, (h l < h j)%N -> r l = 0) -> ERR c h r = c (h j).
Proof.
move=> rj before; rewrite ERRE (bigD1 j) //= [X in _ + X]big1 ?addr0 => [|l lj].
  by rewrite /stop /look rj mul1r big1 ?mulr1 // => l /before ->; rewrite subr0.
rewrite /stop; have [ul|/front ->] := leqP u l; last by rewrite mul0r mulr0.
have jl : (h j < h l)%N.
  rewrite ltn_neqAle leqNgt; apply/andP; split; last by apply/negP=> /before; rewrite behind // => /eqP; rewrite oner_eq0.
  by apply: contra lj => /eqP/val_inj/perm_inj ->.
by rewrite /look (bigD1 j) //= rj subrr !mul0r !mulr0.
Qed.

Hypothesis v0 : (0 < v)%N.

Lemma border : (u < n)%N.
Proof. by rewrite -{1}[u]addn0 ltn_add2l. Qed.

Lemma err_of_pi c : ERR c 1 r = c u.
Proof.
rewrite (@err_first _ _ (Ordinal border)) ?perm1 //; first by rewrite /r leqnn.
by move=> l; rewrite !perm1 /r /= ltnNge => /negbTE ->.
Qed.

Lemma err_of_best c g : sorts g r -> ERR c g r = c 0%N.
Proof.
move=> sg; have n0 : (0 < n)%N by exact: leq_ltn_trans border.
pose j := (g^-1)%g (Ordinal n0); have gj : g j = Ordinal n0 by rewrite permKV.
rewrite (@err_first _ _ j) ?gj //.
have := sg j (Ordinal border); rewrite gj /r /= leqnn => /(_ isT).
by case: (u <= j)%N; rewrite // ler10.
Qed.

Lemma err_of_exchange c i j : (i < u)%N -> (u <= j)%N -> ERR c (exchange 1 i j) r = c i.
Proof.
move=> iu uj; have E : exchange 1 i j j = i by rewrite /exchange permM tpermR perm1.
rewrite (@err_first _ _ j) ?E // => [|l]; first by rewrite /r uj.
rewrite /exchange permM perm1; case: tpermP => [->|->|_ _ li].
- by rewrite ltnNge (ltnW (leq_trans iu uj)).
- by rewrite ltnn.
by rewrite /r leqNgt (ltn_trans li iu).
Qed.

(* losses.lambdarank.variant-err-reverse-attained: the sum of the exchanges and the error, for any v > 0 *)
Theorem err_swaps_of_zeros g : sorts g r ->
  sum_of_swaps (fun h => ERR (beta R) h r) r = v%:R * (harmonic u - u%:R / u.+1%:R) /\
  ERR (beta R) g r - ERR (beta R) 1 r = u%:R / u.+1%:R.
Proof.
move=> sg; have u1 : u.+1%:R != 0 :> R by rewrite pnatr_eq0.
split; last first.
  rewrite err_of_pi (err_of_best _ sg) /beta invr1; apply: (mulIf u1).
  by rewrite mulrBl mul1r mulVf // divfK // mulrS addrC addKr.
rewrite /sum_of_swaps big_split_ord /= [X in _ + X]big1 ?addr0 => [|i _]; last first.
  have up : (u <= rshift u i)%N by rewrite /= leq_addr.
  by rewrite big1 // => j; rewrite /wrong (behind up) /r; case: (u <= j)%N; rewrite ?ltxx ?ltr10 andbF.
have -> : harmonic u - u%:R / u.+1%:R = \sum_(i < u) (beta R i - beta R u).
  by rewrite sumrB sumr_const card_ord mulr_natl.
rewrite mulr_sumr; apply: eq_bigr => i _.
have iu : (lshift v i < u)%N by rewrite /= ltn_ord.
rewrite big_mkcond big_split_ord /= [X in X + _]big1 ?add0r => [|j _]; last first.
  by rewrite /wrong (front iu) (@front (lshift v j)) ?ltxx ?andbF //=.
rewrite (eq_bigr (fun=> beta R i - beta R u)) => [|j _].
  by rewrite sumr_const card_ord -[_ *+ v]mulr_natl.
have uj : (u <= rshift u j)%N by rewrite /= leq_addr.
rewrite /wrong (front iu) (behind uj) ltr01 (leq_trans iu uj) /=.
by rewrite /adds err_of_exchange // err_of_pi.
Qed.
End Zeros.
