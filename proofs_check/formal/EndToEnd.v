(* From the weighted binary errors of COCR's answers to the ERR error of its ranker. Documents are numbered in the order
   of pi, which sorts by the sums of the answers; the k-th question, k = 0..K-1, is "is the grade above k?". *)
From Refrank Require Import Rankings Sums Probabilities McRank Grades ErrRoot Costs Answers Constants.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* one document whose answers add up to a number between two grades *)
Section Between.
Variables (R : realFieldType) (K y : nat).
Hypothesis yK : (y <= K)%N.
Implicit Types (h : 'I_K -> R) (s t : R) (m : nat).

Lemma grade_below s : 0 <= s <= K%:R -> (0 < K)%N -> exists2 m, (m < K)%N & m%:R <= s <= m.+1%:R.
Proof.
elim: K => // k IH /andP[s0 sk] _; have [ks|/ltW sk'] := lerP k%:R s; first by exists k; rewrite // ks.
case: k IH sk' {sk} => [|k] IH sk'; first by exists 0%N; rewrite // s0 (le_trans sk') // ler01.
by have [m mk ms] := IH (introT andP (conj s0 sk')) isT; exists m => //; exact: ltnW.
Qed.

(* the squared distance to the interpolated power is below the interpolated cost *)
Lemma interpolated_cost m s : (m < K)%N -> m%:R <= s <= m.+1%:R ->
  (2%:R ^+ y - (interpolated K s + 1)) ^+ 2 <= (1 - (s - m%:R)) * oerr y m + (s - m%:R) * oerr y m.+1.
Proof.
move=> mK ms; rewrite (interpolated_between mK ms) /chord gainE !oerrE [2%:R ^+ m.+1]exprS.
case/andP: ms => ms sm; have t0 : 0 <= s - m%:R by rewrite subr_ge0.
have t1 : s - m%:R <= 1 by rewrite ler_subl_addl -mulrSr.
move: (s - m%:R) (2%:R ^+ m) (2%:R ^+ y) t0 t1 => t a b t0 t1; rewrite -subr_ge0.
rewrite [X in 0 <= X](_ : _ = t * (1 - t) * a ^+ 2); last by ring.
by rewrite mulr_ge0 ?sqr_ge0 // mulr_ge0 // subr_ge0.
Qed.
End Between.

Section Answers.
Variables (R : rcfType) (n K : nat).
Implicit Types (g : 'S_n) (y : 'I_n -> nat) (G : 'I_n -> 'I_K -> bool) (h w : 'I_n -> 'I_K -> R).
Notation beta := (beta R).
Notation ERR_error g y := (ERR beta g (rels R K y) - ERR beta 1 (rels R K y)).

Lemma err_below_costs g y v b : grades K y -> sorts_grades g y -> noninc v ->
  \sum_i (2%:R ^+ y i - v i) ^+ 2 <= b -> ERR_error g y <= Kn R n / 2%:R ^+ K * Num.sqrt b.
Proof.
move=> yK gy nv vb; apply: le_trans (err_below_root yK gy nv) _.
by rewrite ler_wpmul2l ?Kn_ge0 // ler_wsqrtr.
Qed.

(* new.end_to_end: the errors of hard rank-monotone answers *)
Theorem err_below_wrong_answers g y G : grades K y -> sorts_grades g y -> (forall i, monotone (G i)) ->
  graded (fun i => count (G i)) ->
  ERR_error g y <= Kn R n / 2%:R ^+ K * Num.sqrt (\sum_i wrong (oerr (y i)) (G i) (y i)).
Proof.
move=> yK gy mG gG; have := err_below_root_of_oerr R yK gy gG.
rewrite (eq_bigr (fun i => wrong (oerr (y i)) (G i) (y i))) // => i _.
have [_ _ shape] := v_shapes R K (y i); have [_ _ right] := costs_right R (y i).
exact: answers_monotone.
Qed.

(* new.end_to_end.variant-any-constant: the errors of any hard answers, for grades up to 4 *)
Theorem err_below_any_answers g y G : (K <= 4)%N -> grades K y -> sorts_grades g y ->
  graded (fun i => count (G i)) ->
  ERR_error g y <= Kn R n / 2%:R ^+ K * Num.sqrt (64%:R / 29%:R * \sum_i wrong (oerr (y i)) (G i) (y i)).
Proof.
move=> K4 yK gy gG; apply: (err_below_costs yK gy (powers_noninc R gG)).
rewrite mulr_sumr; apply: ler_sum => i _; rewrite -oerrE mulrAC ler_pdivl_mulr ?ltr0n //.
by rewrite [_ * 29%:R]mulrC; exact: oerr_any_answers.
Qed.

(* new.end_to_end.variant-expected-gain: the squared errors of any real answers, where pi sorts by the expected gain;
   the sum of 4^k is 85 for grades up to 4 *)
Theorem err_below_squared_answers g y h : grades K y -> sorts_grades g y ->
  noninc (fun i => \sum_(k < K) 2%:R ^+ k * h i k) ->
  ERR_error g y <= Kn R n / 2%:R ^+ K *
    Num.sqrt ((\sum_(k < K) 4%:R ^+ k) * \sum_i \sum_(k < K) ((k < y i)%N%:R - h i k) ^+ 2).
Proof.
move=> yK gy nh; have nv : noninc (fun i => 1 + \sum_(k < K) 2%:R ^+ k * h i k) by move=> i j ij; rewrite ler_add2l nh.
apply: (err_below_costs yK gy nv); rewrite mulr_sumr; apply: ler_sum => i _.
have -> : 2%:R ^+ y i - (1 + \sum_(k < K) 2%:R ^+ k * h i k) =
    \sum_(k < K) 2%:R ^+ k * ((k < y i)%N%:R - h i k).
  under [RHS]eq_bigr => k _ do rewrite mulrBr.
  by rewrite sumrB gain_thresholds (minn_idPl (yK i)) gainE opprD addrA.
apply: le_trans (cauchy_schwarz _ _) _; rewrite le_eqVlt; apply/orP; left; apply/eqP; congr (_ * _).
by apply: eq_bigr => k _; rewrite -exprM mulnC exprM expr2 -natrM.
Qed.
End Answers.
