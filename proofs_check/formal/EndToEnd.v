(* From the weighted binary errors of COCR's answers to the ERR error of its ranker. Documents are numbered in the order
   of pi, which sorts by the sums of the answers; the k-th question, k = 0..K-1, is "is the grade above k?". *)
From Refrank Require Import Rankings Sums Probabilities McRank Grades ErrRoot Costs Answers Constants.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* for soft rank-monotone answers: for each grade y and m, a line u + b (j - m) that is at most 32 times the cost of
   every rank j, and at least 25 times the cost of m and of m + 1 *)
Definition supports : seq (seq (int * int)) :=
  [:: [:: (0, 25%:Z); (32%:Z, 200%:Z); (288%:Z, 1000%:Z); (1568%:Z, 4400%:Z)];
      [:: (32%:Z, - 32%:Z); (0, 100%:Z); (128%:Z, 800%:Z); (1152%:Z, 4000%:Z)];
      [:: (288%:Z, - 160%:Z); (128%:Z, - 128%:Z); (0, 400%:Z); (512%:Z, 3200%:Z)];
      [:: (1568%:Z, - 528%:Z); (1040%:Z, - 528%:Z); (512%:Z, - 512%:Z); (0, 1600%:Z)];
      [seq (1800%:Z * k%:Z, - 1800%:Z) | k <- [:: 4; 3; 2; 1]%N]].
Definition support y m := nth (0, 0) (nth [::] supports y) m.
Definition line_at (l : int * int) (m j : nat) : int := l.1 + l.2 * (j%:Z - m%:Z).
Definition support_ok y m := let l := support y m in
  [&& all (fun j => line_at l m j <= 32%:Z * cost y j) (iota 0 5), 25%:Z * cost y m <= line_at l m m &
      25%:Z * cost y m.+1 <= line_at l m m.+1].

Lemma supports_ok : all (fun y => all (support_ok y) (iota 0 4)) (iota 0 5).
Proof. by vm_compute. Qed.

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

Variables (h : 'I_K -> R) (m : nat).
Hypotheses (ah : answers h) (mK : (m < K)%N) (ms : m%:R <= \sum_k h k <= m.+1%:R).
Notation t := (\sum_k h k - m%:R).
Notation cost_between := ((1 - t) * oerr y m + t * oerr y m.+1).

(* weights that are nowhere below those of the cost, and do not fall with the distance from y *)
Definition away (w : 'I_K -> R) := [/\ forall k : 'I_K, weight (oerr y) k.+1 <= w k,
  forall j k : 'I_K, (j <= k < y)%N -> w k <= w j & forall j k : 'I_K, (y <= j <= k)%N -> w j <= w k].

Lemma signed_weights (w : 'I_K -> R) (k : 'I_K) x : (if (k < y)%N then x <= 1 else 0 <= x) ->
  (if (k < y)%N then - w k else w k) * (x - (k < y)%N%:R) = w k * `|x - (k < y)%N%:R|.
Proof.
case: ifP => _ x01; last by rewrite subr0 ger0_norm.
by rewrite ler0_norm ?subr_le0 // mulrN mulNr.
Qed.

Lemma oerr_below_weights w r : away w -> (r <= K)%N ->
  oerr y r <= \sum_(k < K) (if (k < y)%N then - w k else w k) * ((k < r)%N%:R - (k < y)%N%:R).
Proof.
case=> above _ _ rK; have [_ _ right] := costs_right R y.
have := telescoped (oerr y : nat -> R) rK yK; rewrite right subr0 => ->.
apply: ler_sum => k _; rewrite signed_weights; last by case: ifP => _; case: (k < r)%N; rewrite ?lexx ?ler01.
apply: le_trans (ler_norm _) _; rewrite normrM ler_wpmul2r //; exact: above.
Qed.

Lemma t_between : 0 <= t /\ 0 <= 1 - t.
Proof. by case/andP: ms => lo hi; rewrite !subr_ge0 lo ler_subl_addl -mulrSr. Qed.

Lemma cost_below_weights w : away w -> cost_between <= \sum_(k < K) w k * `|h k - (k < y)%N%:R|.
Proof.
move=> aw; have [above inner outer] := aw; have [t0 t1] := t_between; pose im := Ordinal mK.
pose s (k : 'I_K) := if (k < y)%N then - w k else w k; pose b r (k : 'I_K) : R := (k < r)%N%:R.
pose rounded k := (1 - t) * b m k + t * b m.+1 k.
have w0 k : 0 <= w k by apply: le_trans (above k); exact: normr_ge0.
have s_le (j k : 'I_K) : (j <= k)%N -> s j <= s k.
  move=> jk; rewrite /s; case: (ltnP k y) => ky; first by rewrite (leq_ltn_trans jk) // ler_opp2 inner // jk.
  case: (ltnP j y) => jy; last by rewrite outer // jy.
  by rewrite (@le_trans _ _ 0) ?oppr_le0.
have -> : \sum_(k < K) w k * `|h k - (k < y)%N%:R| = \sum_k s k * (h k - b y k).
  apply: eq_bigr => k _; rewrite -signed_weights //.
  by case: ifP => _; case/andP: (ah k).
have sums : \sum_k h k = \sum_k rounded k.
  have sum_b r : (r <= K)%N -> \sum_k b r k = r%:R by move=> rK; rewrite -natr_sum count_below.
  rewrite big_split -!mulr_sumr /= !sum_b ?(ltnW mK) // mulrSr.
  by move: (\sum_k h k) => H; ring.
apply: (@le_trans _ _ (\sum_k s k * (rounded k - b y k))).
  rewrite (_ : \sum_k _ = (1 - t) * (\sum_k s k * (b m k - b y k)) + t * (\sum_k s k * (b m.+1 k - b y k))).
    by rewrite ler_add // ler_wpmul2l // oerr_below_weights // ltnW.
  rewrite !mulr_sumr -big_split; apply: eq_bigr => k _; rewrite /rounded /=.
  by move: t (s k) (b m k) (b m.+1 k) (b y k) => u v x z q; ring.
rewrite -subr_ge0 -sumrB (_ : \sum_k _ = \sum_k (s k - s im) * (h k - rounded k)).
  apply: sumr_ge0 => k _; have /andP[h0 h1] := ah k; rewrite /rounded /b ltnS; case: (ltngtP k m) => [km|mk|km].
  - by rewrite !mulr1 subrK mulr_le0 ?subr_le0 // s_le // ltnW.
  - by rewrite !mulr0 addr0 subr0 mulr_ge0 ?subr_ge0 // s_le // ltnW.
  - by rewrite (_ : k = im) ?subrr ?mul0r //; exact: val_inj.
under [RHS]eq_bigr => k _ do rewrite mulrBl.
rewrite sumrB -mulr_sumr [X in _ - _ * X]sumrB sums subrr mulr0 subr0; apply: eq_bigr => k _.
by move: (s k) (b y k) (rounded k) (h k) => v x q z; ring.
Qed.

Lemma cost_below_soft : (K <= 4)%N -> (forall j k : 'I_K, (j <= k)%N -> h k <= h j) ->
  25%:R * cost_between <= 32%:R * soft_wrong (oerr y) h y.
Proof.
move=> K4 falls; have [_ _ shape] := v_shapes R K y; have [_ _ right] := costs_right R y.
have := allP (allP supports_ok y _) m _; rewrite !mem_iota /= => /(_ (leq_ltn_trans yK _) (leq_trans mK K4)).
rewrite ltnS K4 => /(_ isT) /and3P[/allP low lm lm1]; set l := support y m in low lm lm1.
have [t0 t1] := t_between.
pose line x : R := l.1%:~R + l.2%:~R * (x - m%:R).
have lineE j : (line_at l m j)%:~R = line j%:R by rewrite /line_at rmorphD rmorphM rmorphB.
have cE j : 25%:Z * cost y j <= line_at l m j -> 25%:R * oerr y j <= line j%:R.
  by rewrite -(ler_int R) rmorphM /= -costE lineE.
apply: (@le_trans _ _ (line (\sum_k h k))).
  have -> : line (\sum_k h k) = (1 - t) * line m%:R + t * line m.+1%:R.
    by rewrite /line mulrSr; move: (\sum_k h k) => H; ring.
  rewrite (_ : 25%:R * _ = (1 - t) * (25%:R * oerr y m) + t * (25%:R * oerr y m.+1)).
    by rewrite ler_add // ler_wpmul2l // cE.
  by move: t (oerr y m) (oerr y m.+1) => u a b; ring.
pose d j : R := 32%:R * oerr y j - line j%:R.
have d0 j : (j <= K)%N -> 0 <= d j.
  move=> jK; have := low j; rewrite mem_iota ltnS (leq_trans jK K4) => /(_ isT).
  by rewrite -(ler_int R) rmorphM /= -costE lineE subr_ge0.
have := falling_sum d0 falls ah ler01; rewrite soft_wrongE // right subr0 mulr1.
have -> : \sum_(k < K) step d k * h k = 32%:R * (\sum_(k < K) step (oerr y) k * h k) - l.2%:~R * \sum_k h k.
  by rewrite !mulr_sumr -sumrB; apply: eq_bigr => k _; rewrite /step /d /line [k.+1%:R]mulrSr; ring.
move=> D; rewrite -subr_ge0; apply: le_trans D _; rewrite le_eqVlt /d /line; apply/orP; left; apply/eqP.
by move: (\sum_k h k) (\sum_(k < K) step _ k * h k) (oerr y 0) => H S c; ring.
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

Lemma interpolated_answers (y : nat) (h : 'I_K -> R) b : (y <= K)%N -> answers h -> 0 <= b ->
  (forall m, (m < K)%N -> m%:R <= \sum_k h k <= m.+1%:R ->
    (1 - (\sum_k h k - m%:R)) * oerr y m + (\sum_k h k - m%:R) * oerr y m.+1 <= b) ->
  (2%:R ^+ y - (interpolated K (\sum_k h k) + 1)) ^+ 2 <= b.
Proof.
move=> yK ah b0 between; have [K0|K_gt0] := posnP K.
  have y0 : y = 0%N by apply/eqP; rewrite -leqn0 -K0.
  by rewrite y0 [X in interpolated X _]K0 /= add0r expr0 subrr expr0n.
have s01 : 0 <= \sum_k h k <= K%:R.
  have h01 k := andP (ah k); rewrite sumr_ge0 => [|k _]; last by case: (h01 k).
  by rewrite -[K in K%:R]card_ord -sumr_const ler_sum // => k _; case: (h01 k).
have [m mK ms] := grade_below s01 K_gt0; exact: le_trans (interpolated_cost y mK ms) (between m mK ms).
Qed.

Lemma interpolated_sums h : noninc (fun i => \sum_k h i k) ->
  noninc (fun i => interpolated K (\sum_k h i k) + 1).
Proof. by move=> nh i j ij; rewrite ler_add2r interpolated_le // nh. Qed.

(* new.end_to_end.variant-convex-weights: the errors of any answers in [0, 1], by weights that are those of the cost or
   above them, and do not fall with the distance from y *)
Theorem err_below_convex_weights g y h w : grades K y -> sorts_grades g y -> (forall i, answers (h i)) ->
  noninc (fun i => \sum_k h i k) -> (forall i, away (y i) (w i)) ->
  ERR_error g y <= Kn R n / 2%:R ^+ K * Num.sqrt (\sum_i \sum_(k < K) w i k * `|h i k - (k < y i)%N%:R|).
Proof.
move=> yK gy ah nh aw; apply: (err_below_costs yK gy (interpolated_sums nh)); apply: ler_sum => i _.
apply: interpolated_answers => // [|m mK ms]; last exact: cost_below_weights.
have [above _ _] := aw i; apply: sumr_ge0 => k _; rewrite mulr_ge0 //.
by apply: le_trans (above k); exact: normr_ge0.
Qed.

(* new.end_to_end.variant-soft-constant: the errors of soft rank-monotone answers, for grades up to 4 *)
Theorem err_below_soft_answers g y h : (K <= 4)%N -> grades K y -> sorts_grades g y -> (forall i, answers (h i)) ->
  (forall i (j k : 'I_K), (j <= k)%N -> h i k <= h i j) -> noninc (fun i => \sum_k h i k) ->
  ERR_error g y <=
  Kn R n / 2%:R ^+ K * Num.sqrt (32%:R / 25%:R * \sum_i soft_wrong (oerr (y i)) (h i) (y i)).
Proof.
move=> K4 yK gy ah falls nh; apply: (err_below_costs yK gy (interpolated_sums nh)).
rewrite mulr_sumr; apply: ler_sum => i _; apply: interpolated_answers => // [|m mK ms].
  apply: mulr_ge0; first by rewrite divr_ge0 ?ler0n.
  by apply: sumr_ge0 => k _; rewrite mulr_ge0 ?normr_ge0.
rewrite mulrAC ler_pdivl_mulr ?ltr0n // [_ * 25%:R]mulrC; apply: cost_below_soft => //; exact: falls.
Qed.
End Answers.
