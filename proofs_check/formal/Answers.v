(* Lin and Li's reduction, one document of grade y: the cost of the rank that binary answers count up to is bounded by
   the weights of the wrong answers. The k-th question, k = 0..K-1, is "is the grade above k?"; h k is the answer to it,
   1 or 0 or a number between, and the right answer is [k < y]. *)
From Refrank Require Import Fields Costs.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Answers.
Variables (R : realFieldType) (K : nat).
Implicit Types (c : nat -> R) (y r : nat) (g : 'I_K -> bool) (h : 'I_K -> R).

(* COCR Eq. 2: the rank that answers count up to *)
Definition count g := (\sum_k g k)%N.
Definition monotone g := forall j k : 'I_K, (j <= k)%N -> g k -> g j.

(* COCR Eq. 1 and 5: the weights of the wrong answers *)
Definition wrong c g y := \sum_(k < K) weight c k.+1 * (g k != (k < y)%N)%:R.
Definition soft_wrong c h y := \sum_(k < K) weight c k.+1 * `|h k - (k < y)%N%:R|.
Definition answers h := forall k, 0 <= h k <= 1.

Definition step c k : R := c k.+1 - c k.

Lemma hard_answers g : answers (fun k => (g k)%:R).
Proof. by move=> k; case: (g k); rewrite /= ?lexx ?ler01. Qed.

Lemma wrong_soft c g y : wrong c g y = soft_wrong c (fun k => (g k)%:R) y.
Proof.
apply: eq_bigr => k _; congr (_ * _).
by case: (g k) (k < y)%N => [] []; rewrite ?subrr ?subr0 ?sub0r ?normrN ?normr1 ?normr0.
Qed.

Lemma count_le g : (count g <= K)%N.
Proof. by rewrite -[X in (_ <= X)%N]card_ord -sum1_card leq_sum // => k _; case: (g k). Qed.

Lemma count_below r : (r <= K)%N -> (\sum_(k < K) (k < r))%N = r.
Proof.
move=> rK; rewrite -[RHS]card_ord -sum1_card (big_ord_widen K (fun=> 1%N) rK) [RHS]big_mkcond.
by apply: eq_bigr => k _; case: (k < r)%N.
Qed.

(* rank-monotone answers are [k < r] for the rank r that they count up to *)
Lemma monotone_count g : monotone g -> forall k : 'I_K, g k = (k < count g)%N.
Proof.
move=> mg k; case gk: (g k); [symmetry | apply/esym/negbTE; rewrite -leqNgt].
  rewrite -[X in (X <= _)%N](count_below (ltn_ord k)) leq_sum // => j _.
  by case: ltnP => // jk; rewrite (mg j k).
rewrite -[X in (_ <= X)%N](count_below (ltnW (ltn_ord k))) leq_sum // => j _.
by case: ltnP => [|kj]; [case: (g j) | case gj: (g j) => //; rewrite -gk (mg k j)].
Qed.

Lemma telescoped c r y : (r <= K)%N -> (y <= K)%N ->
  c r - c y = \sum_(k < K) step c k * ((k < r)%N%:R - (k < y)%N%:R).
Proof.
have up s : (s <= K)%N -> \sum_(k < K) step c k * (k < s)%N%:R = c s - c 0%N.
  move=> sK; rewrite -telescope_sumr // (big_nat_widen 0%N s K) // big_mkord [RHS]big_mkcond.
  by apply: eq_bigr => k _ /=; case: (k < s)%N; rewrite ?mulr1 ?mulr0.
move=> rK yK; rewrite (eq_bigr (fun k : 'I_K => step c k * (k < r)%N%:R - step c k * (k < y)%N%:R)) => [|k _].
  by rewrite sumrB !up // opprB addrA addrNK.
by rewrite mulrBr.
Qed.

(* the weight of the distance to the right answer, for a V-shaped cost *)
Lemma signed c h y : v_shaped K c y -> answers h ->
  soft_wrong c h y = \sum_(k < K) step c k * (h k - (k < y)%N%:R).
Proof.
move=> vc ah; apply: eq_bigr => k _; have := vc k (ltn_ord k); have /andP[h0 h1] := ah k.
rewrite /weight /step -normrM; case: ifP => _ shape.
  by rewrite ger0_norm // mulr_le0 ?subr_le0.
by rewrite ger0_norm // mulr_ge0 ?subr_ge0.
Qed.

Lemma grade_of_answers h r : answers h -> \sum_k h k = r%:R -> (r <= K)%N.
Proof.
move=> ah hr; have : \sum_k h k <= \sum_(k < K) 1 by apply: ler_sum => k _; have /andP[] := ah k.
by rewrite hr sumr_const card_ord ler_nat.
Qed.

(* the steps of a convex cost up to r are not above those behind r: any answers of the sum r cost at least as much *)
Lemma convex_answers c h r y : convex K c -> answers h -> \sum_k h k = r%:R -> (y <= K)%N ->
  c r - c y <= \sum_(k < K) step c k * (h k - (k < y)%N%:R).
Proof.
move=> cc ah hr yK; have rK := grade_of_answers ah hr.
have up j k : (j <= k < K)%N -> step c j <= step c k.
  case/andP=> /subnK <-; elim: (k - j)%N => // i IH iK; apply: le_trans (IH (ltnW iK)) _; exact: cc.
rewrite (telescoped c rK yK) -subr_ge0 -sumrB.
apply: (@le_trans _ _ (step c r.-1 * (\sum_k (h k - (k < r)%N%:R)))).
  by rewrite sumrB hr -natr_sum count_below // subrr mulr0.
rewrite mulr_sumr; apply: ler_sum => k _; rewrite -mulrBr opprB addrA addrNK -subr_ge0 -mulrBl.
have /andP[h0 h1] := ah k; case: ltnP => kr.
  by rewrite mulr_le0 ?subr_le0 // up // -ltnS (ltn_predK kr) kr.
by rewrite mulr_ge0 // subr_ge0 // up // ltn_ord (leq_trans (leq_pred r)).
Qed.

Section Reduction.
Variables (c : nat -> R) (y : nat) (g : 'I_K -> bool).
Hypotheses (yK : (y <= K)%N) (cy : c y = 0).

(* lin_li.reduction.variant-rank-monotone: rank-monotone answers and a V-shaped cost, an equality *)
Theorem answers_monotone : v_shaped K c y -> monotone g -> c (count g) = wrong c g y.
Proof.
move=> vc mg; rewrite wrong_soft signed //; last exact: hard_answers.
rewrite -[LHS]subr0 -[in LHS]cy (telescoped c (count_le g) yK); apply: eq_bigr => k _.
by rewrite monotone_count.
Qed.

(* lin_li.reduction.variant-any-cost: rank-monotone answers and any cost *)
Theorem answers_any_cost : monotone g -> c (count g) <= wrong c g y.
Proof.
move=> mg; rewrite wrong_soft -[X in X <= _]subr0 -[in X in X <= _]cy (telescoped c (count_le g) yK); apply: ler_sum => k _.
by rewrite monotone_count // /weight -normrM ler_norm.
Qed.

(* lin_li.reduction.variant-soft-convex: answers in [0, 1] that add up to a grade, and a convex cost *)
Theorem answers_soft_convex h r : v_shaped K c y -> convex K c -> answers h -> \sum_k h k = r%:R ->
  c r <= soft_wrong c h y.
Proof. by move=> vc cc ah hr; rewrite signed // -[X in X <= _]subr0 -[in X in X <= _]cy convex_answers. Qed.

(* lin_li.reduction.variant-convex: any answers and a convex cost *)
Theorem answers_convex : v_shaped K c y -> convex K c -> c (count g) <= wrong c g y.
Proof.
move=> vc cc; rewrite wrong_soft answers_soft_convex //; first exact: hard_answers.
by rewrite /count natr_sum.
Qed.
End Reduction.

(* lin_li.reduction.variant-soft-absolute: the absolute cost of any real answers *)
Theorem answers_soft_absolute y h : (y <= K)%N -> `|y%:R - \sum_k h k| <= soft_wrong (absolute y) h y.
Proof.
move=> yK; rewrite -[y in y%:R](count_below yK) natr_sum -sumrB.
apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => k _.
by rewrite absolute_weights mul1r distrC.
Qed.

Lemma square_sum n (h : 'I_n -> R) : (forall k, 0 <= h k <= 1) ->
  (\sum_k h k) ^+ 2 <= \sum_(k < n) (2%:R * k%:R + 1) * h k.
Proof.
elim: n h => [|n IH] h ah; first by rewrite !big_ord0 expr0n.
rewrite !big_ord_recr /=; set s := \sum_(k < n) h _; set x := h ord_max.
have sn : s <= n%:R.
  by rewrite -[n in n%:R]card_ord -sumr_const; apply: ler_sum => k _; have /andP[] := ah (widen_ord (leqnSn n) k).
have /andP[x0 x1] : 0 <= x <= 1 := ah ord_max.
have -> : (s + x) ^+ 2 = s ^+ 2 + (2%:R * s + x) * x by ring.
rewrite ler_add ?ler_wpmul2r ?ler_add ?ler_pmul2l ?ltr0n //.
by apply: IH => k; exact: ah.
Qed.

(* lin_li.reduction.variant-soft-squared: the squared cost of answers in [0, 1] *)
Theorem answers_soft_squared y h : (y <= K)%N -> answers h ->
  (y%:R - \sum_k h k) ^+ 2 <= soft_wrong (squared y) h y.
Proof.
move=> yK ah; have [_ vs _] := v_shapes R K y; rewrite signed //.
have low := telescoped (squared y) yK (leq0n K).
rewrite [X in _ <= X](eq_bigr (fun k : 'I_K => (2%:R * k%:R + 1) * h k - 2%:R * y%:R * h k
    - step (squared y) k * ((k < y)%N%:R - (k < 0)%N%:R))) => [|k _].
  rewrite !sumrB -mulr_sumr -low !squaredE -subr_ge0; move: (square_sum ah).
  set s := \sum_k h k; set t := \sum_k _ * h k; rewrite -subr_ge0.
  by rewrite [X in _ -> is_true (_ <= X)](_ : _ = t - s ^+ 2) //; ring.
by rewrite /step squared_step ltn0 subr0 [k.+1%:R]mulrSr; ring.
Qed.

(* lin_li.reduction.variant-absolute, lin_li.reduction.variant-squared: any answers *)
Theorem answers_absolute_squared y g : (y <= K)%N ->
  absolute y (count g) <= wrong (absolute y) g y /\ squared y (count g) <= wrong (squared y) g y.
Proof.
move=> yK; have [va vs _] := v_shapes R K y; have [ca cs] := absolute_squared_convex R K y.
by split; apply: answers_convex; rewrite // ?absoluteE ?squaredE subrr ?normr0 // expr0n.
Qed.
End Answers.
