(* Mohan et al., Theorem 1 with its least constant: the ERR error is at most R (1 - 1/n) times the root of the number of
   errors, R = (2^K - 1) / 2^K. One error is the bound by absolute differences. With more, ERR_pi is at least ERR_g / n,
   since every user who stops along g stops along pi, at place n at the latest; and no ERR is above 67/48 R. *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression Probabilities McRank Grades Err ErrRoot Cutoffs.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Largest.
Variables (R : realFieldType) (t : R).
Hypothesis t_between : 0 <= t <= 2%:R^-1.
Implicit Types (c : nat -> R) (l : seq R) (b : R).
Notation beta := (beta R).
Notation low := (all (fun x => 0 <= x <= 1 - t)).

Lemma t_ge0 : 0 <= t. Proof. by case/andP: t_between. Qed.

Lemma t_le1 : t <= 1.
Proof. by case/andP: t_between => _ t_half; rewrite (le_trans t_half) // invf_le1 ?ltr0n // ler1n. Qed.

Lemma low_le1 x : x <= 1 - t -> x <= 1.
Proof. by move=> xt; rewrite (le_trans xt) // ler_subl_addr ler_addl t_ge0. Qed.

Lemma err_below c p l : falling c -> (forall p, 0 <= c p) -> low l -> err c p l <= c p.
Proof.
move=> fc c0; elim: l p => [|x l IH] p //= /andP[/andP[x0 /low_le1 x1] rl].
rewrite -[X in _ <= X](_ : c p * x + (1 - x) * c p = _); last by ring.
by rewrite ler_add2l ler_wpmul2l ?subr_ge0 // (le_trans (IH p.+1 rl)).
Qed.

(* b bounds the ERR from place p on *)
Definition bounds c p b := 0 <= b <= c p /\ forall l, low l -> err c p l <= b.

Lemma bounds_step c p b : falling c -> bounds c p.+1 b -> bounds c p (c p * (1 - t) + t * b).
Proof.
move=> fc [/andP[b0 bc] IH]; have bp := le_trans bc (fc p); have t0 := t_ge0; have t1 := t_le1.
have cp := le_trans b0 bp; split.
  rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 //= -subr_ge0.
  have -> : c p - (c p * (1 - t) + t * b) = t * (c p - b) by ring.
  by rewrite mulr_ge0 ?subr_ge0.
case=> [|x l] /=; first by move=> _; rewrite addr_ge0 ?mulr_ge0 ?subr_ge0.
case/andP=> /andP[x0 xt] rl; rewrite -subr_ge0; have x1 := low_le1 xt.
have -> : c p * (1 - t) + t * b - (c p * x + (1 - x) * err c p.+1 l) =
  (c p - b) * (1 - t - x) + (1 - x) * (b - err c p.+1 l) by ring.
by rewrite addr_ge0 // mulr_ge0 ?subr_ge0 // IH.
Qed.

(* the first three places, and 1/4 for all others *)
Lemma err_largest l : low l -> err beta 0 l <= (1 - t) * (67%:R / 48%:R).
Proof.
have fb := @beta_falling R; have b3 : bounds beta 3 (beta 3).
  by split=> [|l']; [rewrite lexx invr_ge0 ler0n | apply: err_below => // p; rewrite invr_ge0 ler0n].
have [_ H] := bounds_step fb (bounds_step fb (bounds_step fb b3)); move/H/le_trans; apply.
rewrite /Rankings.beta -subr_ge0.
set d := _ - _; have -> : d = (1 - 2%:R * t) * (12%:R + 7%:R * (1 - t) + 2%:R * t * (1 - t)) / 48%:R.
  by rewrite /d; field.
have t2 : 0 <= 1 - 2%:R * t.
  by case/andP: t_between => _; rewrite subr_ge0 mulrC -ler_pdivl_mulr ?ltr0n // mul1r.
have u0 : 0 <= 1 - t by rewrite subr_ge0 t_le1.
have a0 : 0 <= 7%:R * (1 - t) by rewrite mulr_ge0 ?ler0n.
have b0 : 0 <= 2%:R * t * (1 - t) by rewrite !mulr_ge0 ?ler0n ?t_ge0.
have c0 : 0 <= 12%:R + 7%:R * (1 - t) + 2%:R * t * (1 - t) by apply: addr_ge0 => //; rewrite addr_ge0 ?ler0n.
by apply: divr_ge0; [exact: mulr_ge0 | exact: ler0n].
Qed.
End Largest.

Section Last.
Variables (R : realFieldType) (m : nat).
Notation n := m.+1.
Implicit Types (c : nat -> R) (g : 'S_n) (r : 'I_n -> R).
Notation beta := (beta R).

(* every user who stops along g stops along pi, at the last place at the latest *)
Lemma err_at_least g r : sorts g r -> relevances r -> ERR beta g r / n%:R <= ERR beta 1 r.
Proof.
move=> sg rr; have stop0 h i : 0 <= stop h r i by rewrite mulr_ge0 ?look_ge0 //; case/andP: (rr i).
have all_stop : \sum_i stop g r i <= \sum_i stop 1 r i.
  have := err_below_rr_dcg 1 (c := fun=> 1) (fun _ => lexx _) sg rr; rewrite !DCGE subrr subr_le0 !ERRE.
  by under eq_bigr => i _ do rewrite mul1r; under [X in _ <= X -> _]eq_bigr => i _ do rewrite mul1r.
rewrite !ERRE; apply: (@le_trans _ _ ((\sum_i stop g r i) / n%:R)).
  rewrite ler_wpmul2r ?invr_ge0 ?ler0n //; apply: ler_sum => i _.
  by rewrite ler_pimull // invf_le1 ?ltr0Sn // ler1n.
apply: (@le_trans _ _ ((\sum_i stop 1 r i) / n%:R)); first by rewrite ler_wpmul2r ?invr_ge0 ?ler0n.
by rewrite mulr_suml; apply: ler_sum => i _; rewrite mulrC ler_wpmul2r // lef_pinv ?posrE ?ltr0Sn // ler_nat ltn_ord.
Qed.

Lemma err_error_share g r b : sorts g r -> relevances r -> ERR beta g r <= b ->
  ERR beta g r - ERR beta 1 r <= (1 - n%:R^-1) * b.
Proof.
move=> sg rr Eb; have n1 : n%:R^-1 <= 1 :> R by rewrite invf_le1 ?ltr0Sn // ler1n.
apply: (@le_trans _ _ ((1 - n%:R^-1) * ERR beta g r)); last by rewrite ler_wpmul2l ?subr_ge0.
rewrite mulrBl mul1r ler_add2l ler_opp2 mulrC; exact: err_at_least.
Qed.
End Last.

Section Sharp.
Variables (R : rcfType) (m K : nat).
Notation n := m.+1.
Implicit Types (g : 'S_n) (y w : 'I_n -> nat).
Notation beta := (beta R).
Notation r y := (rels R K y).

Lemma highest_relevance : gain K / 2%:R ^+ K = 1 - 2%:R ^- K :> R.
Proof. by rewrite gainE mulrBl divff ?mul1r // lt0r_neq0 ?power_gt0. Qed.

Lemma share_ge0 : 0 <= gain K / 2%:R ^+ K :> R.
Proof. by rewrite divr_ge0 ?gain_ge0 ?(ltW (power_gt0 _ _)). Qed.

(* the bound by absolute differences, each of which is at most that of K for 0 *)
Lemma err_by_number c g y w : falling c -> grades K y -> grades K w -> sorts_grades g y -> graded w ->
  ERR c g (r y) - ERR c 1 (r y) <= gain K / 2%:R ^+ K * ((c 0%N - c m) * (errors y w)%:R).
Proof.
move=> fc yK wK gy gw; have p0 := power_gt0 R K; have sr := rels_sorts R K gy; have rr := rels_relevances R yK.
apply: le_trans (err_below_rr_dcg 1 fc sr rr) (le_trans (regression_error_l1 _ g fc (rels_noninc R K gw)) _).
rewrite mulrCA ler_wpmul2l ?subr_ge0 ?falling_le // errors_sum mulr_sumr; apply: ler_sum => i _.
rewrite !relsE; have [->|_] := eqVneq; first by rewrite subrr normr0 mulr0.
rewrite mulr1 -mulrBl opprD addrACA subrr addr0 normrM [`|_^-1|]gtr0_norm ?invr_gt0 //.
rewrite ler_wpmul2r ?invr_ge0 ?(ltW p0) // ler_norml ler_oppl.
have low k : (1 : R) <= 2%:R ^+ k by rewrite exprn_ege1 ?ler1n.
have high k : (k <= K)%N -> 2%:R ^+ k <= 2%:R ^+ K :> R by move=> kK; rewrite ler_weexpn2l ?ler1n.
by rewrite opprB gainE !ler_sub ?low ?high.
Qed.

Lemma few_errors E : (E < 2)%N -> E%:R <= Num.sqrt E%:R :> R.
Proof. by case: E => [|[|//]] _; rewrite ?sqrtr0 ?sqrtr1. Qed.

(* no ERR is above sqrt 2 R *)
Lemma err_below_root2 g y : (0 < K)%N -> grades K y -> ERR beta g (r y) <= gain K / 2%:R ^+ K * Num.sqrt 2%:R.
Proof.
move=> K_gt0 yK; have p0 := power_gt0 R K; pose t : R := 2%:R ^- K.
have t_between : 0 <= t <= 2%:R^-1.
  rewrite invr_ge0 (ltW p0) /= lef_pinv ?posrE ?ltr0n // -[X in X <= _]expr1.
  by rewrite ler_weexpn2l ?ler1n.
have low : all (fun x => 0 <= x <= 1 - 2%:R ^- K) (in_order g (r y)).
  apply/allP => x /mapP[i _ ->]; move: ((g^-1)%g i) => j; rewrite rels_ge0 -highest_relevance relsE gainE /=.
  by rewrite ler_wpmul2r ?invr_ge0 ?(ltW p0) // ler_add2r ler_weexpn2l ?ler1n.
apply: le_trans (err_largest t_between low) _; rewrite -highest_relevance ler_wpmul2l ?share_ge0 //.
apply: le_trans (ler_norm _) _; rewrite -sqrtr_sqr ler_wsqrtr // -subr_ge0.
have -> : 2%:R - (67%:R / 48%:R) ^+ 2 = 119%:R / 48%:R ^+ 2 :> R by field.
by rewrite divr_ge0 ?exprn_ge0 ?ler0n.
Qed.

Lemma no_errors y w : K = 0%N -> grades K y -> grades K w -> errors y w = 0%N.
Proof.
move=> K0 yK wK; rewrite /errors eq_card0 // => i; rewrite !inE.
by move: (yK i) (wK i); rewrite K0 !leqn0 => /eqP-> /eqP->; rewrite eqxx.
Qed.

(* igbrt.theorem1.variant-sharp: the least constant *)
Theorem err_by_errors g y w : grades K y -> grades K w -> sorts_grades g y -> graded w ->
  ERR beta g (r y) - ERR beta 1 (r y) <=
  gain K / 2%:R ^+ K * (1 - n%:R^-1) * Num.sqrt (errors y w)%:R.
Proof.
move=> yK wK gy gw; have n0 : 0 <= 1 - n%:R^-1 :> R by rewrite subr_ge0 invf_le1 ?ltr0Sn // ler1n.
case: (ltnP (errors y w) 2) => [few|many].
  apply: le_trans (err_by_number (@beta_falling R) yK wK gy gw) _.
  by rewrite /Rankings.beta invr1 -[X in _ <= X]mulrA !ler_wpmul2l ?share_ge0 ?few_errors.
have [K0|K_gt0] := posnP K; first by rewrite (no_errors K0 yK wK) in many.
have := err_error_share (rels_sorts R K gy) (rels_relevances R yK) (err_below_root2 g K_gt0 yK).
move/le_trans; apply; rewrite mulrA [(1 - _) * _]mulrC ler_wpmul2l ?(mulr_ge0 share_ge0 n0) //.
by rewrite ler_wsqrtr // ler_nat.
Qed.

(* igbrt.theorem1.variant-sharp-cut-off: at a cut-off, the same without 1 - 1/n *)
Theorem err_by_errors_at_cutoff k g y w : grades K y -> grades K w -> sorts_grades g y -> graded w ->
  ERR (cut k beta) g (r y) - ERR (cut k beta) 1 (r y) <= gain K / 2%:R ^+ K * Num.sqrt (errors y w)%:R.
Proof.
move=> yK wK gy gw; have fb := @beta_falling R; have b0 p : 0 <= beta p by rewrite invr_ge0 ler0n.
have cut_le p : 0 <= cut k beta p <= beta p by rewrite /cut; case: ifP; rewrite ?lexx b0.
case: (ltnP (errors y w) 2) => [few|many].
  apply: le_trans (err_by_number (cut_falling _ fb b0) yK wK gy gw) _; rewrite ler_wpmul2l ?share_ge0 //.
  apply: le_trans (few_errors few); rewrite ler_pimull ?ler0n // ler_subl_addr (@le_trans _ _ 1) ?ler_addl //.
    by have /andP[_] := cut_le 0%N; rewrite /Rankings.beta invr1.
  by have /andP[] := cut_le m.
have [K0|K_gt0] := posnP K; first by rewrite (no_errors K0 yK wK) in many.
have stop0 h i : 0 <= stop h (r y) i by rewrite mulr_ge0 ?look_ge0 ?rels_ge0 //; exact: rels_relevances.
apply: (@le_trans _ _ (ERR beta g (r y))).
  rewrite ler_subl_addr !ERRE ler_paddr //.
    by apply: sumr_ge0 => i _; rewrite mulr_ge0 //; case/andP: (cut_le ((1 : 'S_n)%g i)).
  by apply: ler_sum => i _; rewrite ler_wpmul2r //; case/andP: (cut_le (g i)).
by apply: le_trans (err_below_root2 g K_gt0 yK) _; rewrite ler_wpmul2l ?share_ge0 // ler_wsqrtr // ler_nat.
Qed.

(* igbrt.theorem1: Theorem 1 as printed, with the sum of 1/i^2 in place of its limit pi^2/6 *)
Theorem igbrt_theorem1 g y w : grades K y -> grades K w -> sorts_grades g y -> graded w ->
  ERR beta g (r y) - ERR beta 1 (r y) <=
  gain K / 2%:R ^+ K * Num.sqrt (\sum_(i < n) beta i ^+ 2) * Num.sqrt (errors y w)%:R.
Proof.
move=> yK wK gy gw; apply: le_trans (err_by_errors yK wK gy gw) _.
rewrite ler_wpmul2r ?sqrtr_ge0 // ler_wpmul2l //; first by rewrite divr_ge0 ?gain_ge0 ?(ltW (power_gt0 _ _)).
apply: (@le_trans _ _ 1); first by rewrite ler_subl_addr ler_addl invr_ge0 ler0n.
rewrite -[X in X <= _]sqrtr1 ler_wsqrtr // big_ord_recl /Rankings.beta invr1 expr1n ler_addl.
by apply: sumr_ge0 => i _; exact: sqr_ge0.
Qed.

(* one document of grade K, predicted 0 and ranked last behind documents of grade 0 *)
Definition last_best (i : 'I_n) := if i == ord_max then K else 0%N.

Lemma err_last_best g : ERR beta g (r last_best) = gain K / 2%:R ^+ K * beta (g ord_max).
Proof.
have r0 i : i != ord_max -> r last_best i = 0 by move=> /negPf im; rewrite relsE /last_best im subrr mul0r.
rewrite ERRE (bigD1 ord_max) //= big1 => [|i im]; last by rewrite /stop r0 // mul0r mulr0.
rewrite addr0 mulrC /stop /look big1 => [|j jm].
  by rewrite mulr1 relsE /last_best eqxx -gainE.
by rewrite r0 ?subr0 //; apply: contraTneq jm => ->; rewrite ltnn.
Qed.

(* igbrt.theorem1.variant-sharp: so it is for every n, and attained with one error *)
Theorem err_by_errors_attained (g := reverse n) (y := last_best) (w := fun=> 0%N) : (0 < K)%N ->
  [/\ grades K y, sorts_grades g y, graded w, errors y w = 1%N &
    ERR beta g (r y) - ERR beta 1 (r y) = gain K / 2%:R ^+ K * (1 - n%:R^-1) * Num.sqrt (errors y w)%:R].
Proof.
move=> K_gt0; have E1 : errors y w = 1%N.
  rewrite /errors (eq_card1 (x := ord_max)) // => i; rewrite !inE /y /w /last_best.
  by case: (i == ord_max) => //; case: (K) K_gt0.
split=> //; first by move=> i; rewrite /y /last_best; case: ifP.
  move=> i j; rewrite !reverseE rev_ord_le => ji; rewrite /y /last_best; case: (eqVneq j ord_max) => // jm.
  suff -> : i = ord_max by rewrite eqxx.
  by apply/val_inj/eqP; rewrite eqn_leq leq_ord -jm.
by rewrite E1 sqrtr1 mulr1 !err_last_best reverseE perm1 -mulrBr /Rankings.beta /= subnn invr1.
Qed.
End Sharp.
