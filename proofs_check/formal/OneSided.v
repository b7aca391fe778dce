(* One-sided errors: a prediction that is too high costs at the top, one that is too low costs at the bottom.
   Documents are numbered in the order of pi, which sorts by real predictions f of the gains z; g is any ranking. *)
From Refrank Require Import Rankings Bounds Regression McRank Probabilities.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section OneSided.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (z f : 'I_n -> R) (g : 'S_n) (i : 'I_n) (x : R).

Definition plus x := Num.max x 0.

Lemma plus_id x : 0 <= x -> plus x = x.
Proof. exact: max_idPl. Qed.

Lemma plus_0 x : x <= 0 -> plus x = 0.
Proof. exact: max_idPr. Qed.

Lemma plus_ge0 x : 0 <= plus x.
Proof. by rewrite /plus le_maxr lexx orbT. Qed.

Lemma plus_split x : x = plus x - plus (- x) /\ `|x| = plus x + plus (- x).
Proof.
case: (leP 0 x) => [x0|/ltW x0]; first by rewrite ger0_norm // plus_id // plus_0 ?oppr_le0 // subr0 addr0.
by rewrite ler0_norm // plus_0 // plus_id ?oppr_ge0 // sub0r opprK add0r.
Qed.

(* the cost of one document, where the first place has the discount c 0 and the last one c (n - 1) *)
Definition one_sided_cost c z f i :=
  (c 0%N - c i) * plus (z i - f i) + (c i - c n.-1) * plus (f i - z i).

(* new.one_sided.step1: one document *)
Theorem one_document c z f g i : falling c -> (c (g i) - c i) * (z i - f i) <= one_sided_cost c z f i.
Proof.
move=> fc; have /andP[lo hi] := discount_between (g i) fc.
rewrite {1}(plus_split (z i - f i)).1 opprB mulrBr /one_sided_cost ler_add //.
  by rewrite ler_wpmul2r ?plus_ge0 // ler_add2r.
by rewrite -mulNr opprB ler_wpmul2r ?plus_ge0 // ler_add2l ler_opp2.
Qed.

(* new.one_sided.variant-real: the sum of the costs bounds the error, for any real predictions *)
Theorem one_sided_real c z f g : falling c -> noninc f ->
  DCG c g z - DCG c 1 z <= \sum_i one_sided_cost c z f i.
Proof.
by move=> fc nf; apply: le_trans (dcg_error_below_misses g z fc nf) _; apply: ler_sum => i _; exact: one_document.
Qed.

(* new.one_sided: so it does for predicted grades *)
Theorem one_sided c g (y y_hat : 'I_n -> nat) : falling c -> graded y_hat ->
  DCG c g (gains y) - DCG c 1 (gains y) <= \sum_i one_sided_cost c (gains y) (gains y_hat) i.
Proof. by move=> fc gy; apply: one_sided_real => //; exact: graded_noninc. Qed.

(* new.one_sided.variant-l1: the sum of the costs is never above the bound by absolute differences *)
Theorem one_sided_below_l1 c z f : falling c ->
  \sum_i one_sided_cost c z f i <= (c 0%N - c n.-1) * \sum_i `|z i - f i|.
Proof.
move=> fc; rewrite mulr_sumr; apply: ler_sum => i _; have /andP[lo hi] := discount_between i fc.
rewrite (plus_split (z i - f i)).2 opprB mulrDr /one_sided_cost ler_add // ler_wpmul2r ?plus_ge0 //.
  by rewrite ler_add2l ler_opp2.
by rewrite ler_add2r.
Qed.

(* new.one_sided.variant-attained: an equality for every ranking and all gains, if the places up to L have the
   discount 1 and the others 0, and all predictions are the gain at place L of the best ranking *)
Theorem one_sided_attained g z (L : 'I_n) : sorts g z ->
  let c p := (p <= L)%N%:R in let f := fun=> z ((g^-1)%g L) in
  DCG c g z - DCG c 1 z = \sum_i one_sided_cost c z f i.
Proof.
move=> sg c f; have -> : DCG c g z - DCG c 1 z = \sum_i (c (g i) - c i) * (z i - f i).
  under [RHS]eq_bigr => i _ do rewrite mulrBr.
  rewrite sumrB -mulr_suml sumrB [X in (_ - X) * _](reindex_inj (@perm_inj _ g)).
  by rewrite subrr mul0r subr0 !DCGE -sumrB; apply: eq_bigr => i _; rewrite perm1 mulrBl.
apply: eq_bigr => i _; rewrite /one_sided_cost.
have ends (j : 'I_n) : (L < j)%N -> c n.-1 = 0.
  by move=> Lj; rewrite /c leqNgt (leq_trans Lj) //; case: j {Lj} => j /= lt; rewrite -ltnS (ltn_predK lt).
have -> : c 0%N = 1 by []; case: (leqP (g i) L) => gL.
  have above : f i <= z i by apply: sg; rewrite permKV.
  rewrite (plus_id (_ : 0 <= z i - f i)) ?subr_ge0 // (plus_0 (_ : f i - z i <= 0)) ?subr_le0 // mulr0 addr0.
  by rewrite {1}/c gL.
have below : z i <= f i by apply: sg; rewrite permKV ltnW.
rewrite (ends _ gL) (plus_0 (_ : z i - f i <= 0)) ?subr_le0 // (plus_id (_ : 0 <= f i - z i)) ?subr_ge0 //.
by rewrite {1}/c leqNgt gL mulr0n; ring.
Qed.
End OneSided.
