(* The ERR error is at most K_n / 2^K times the root of COCR's costs, and no stopping probabilities are needed.
   Documents are numbered in the order of pi, which sorts by the predictions; g sorts by the labels y. *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression Probabilities McRank Grades.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Fields.
Variables (R : realFieldType) (n : nat).
Implicit Types (g tau : 'S_n) (r v : 'I_n -> R) (y w : 'I_n -> nat).
Notation beta := (beta R).

(* 1 + 1/2 + .. + 1/n, and K_n^2 *)
Definition harmonic : R := \sum_(i < n) beta i.
Definition Kn_squared : R := 2%:R * (\sum_(i < n) beta i ^+ 2) - 4%:R * harmonic / n.+1%:R.

(* new.err_oerr.variant-reversal: the reversal gives K_n^2 *)
Theorem reversal_apart : \sum_(i < n) (beta i - beta (rev_ord i)) ^+ 2 = Kn_squared.
Proof.
have rev (f : nat -> R) : \sum_(i < n) f (rev_ord i) = \sum_(i < n) f i.
  by rewrite (reindex_inj rev_ord_inj); apply: eq_bigr => i _; rewrite rev_ordK.
have fractions (i : 'I_n) : beta i * beta (rev_ord i) = (beta i + beta (rev_ord i)) / n.+1%:R.
  have ne k : k.+1%:R != 0 :> R by rewrite pnatr_eq0.
  have -> : n.+1%:R = i.+1%:R + (rev_ord i).+1%:R :> R.
    by rewrite -natrD /= subnSK // addSn subnKC // ltnW.
  have s0 : i.+1%:R + (rev_ord i).+1%:R != 0 :> R by rewrite -natrD pnatr_eq0.
  rewrite /beta; move: (i.+1%:R) ((rev_ord i).+1%:R) (ne i) (ne (rev_ord i)) s0 => a b a0 b0 s0.
  by field; apply/and3P.
have -> : Kn_squared = (\sum_(i < n) beta i ^+ 2) + (\sum_(i < n) beta (rev_ord i) ^+ 2)
    - 2%:R * \sum_(i < n) beta i * beta (rev_ord i).
  under [X in _ - _ * X]eq_bigr => i _ do rewrite fractions.
  rewrite (rev (fun i => beta i ^+ 2)) -mulr_suml big_split /= (rev beta) /Kn_squared /harmonic.
  by move: (\sum_(i < n) beta i ^+ 2) (\sum_(i < n) beta i) (n.+1%:R^-1) => A H q; ring.
by rewrite mulr_sumr -big_split -sumrB /=; apply: eq_bigr => i _; ring.
Qed.

(* new.err_oerr.step5: no ranking is further from pi than its reverse *)
Theorem rankings_apart tau : \sum_(i < n) (beta i - beta (tau i)) ^+ 2 <= Kn_squared.
Proof.
rewrite -reversal_apart; apply: le_trans (pairing_squared tau (@beta_falling R)).
by rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_bigr => i _; ring.
Qed.

(* the powers of two that stand for predicted grades, by which pi sorts *)
Lemma powers_noninc w : graded w -> noninc (fun i => 2%:R ^+ w i : R).
Proof. by move=> rw i j ij; rewrite ler_weexpn2l ?ler1n // rw. Qed.

Lemma err_error_misses K g y v : grades K y -> sorts_grades g y -> noninc v ->
  ERR beta g (rels R K y) - ERR beta 1 (rels R K y) <=
  (\sum_(i < n) (beta (g i) - beta i) * (2%:R ^+ y i - v i)) / 2%:R ^+ K.
Proof.
move=> yK gy nv; have fb := @beta_falling R; have p0 := power_gt0 R K; pose f i := (v i - 1) / 2%:R ^+ K.
have nf : noninc f by move=> i j ij; rewrite ler_wpmul2r ?invr_ge0 ?(ltW p0) // ler_add2r nv.
apply: le_trans (err_below_rr_dcg 1 fb (rels_sorts R K gy) (rels_relevances R yK)) _.
apply: le_trans (dcg_error_below_misses g _ fb nf) _; rewrite mulr_suml le_eqVlt; apply/orP; left.
apply/eqP/eq_bigr => i _; rewrite relsE /f; move: (2%:R ^+ K)^-1 (2%:R ^+ y i) (v i) (beta _) (beta _) => q a b c d.
by ring.
Qed.

(* new.err_oerr.step3: the bound by the ranking itself, and the rearrangement *)
Theorem err_below_gain_differences K g y w : grades K y -> sorts_grades g y -> graded w ->
  ERR beta g (rels R K y) - ERR beta 1 (rels R K y) <=
  (\sum_(i < n) (beta (g i) - beta i) * (2%:R ^+ y i - 2%:R ^+ w i)) / 2%:R ^+ K.
Proof. by move=> yK gy rw; apply: err_error_misses => //; exact: powers_noninc. Qed.
End Fields.

Section Roots.
Variables (R : rcfType) (n K : nat).
Implicit Types (a : R) (g : 'S_n) (v d : 'I_n -> R) (y w : 'I_n -> nat).
Notation beta := (beta R).
Notation ERR_error g y := (ERR beta g (rels R K y) - ERR beta 1 (rels R K y)).

Definition Kn : R := Num.sqrt (Kn_squared R n).

Lemma Kn_ge0 : 0 <= Kn / 2%:R ^+ K.
Proof. by rewrite divr_ge0 ?sqrtr_ge0 ?(ltW (power_gt0 _ _)). Qed.

(* new.err_oerr.step4: the inequality of Cauchy and Schwarz *)
Theorem places_times_gains g y w :
  \sum_(i < n) (beta (g i) - beta i) * (2%:R ^+ y i - 2%:R ^+ w i) <=
  Num.sqrt (\sum_(i < n) (beta (g i) - beta i) ^+ 2) * Num.sqrt (\sum_i (2%:R ^+ y i - 2%:R ^+ w i) ^+ 2).
Proof. exact: (hoelder Two (fun i : 'I_n => beta (g i) - beta i)). Qed.

Lemma err_below_norm g (r f : 'I_n -> R) : relevances r -> sorts g r -> noninc f ->
  ERR beta g r - ERR beta 1 r <= Kn * Num.sqrt (\sum_i (r i - f i) ^+ 2).
Proof.
move=> rr sr nf; have fb := @beta_falling R; apply: le_trans (err_below_rr_dcg 1 fb sr rr) _.
by have := regression_error Two r g fb nf; rewrite /= reversal_apart.
Qed.

Lemma root_scaled a d : 0 < a -> Num.sqrt (\sum_i (d i / a) ^+ 2) = Num.sqrt (\sum_i d i ^+ 2) / a.
Proof.
move=> a0; rewrite -[a^-1 in RHS]gtr0_norm ?invr_gt0 // -sqrtr_sqr -sqrtrM.
  by rewrite mulr_suml; congr Num.sqrt; apply: eq_bigr => i _; rewrite exprMn.
by apply: sumr_ge0 => i _; exact: sqr_ge0.
Qed.

(* new.err_oerr.variant-real-valued: the root, with any real v by which pi sorts for the predicted 2^yhat *)
Theorem err_below_root g y v : grades K y -> sorts_grades g y -> noninc v ->
  ERR_error g y <= Kn / 2%:R ^+ K * Num.sqrt (\sum_i (2%:R ^+ y i - v i) ^+ 2).
Proof.
move=> yK gy nv; have p0 := power_gt0 R K; have nf : noninc (fun i => (v i - 1) / 2%:R ^+ K).
  by move=> i j ij; rewrite ler_wpmul2r ?invr_ge0 ?(ltW p0) // ler_add2r nv.
rewrite mulrAC -mulrA -root_scaled //; apply: le_trans (err_below_norm (rels_relevances R yK) (rels_sorts R K gy) nf) _.
rewrite le_eqVlt; apply/orP; left; apply/eqP; congr (_ * Num.sqrt _); apply: eq_bigr => i _.
by rewrite relsE; move: (2%:R ^+ K)^-1 (2%:R ^+ y i) (v i) => q a b; ring.
Qed.

(* new.err_oerr: the root of COCR's costs (Eq. 13) *)
Theorem err_below_root_of_oerr g y w : grades K y -> sorts_grades g y -> graded w ->
  ERR_error g y <= Kn / 2%:R ^+ K * Num.sqrt (\sum_i oerr (y i) (w i)).
Proof.
move=> yK gy rw; have := err_below_root yK gy (powers_noninc R rw).
by rewrite (eq_bigr (fun i => oerr (y i) (w i))) // => i _; rewrite oerrE.
Qed.

(* new.isotonic.variant-err: the distance of the gains from any numbers f by which pi sorts, so from the closest *)
Theorem err_below_isotonic g y v : grades K y -> sorts_grades g y -> noninc v ->
  ERR_error g y <= Kn / 2%:R ^+ K * Num.sqrt (\sum_i (gain (y i) - v i) ^+ 2).
Proof.
move=> yK gy nv; have nv1 : noninc (fun i => v i + 1) by move=> i j ij; rewrite ler_add2r nv.
have := err_below_root yK gy nv1; congr (_ <= _ * Num.sqrt _); apply: eq_bigr => i _.
by rewrite gainE -[in RHS]addrA -opprD [1 + _]addrC.
Qed.

(* the sum of squares about the mean *)
Lemma squares_about_mean d : \sum_i (d i - (\sum_j d j) / n%:R) ^+ 2 = (\sum_i d i ^+ 2) - (\sum_i d i) ^+ 2 / n%:R.
Proof.
set S := \sum_j d j; have [n0|n0] := eqVneq n 0%N.
  by rewrite /S !big1 ?expr0n ?mul0r ?subr0 // => i; move: (ltn_ord i); rewrite {2}n0.
have nz : n%:R != 0 :> R by rewrite pnatr_eq0.
transitivity ((\sum_i d i ^+ 2) - (\sum_i 2%:R * (S / n%:R) * d i) + \sum_(i < n) (S / n%:R) ^+ 2).
  by rewrite -sumrB -big_split /=; apply: eq_bigr => i _; ring.
have -> : \sum_(i < n) (S / n%:R) ^+ 2 = n%:R * (S / n%:R) ^+ 2 by rewrite sumr_const card_ord mulr_natl.
rewrite -mulr_sumr -/S; by move: (\sum_i d i ^+ 2) S (n%:R) nz => A B q q0; field.
Qed.

(* new.err_oerr.variant-centred: the mean of the differences can be taken off *)
Theorem err_below_centred_root g y w (d := fun i => 2%:R ^+ y i - 2%:R ^+ w i : R) :
  grades K y -> sorts_grades g y -> graded w ->
  ERR_error g y <= Kn / 2%:R ^+ K * Num.sqrt ((\sum_i d i ^+ 2) - (\sum_i d i) ^+ 2 / n%:R).
Proof.
move=> yK gy rw; rewrite -squares_about_mean; set m := _ / n%:R.
have nv : noninc (fun i => 2%:R ^+ w i + m) by move=> i j ij; rewrite ler_add2r (powers_noninc R rw).
have := err_below_root yK gy nv; congr (_ <= _ * Num.sqrt _); apply: eq_bigr => i _.
by rewrite /d opprD addrA.
Qed.

(* new.err_oerr.variant-errors: the form of Mohan et al. *)
Theorem err_below_root_of_errors g y w : grades K y -> grades K w -> sorts_grades g y -> graded w ->
  ERR_error g y <= gain K * Kn / 2%:R ^+ K * Num.sqrt (errors y w)%:R.
Proof.
move=> yK wK gy gw; apply: le_trans (err_below_root yK gy (powers_noninc R gw)) _.
have -> x : gain K * Kn / 2%:R ^+ K * x = Kn / 2%:R ^+ K * (gain K * x) by rewrite mulrCA !mulrA.
rewrite ler_wpmul2l ?Kn_ge0 // -[X in X * _]ger0_norm ?gain_ge0 // -sqrtr_sqr -sqrtrM ?sqr_ge0 //.
by rewrite ler_wsqrtr // gainE powers_apart.
Qed.
End Roots.
