(* COCR's three costs of the grade k for a document of grade y, c[k] = |y - k|, (y - k)^2 and (2^y - 2^k)^2: their shape,
   and the weights |c[k] - c[k-1]| that they give to the questions "is the grade k or higher?", k = 1..K. *)
From Refrank Require Import Fields.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Costs.
Variable R : realFieldType.
Implicit Types (c : nat -> R) (y k K : nat).

(* COCR Eq. 5 *)
Definition weight c k : R := `|c k - c k.-1|.

(* c[0..K] falls up to y, and rises from there *)
Definition v_shaped K c y := forall k, (k < K)%N -> if (k < y)%N then c k.+1 <= c k else c k <= c k.+1.
Definition convex K c := forall k, (k.+1 < K)%N -> c k.+1 - c k <= c k.+2 - c k.+1.

Lemma absolute_step y k : absolute y k.+1 = absolute y k + (if (k < y)%N then -1 else 1) :> R.
Proof.
rewrite !absoluteE; case: ltnP => [ky|yk].
  have [ky' yk'] : k%:R <= y%:R :> R /\ k.+1%:R <= y%:R :> R by rewrite !ler_nat ltnW.
  by rewrite !ger0_norm ?subr_ge0 // [k.+1%:R]mulrSr; ring.
have [yk' ky'] : y%:R <= k%:R :> R /\ y%:R <= k.+1%:R :> R by rewrite !ler_nat leqW.
by rewrite !ler0_norm ?subr_le0 // [k.+1%:R]mulrSr; ring.
Qed.

Lemma squared_step y k : squared y k.+1 = squared y k - (2%:R * (y%:R - k.+1%:R) + 1) :> R.
Proof. by rewrite !squaredE [k.+1%:R]mulrS; ring. Qed.

Lemma oerr_step y k : oerr y k.+1 = oerr y k - 2%:R ^+ k * (2%:R ^+ y.+1 - 3%:R * 2%:R ^+ k) :> R.
Proof. by rewrite !oerrE !exprS; ring. Qed.

(* cocr.oerr.variant-v-shaped: each of the three costs is larger when k is further away from y *)
Theorem costs_v_shaped y k : if (k < y)%N
  then [/\ absolute y k.+1 < absolute y k :> R, squared y k.+1 < squared y k :> R & oerr y k.+1 < oerr y k :> R]
  else [/\ absolute y k < absolute y k.+1 :> R, squared y k < squared y k.+1 :> R & oerr y k < oerr y k.+1 :> R].
Proof.
have p0 : 0 < 2%:R ^+ k :> R by rewrite exprn_gt0 ?ltr0n.
rewrite absolute_step squared_step oerr_step; case: ltnP => [ky|yk].
  rewrite !ltr_subl_addr !ltr_addl; split; first exact: ltr01.
    by rewrite ltr_paddl ?ltr01 // mulr_ge0 ?ler0n // subr_ge0 ler_nat.
  rewrite pmulr_rgt0 // subr_gt0 (@lt_le_trans _ _ (4%:R * 2%:R ^+ k)) ?ltr_pmul2r ?ltr_nat //.
  by rewrite (_ : 4%:R * _ = 2%:R ^+ k.+2) ?ler_eexpn2l ?ltr1n // !exprS; ring.
rewrite ltr_addl ltr01 !ltr_subr_addr !gtr_addl; split=> //.
  rewrite [k.+1%:R]mulrSr (_ : _ + 1 = 2%:R * (y%:R - k%:R) - 1); last by ring.
  by rewrite subr_lt0 (le_lt_trans _ ltr01) // pmulr_rle0 ?ltr0n // subr_le0 ler_nat.
rewrite pmulr_rlt0 // subr_lt0 exprS (@le_lt_trans _ _ (2%:R * 2%:R ^+ k)) ?ltr_pmul2r ?ltr_nat //.
by rewrite ler_pmul2l ?ltr0n // ler_eexpn2l ?ltr1n.
Qed.

(* cocr.costs.variant-absolute: the weights of the absolute cost are 1 *)
Theorem absolute_weights y k : weight (absolute y) k.+1 = 1.
Proof. by rewrite /weight absolute_step addrC addKr; case: ifP => _; rewrite ?normrN normr1. Qed.

(* cocr.costs.variant-squared: the weights of the squared cost *)
Theorem squared_weights y k : weight (squared y) k.+1 = `|2%:R * (y%:R - k.+1%:R) + 1|.
Proof. by rewrite /weight squared_step addrC addKr normrN. Qed.

(* cocr.costs.variant-oerr: the weights of the oERR cost *)
Theorem oerr_weights y k : weight (oerr y) k.+1 = 2%:R ^+ k * `|2%:R ^+ y.+1 - 3%:R * 2%:R ^+ k|.
Proof. by rewrite /weight oerr_step addrC addKr normrN normrM ger0_norm // exprn_ge0 ?ler0n. Qed.

(* cocr.oerr.variant-convex-absolute-squared: the steps of the absolute and of the squared cost do not fall *)
Theorem absolute_squared_convex K y : convex K (absolute y) /\ convex K (squared y).
Proof.
split=> k _.
  rewrite !absolute_step [X in X <= _]addrC addKr [X in _ <= X]addrC addKr.
  by case: (ltnP k.+1 y) => [/ltnW->//|_]; case: ifP => _ //; rewrite (le_trans (lerN10 _)) ?ler01.
rewrite !squared_step [X in X <= _]addrC addKr [X in _ <= X]addrC addKr ler_opp2 ler_add2r.
by rewrite ler_pmul2l ?ltr0n // ler_add2l ler_opp2 ler_nat.
Qed.

(* cocr.oerr.variant-example: the vectors that the paper prints for y = 3, K = 4 *)
Theorem printed_vectors :
  [/\ [seq absolute 3 k | k <- iota 0 5] = [:: 3%:R; 2%:R; 1; 0; 1] :> seq R,
      [seq squared 3 k | k <- iota 0 5] = [:: 9%:R; 4%:R; 1; 0; 1] :> seq R &
      [seq oerr 3 k | k <- iota 0 5] = [:: 49%:R; 36%:R; 16%:R; 0; 64%:R] :> seq R].
Proof.
by split; rewrite /= /Metrics.absolute /Metrics.squared /Metrics.oerr /= /Metrics.two; congr [:: _; _; _; _; _]; ring.
Qed.

Lemma weights_between K c y k : v_shaped K c y -> (y <= K)%N -> (k <= K)%N ->
  \sum_(minn y k <= j < maxn y k) weight c j.+1 = c k - c y.
Proof.
move=> vc yK kK; case: (leqP y k) => [yk|/ltnW ky].
  rewrite -telescope_sumr // !big_nat; apply: eq_bigr => j /andP[yj jk].
  by have := vc j (leq_trans jk kK); rewrite ltnNge yj /= /weight => up; rewrite ger0_norm ?subr_ge0.
rewrite -opprB -telescope_sumr // -sumrN !big_nat; apply: eq_bigr => j /andP[kj jy].
by have := vc j (leq_trans jy yK); rewrite jy /weight => down; rewrite ler0_norm ?subr_le0.
Qed.

Lemma v_shapes K y : [/\ v_shaped K (absolute y) y, v_shaped K (squared y) y & v_shaped K (oerr y) y].
Proof. by split=> k _; have := costs_v_shaped y k; case: ifP => _ [] ? ? ?; exact: ltW. Qed.

Lemma costs_right y : [/\ absolute y y = 0 :> R, squared y y = 0 :> R & oerr y y = 0 :> R].
Proof. by rewrite absoluteE squaredE oerrE !subrr normr0 expr0n. Qed.

(* cocr.costs: the weights between y and k add up to the cost of k *)
Theorem costs_from_weights y k :
  [/\ \sum_(minn y k <= j < maxn y k) weight (absolute y) j.+1 = absolute y k,
      \sum_(minn y k <= j < maxn y k) weight (squared y) j.+1 = squared y k &
      \sum_(minn y k <= j < maxn y k) weight (oerr y) j.+1 = oerr y k].
Proof.
have [va vs vo] := v_shapes (maxn y k) y; have [ay sy oy] := costs_right y.
by rewrite !(@weights_between (maxn y k)) ?leq_maxl ?leq_maxr // ay sy oy !subr0.
Qed.
End Costs.
