(* What Lin and Li's reduction costs for the oERR cost, which is not convex: 29 c <= 64 (weights of the wrong answers) for
   any answers, and 25 c <= 32 (the same) for soft rank-monotone ones, K <= 4. Each grade y and rank r has a certificate,
   an integer, and all certificates are checked by computation. *)
From Refrank Require Import Fields Costs Answers.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section LowerBounds.
Variables (R : realFieldType) (K : nat) (c : nat -> R) (y r : nat) (h : 'I_K -> R).
Hypotheses (yK : (y <= K)%N) (shape : v_shaped K c y) (ah : answers h) (hr : \sum_k h k = r%:R).

Lemma soft_wrongE : soft_wrong c h y = \sum_(k < K) step c k * h k + c 0%N - c y.
Proof.
rewrite signed //; under eq_bigr => k _ do rewrite mulrBr.
rewrite sumrB -addrA; congr (_ + _); rewrite -[in RHS]opprB (telescoped c yK (leq0n K)); congr (- _).
by apply: eq_bigr => k _; rewrite ltn0 subr0.
Qed.

(* steps below d are taken whole, and steps above d not at all *)
Lemma pivot (d : R) (low : nat -> R) : (forall k, (k < K)%N -> low k <= 0 /\ low k <= step c k - d) ->
  d * r%:R + \sum_(k < K) low k <= \sum_(k < K) step c k * h k.
Proof.
move=> lows; rewrite -hr mulr_sumr -big_split /=; apply: ler_sum => k _.
have [low0 lowd] := lows k (ltn_ord k); have /andP[h0 h1] := ah k.
rewrite -ler_subr_addl -mulrBl; have [d0|d0] := lerP 0 (step c k - d).
  by rewrite (le_trans low0) ?mulr_ge0.
by rewrite (le_trans lowd) // ler_nimulr // ltW.
Qed.
End LowerBounds.

Section Lines.
Variable R : realFieldType.

Lemma falling_sum n (c : nat -> R) (h : 'I_n -> R) x : (forall j, (j <= n)%N -> 0 <= c j) ->
  (forall j k : 'I_n, (j <= k)%N -> h k <= h j) -> (forall k, 0 <= h k <= x) -> 0 <= x ->
  0 <= c 0%N * x + \sum_(k < n) step c k * h k.
Proof.
elim: n c h x => [|n IH] c h x c0 falls hx x0; first by rewrite big_ord0 addr0 mulr_ge0 ?c0.
rewrite big_ord_recl /=; have /andP[h0 h1] := hx ord0.
have -> : forall s, c 0%N * x + (step c 0%N * h ord0 + s) = c 0%N * (x - h ord0) + (c 1%N * h ord0 + s).
  by move=> s; rewrite /step; ring.
rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 ?c0 //; apply: (IH (fun k => c k.+1)) => // [j jn|j k jk|k].
- exact: c0.
- exact: falls.
- by rewrite falls //; have /andP[->] := hx (lift ord0 k).
Qed.

(* the expected cost of a rank that is random by h is above any line that is below the cost *)
Lemma line_below K (c : nat -> R) y r (h : 'I_K -> R) b v : (y <= K)%N -> v_shaped K c y -> answers h ->
  (forall j k : 'I_K, (j <= k)%N -> h k <= h j) -> \sum_k h k = r%:R ->
  (forall j, (j <= K)%N -> v + b * (j%:R - r%:R) <= c j) -> v - c y <= soft_wrong c h y.
Proof.
move=> yK shape ah falls hr below; rewrite soft_wrongE // ler_add2r -subr_ge0.
pose d j := c j - (v + b * (j%:R - r%:R)).
have d0 j : (j <= K)%N -> 0 <= d j by move/below; rewrite subr_ge0.
have sums : \sum_(k < K) step d k * h k = \sum_(k < K) step c k * h k - b * r%:R.
  rewrite -hr mulr_sumr -sumrB; apply: eq_bigr => k _.
  by rewrite /step /d [k.+1%:R]mulrSr; ring.
have := falling_sum d0 falls ah ler01; rewrite sums mulr1 /d.
by rewrite [X in 0 <= X -> _](_ : _ = \sum_(k < K) step c k * h k + c 0%N - v) //; ring.
Qed.
End Lines.

(* ---- the certificates ---- *)

Definition cost (y k : nat) : int := (2%:Z ^+ y - 2%:Z ^+ k) ^+ 2.

Lemma costE (R : realFieldType) y k : oerr y k = (cost y k)%:~R :> R.
Proof. by rewrite oerrE /cost !(rmorphX, rmorphB) /=. Qed.

(* for K <= 4, d of the lemma pivot for each grade and rank, and b of line_below *)
Definition pivots : seq (seq int) :=
  [:: [:: 1; 1; 8%:Z; 40%:Z; 176%:Z]; [:: -1; -1; 4%:Z; 32%:Z; 160%:Z]; [:: - 4%:Z; - 4%:Z; - 4%:Z; 16%:Z; 128%:Z];
      [:: - 13%:Z; - 13%:Z; - 13%:Z; - 13%:Z; 64%:Z]; [:: - 52%:Z; - 52%:Z; - 52%:Z; - 52%:Z; - 29%:Z]].
Definition lines : seq (seq int) :=
  [:: [:: 0; 100%:Z; 500%:Z; 2000%:Z; 5000%:Z]; [:: - 30%:Z; 0; 500%:Z; 1000%:Z; 4000%:Z];
      [:: - 200%:Z; - 150%:Z; 0; 1000%:Z; 4000%:Z]; [:: - 500%:Z; - 500%:Z; - 500%:Z; 0; 2000%:Z];
      [:: - 1500%:Z; - 2000%:Z; - 1800%:Z; - 1700%:Z; - 1000%:Z]].

Definition low (d : int) y k := let s := cost y k.+1 - cost y k - d in if s <= 0 then s else 0.
Fixpoint total (f : nat -> int) n := if n is k.+1 then total f k + f k else 0.
Definition pivot_ok K y r := let d := nth 0 (nth [::] pivots y) r in
  29%:Z * cost y r <= 64%:Z * (d * r%:Z + total (low d y) K + cost y 0).
Definition line_ok y r := let b := nth 0 (nth [::] lines y) r in
  all (fun j => 25%:Z * cost y r + b * (j%:Z - r%:Z) <= 32%:Z * cost y j) (iota 0 5).

Lemma pivots_ok : all (fun K => all (fun y => all (pivot_ok K y) (iota 0 K.+1)) (iota 0 K.+1)) (iota 0 5).
Proof. by vm_compute. Qed.
Lemma lines_ok : all (fun y => all (line_ok y) (iota 0 5)) (iota 0 5).
Proof. by vm_compute. Qed.

Section Constants.
Variables (R : realFieldType) (K y : nat).
Hypotheses (K4 : (K <= 4)%N) (yK : (y <= K)%N).

Lemma totalE f n : (total f n)%:~R = \sum_(k < n) (f k)%:~R :> R.
Proof. by elim: n => [|n IH] /=; rewrite ?big_ord0 // big_ord_recr /= rmorphD /= IH. Qed.

Lemma oerr_any_soft (h : 'I_K -> R) r : answers h -> \sum_k h k = r%:R -> (r <= K)%N ->
  29%:R * oerr y r <= 64%:R * soft_wrong (oerr y) h y.
Proof.
move=> ah hr rK; have [_ _ shape] := v_shapes R K y; have [_ _ right] := costs_right R y.
have := allP (allP (allP pivots_ok K _) y _) r _; rewrite !mem_iota !ltnS => /(_ K4 yK rK).
rewrite /pivot_ok; set d := nth _ _ r => ok; rewrite soft_wrongE // right subr0.
have le_low k : (low d y k)%:~R <= 0 :> R /\ (low d y k)%:~R <= step (oerr y) k - d%:~R :> R.
  rewrite /step !costE -!rmorphB /= /low; case: ifP => [s0|/negbT].
    by rewrite lerz0.
  by rewrite -ltNge => s0; split; rewrite ?lerz0 // ler_int ltW.
have := pivot ah hr (fun k _ => le_low k); rewrite -totalE -(ler_add2r (oerr y 0%N)) => le_sum.
apply: le_trans (ler_wpmul2l (ler0n _ 64) le_sum).
by rewrite !costE -(ler_int R) !(rmorphD, rmorphM) /= in ok *.
Qed.

(* lin_li.reduction.variant-oerr-constant: the oERR cost of any answers *)
Theorem oerr_any_answers (g : 'I_K -> bool) : 29%:R * oerr y (count g) <= 64%:R * wrong (oerr y) g y :> R.
Proof. by rewrite wrong_soft oerr_any_soft ?count_le // /count ?natr_sum //; exact: hard_answers. Qed.

(* lin_li.reduction.variant-soft-oerr-constant: the oERR cost of soft rank-monotone answers that add up to a grade *)
Theorem oerr_soft_answers (h : 'I_K -> R) r : answers h -> (forall j k : 'I_K, (j <= k)%N -> h k <= h j) ->
  \sum_k h k = r%:R -> 25%:R * oerr y r <= 32%:R * soft_wrong (oerr y) h y.
Proof.
move=> ah falls hr; have rK := grade_of_answers ah hr.
have [_ _ shape] := v_shapes R K y; have [_ _ right] := costs_right R y.
have := allP (allP lines_ok y _) r _; rewrite !mem_iota !ltnS => /(_ (leq_trans yK K4) (leq_trans rK K4)).
rewrite /line_ok; set b := nth _ _ r => /allP ok.
have below j : (j <= K)%N -> 25%:R / 32%:R * oerr y r + b%:~R / 32%:R * (j%:R - r%:R) <= oerr y j :> R.
  move=> jK; have := ok j; rewrite mem_iota ltnS (leq_trans jK K4) => /(_ isT).
  rewrite !costE; move: (cost y r) (cost y j) => u v.
  rewrite -(ler_int R) !(rmorphD, rmorphM, rmorphN) /= => H.
  rewrite -(@ler_pmul2l _ 32%:R) ?ltr0n //; apply: le_trans H.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
have scale (a x : R) : 25%:R / 32%:R * x <= a -> 25%:R * x <= 32%:R * a.
  by move=> xa; rewrite -ler_pdivr_mull ?ltr0n // (_ : _ * _ = 25%:R / 32%:R * x) //; field.
by have := line_below yK shape ah falls hr below; rewrite right subr0; exact: scale.
Qed.
End Constants.
