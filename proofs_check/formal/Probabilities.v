(* One document with class probabilities p over the grades 0..K, and what its grade y, its expected gain and its
   expected relevance have to do with each other: they agree but for the probability 1 - p y of the other grades. *)
From Refrank Require Import Fields Sums.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Gains.
Variable R : realFieldType.
Implicit Types (s x : R) (j k : nat).

Lemma gain_le j k : (j <= k)%N -> gain j <= gain k :> R.
Proof. by move=> jk; rewrite !gainE ler_add2r ler_eexpn2l // ltr1n. Qed.

Lemma gain_ge0 k : 0 <= gain k :> R.
Proof. by rewrite gainE subr_ge0 exprn_ege1 // ler1n. Qed.

Lemma relevance_le K j k : (j <= k)%N -> relevance K j <= relevance K k :> R.
Proof.
by move=> jk; rewrite !relevanceE -!gainE ler_wpmul2r ?gain_le // invr_ge0 exprn_ge0 ?ler0n.
Qed.

(* the line through the gains of j and j + 1 *)
Definition chord j s : R := gain j + 2%:R ^+ j * (s - j%:R).

(* the largest of the chords: 2^s - 1 at the grades, and linear between them (interpolated_between) *)
Fixpoint interpolated K s : R := if K is j.+1 then Num.max (interpolated j s) (chord j s) else 0.

Lemma chord_step j s t : chord j s = chord j t + 2%:R ^+ j * (s - t).
Proof. by rewrite /chord; ring. Qed.

Lemma chord_below j k : chord j k%:R <= gain k.
Proof.
rewrite /chord !gainE addrAC ler_add2r -[X in X + _]mulr1 -mulrDr.
have [jk|kj] := leqP j k.
  rewrite -[in X in _ <= X](subnKC jk) exprD ler_wpmul2l ?exprn_ge0 ?ler0n //.
  by rewrite -natrB // -mulrS -natrX ler_nat ltn_expl.
apply: (@le_trans _ _ 0); last by rewrite exprn_ge0 ?ler0n.
by rewrite pmulr_rle0 ?exprn_gt0 ?ltr0n // addrA -mulrS subr_le0 ler_nat.
Qed.

Lemma interpolated_le K s t : s <= t -> interpolated K s <= interpolated K t.
Proof.
move=> st; elim: K => //= j IH; rewrite le_maxl !le_maxr IH /=; apply/orP; right.
by rewrite (chord_step j t s) ler_addl mulr_ge0 ?exprn_ge0 ?ler0n ?subr_ge0.
Qed.

Lemma chord_interpolated K j s : (j < K)%N -> chord j s <= interpolated K s.
Proof.
elim: K => //= k IH; rewrite ltnS leq_eqVlt le_maxr => /orP[/eqP->|/IH->//]; by rewrite lexx orbT.
Qed.

Lemma interpolated_below K s x : 0 <= x -> (forall j, (j < K)%N -> chord j s <= x) -> interpolated K s <= x.
Proof.
move=> x0; elim: K => //= k IH below; rewrite le_maxl below // IH // => j jk.
by apply: below; exact: ltnW.
Qed.

Lemma interpolated_ge0 K s : 0 <= interpolated K s.
Proof. by elim: K => //= j IH; rewrite le_maxr IH. Qed.

Lemma interpolated_between K k s : (k < K)%N -> k%:R <= s <= k.+1%:R -> interpolated K s = chord k s.
Proof.
move=> kK /andP[ks sk]; apply/le_anti; rewrite chord_interpolated // andbT.
apply: interpolated_below => [|j jK].
  by rewrite /chord addr_ge0 ?gain_ge0 // mulr_ge0 ?exprn_ge0 ?ler0n ?subr_ge0.
have between i : chord i s = (k.+1%:R - s) * chord i k%:R + (s - k%:R) * chord i k.+1%:R.
  by rewrite /chord mulrS; ring.
rewrite !between; have [-> ->] : chord k k%:R = gain k /\ chord k k.+1%:R = gain k.+1.
  by split; rewrite /chord !gainE ?mulrS ?exprS; ring.
by rewrite ler_add // ler_wpmul2l ?subr_ge0 // chord_below.
Qed.

(* the sum of the squared distances of 1, 2, .., 2^K from their mean *)
Definition spread K : R :=
  \sum_(k < K.+1) (2%:R ^+ k - (\sum_(j < K.+1) 2%:R ^+ j) / K.+1%:R) ^+ 2.

Lemma spread4 : spread 4 = 744%:R / 5%:R.
Proof. by rewrite /spread !big_ord_recl !big_ord0 /=; field. Qed.
End Gains.

Section Probabilities.
Variables (R : realFieldType) (K : nat) (p : 'I_K.+1 -> R) (y : 'I_K.+1).
Hypotheses (p0 : forall k, 0 <= p k) (p1 : \sum_k p k = 1).
Implicit Types t : nat -> R.

Notation mean t := (expected t 0 (codom p)).

Lemma off_mean t : t y - mean t = \sum_k p k * (t y - t k).
Proof.
rewrite expectedE -[t y in LHS]mul1r -p1 mulr_suml -sumrB.
by apply: eq_bigr => k _; rewrite -mulrBr.
Qed.

(* the term of the grade y is 0, and the others have the probability 1 - p y *)
Lemma off_mean_le t b : (forall k : 'I_K.+1, t y - t k <= b) -> t y - mean t <= b * (1 - p y).
Proof.
move=> tb; rewrite off_mean (bigD1 y) //= subrr mulr0 add0r.
have -> : 1 - p y = \sum_(k | k != y) p k by rewrite -p1 (bigD1 y) //= [p y + _]addrC addrK.
by rewrite mulr_sumr; apply: ler_sum => k _; rewrite mulrC ler_wpmul2r.
Qed.

Lemma off_mean_ge t b : (forall k : 'I_K.+1, t k - t y <= b) -> mean t - t y <= b * (1 - p y).
Proof.
move=> tb; have <- : - t y - mean (fun k => - t k) = mean t - t y.
  by rewrite !expectedE addrC -sumrN; congr (_ - _); apply: eq_bigr => k _; rewrite mulrN opprK.
by apply: (off_mean_le (t := fun k => - t k)) => k; rewrite opprK addrC.
Qed.

Lemma gain_apart (j k : 'I_K.+1) : gain j - gain k <= gain K :> R.
Proof. by rewrite ler_subl_addr ler_paddr ?gain_ge0 // gain_le // -ltnS. Qed.

(* losses.class_proba.step2: the gain of a document is near its expected gain if its own grade is probable *)
Theorem expected_gain_near : `|gain y - mean gain| <= gain K * (1 - p y).
Proof.
rewrite ler_norml ler_oppl opprB.
by rewrite off_mean_ge ?off_mean_le // => k; exact: gain_apart.
Qed.

(* a chord is below the gains, at the grades and so on average *)
Lemma interpolated_mean : interpolated K (mean of_nat) <= mean gain.
Proof.
apply: interpolated_below => [|j _]; rewrite !expectedE.
  by apply: sumr_ge0 => k _; rewrite mulr_ge0 ?gain_ge0.
have -> : chord j (\sum_k p k * of_nat k) = \sum_k p k * chord j k%:R.
  rewrite (eq_bigr (fun k : 'I_K.+1 => p k * k%:R)) => [|k _]; last by rewrite of_natE.
  rewrite [RHS](eq_bigr (fun k => p k * (gain j - 2%:R ^+ j * j%:R) + 2%:R ^+ j * (p k * k%:R))) => [|k _].
    by rewrite big_split -mulr_suml -mulr_sumr /= p1 /chord gainE; ring.
  by rewrite /chord; ring.
by apply: ler_sum => k _; rewrite ler_wpmul2l ?chord_below.
Qed.

Lemma others_ge0 : 0 <= 1 - p y.
Proof. by rewrite subr_ge0 -p1 (bigD1 y) //= ler_addl sumr_ge0. Qed.

(* losses.class_proba.step5: the gain of a document is near the interpolated gain of its expected relevance *)
Theorem expected_relevance_near :
  - (gain K * (1 - p y)) <= gain y - interpolated K (mean of_nat) <= K%:R * 2%:R ^+ K.-1 * (1 - p y).
Proof.
apply/andP; split.
  rewrite ler_oppl opprB; apply: le_trans (off_mean_ge (fun k => gain_apart k y)).
  by rewrite ler_add2r interpolated_mean.
have yK : (y <= K)%N by rewrite -ltnS.
case E : (nat_of_ord y) => [|j].
  rewrite gainE subrr sub0r (@le_trans _ _ 0) ?oppr_le0 ?interpolated_ge0 //.
  by rewrite !mulr_ge0 ?exprn_ge0 ?ler0n ?others_ge0.
have jK : (j < K)%N by rewrite -E.
apply: le_trans (_ : 2%:R ^+ j * (of_nat y - mean of_nat) <= _).
  rewrite ler_subl_addr -ler_subl_addl; apply: le_trans (chord_interpolated _ jK).
  by rewrite /chord !gainE of_natE E [j.+1%:R]mulrS exprS le_eqVlt; apply/orP; left; apply/eqP; ring.
have near : of_nat y - mean of_nat <= K%:R * (1 - p y).
  by apply: off_mean_le => k; rewrite !of_natE ler_subl_addr ler_paddr ?ler0n // ler_nat.
apply: le_trans (ler_wpmul2l _ near) _; rewrite ?exprn_ge0 ?ler0n // mulrAC mulrC ler_wpmul2r //.
  by rewrite mulr_ge0 ?ler0n ?others_ge0.
by rewrite ler_eexpn2l ?ltr1n // -ltnS (ltn_predK jK).
Qed.

(* the mean may be taken off the powers of 2, as the differences of probabilities add up to 0 *)
Lemma expected_gain_brier : (gain y - mean gain) ^+ 2 <= spread R K * (\sum_k (p k - (k == y)%:R) ^+ 2).
Proof.
rewrite /spread; set c := _ / _; pose t k : R := 2%:R ^+ k - c.
have -> : gain y - mean gain = t y - mean t.
  by rewrite !off_mean; apply: eq_bigr => k _; rewrite !gainE /t !opprB !addrA !addrNK.
have -> : t y = \sum_(k < K.+1) t k * (k == y)%:R.
  by rewrite (bigD1 y) //= eqxx mulr1 big1 ?addr0 // => k /negbTE->; rewrite mulr0.
rewrite expectedE -sumrB; under eq_bigr => k _ do rewrite [p k * _]mulrC -mulrBr.
by apply: le_trans (cauchy_schwarz _ _) _; under [X in _ * X]eq_bigr => k _ do rewrite -sqrrN opprB.
Qed.
End Probabilities.
