(* One document whose grade is random, with probabilities p over 0..K: COCR's Theorem 1, and Lin and Li's reduction in
   expectation. The k-th question, k = 0..K-1, is "is the grade above k?". *)
From Refrank Require Import Fields Sums Costs Answers.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section NoisyGrade.
Variables (R : realFieldType) (K : nat) (p : 'I_K.+1 -> R).
Implicit Types (g : 'I_K -> bool) (h : 'I_K -> R).

(* P(y > k) *)
Definition above (k : nat) := \sum_(y < K.+1 | (k < y)%N) p y.

(* cocr.theorem1.variant-perfect: answers equal to the probabilities add up to the expected grade *)
Theorem perfect_answers : \sum_(k < K) above k = expected of_nat 0 (codom p).
Proof.
rewrite expectedE (exchange_big_dep xpredT) //=; apply: eq_bigr => y _.
have yK : (y <= K)%N by rewrite -ltnS.
rewrite of_natE -[in RHS](count_below yK) natr_sum mulr_sumr big_mkcond /=.
by apply: eq_bigr => k _; case: (k < y)%N; rewrite ?mulr1 ?mulr0.
Qed.

(* cocr.theorem1.step1: the rank and the expected grade, by the answers *)
Theorem rank_off_by_answers h :
  \sum_k h k - expected of_nat 0 (codom p) = \sum_k h k - \sum_(k < K) above k.
Proof. by rewrite perfect_answers. Qed.

(* cocr.theorem1.step2: Cauchy-Schwarz *)
Theorem answers_squared h : (\sum_k (h k - above k)) ^+ 2 <= K%:R * (\sum_k (h k - above k) ^+ 2).
Proof. by have := sum_squared (fun k => h k - above k); rewrite card_ord. Qed.

(* cocr.theorem1: answers near the probabilities add up to a number near the expected grade *)
Theorem rank_near_expected_grade h (eps : R) : \sum_k (h k - above k) ^+ 2 <= eps ^+ 2 ->
  (\sum_k h k - expected of_nat 0 (codom p)) ^+ 2 <= K%:R * eps ^+ 2.
Proof.
move=> near; rewrite rank_off_by_answers -sumrB; apply: le_trans (answers_squared h) _.
by rewrite ler_wpmul2l ?ler0n.
Qed.

Variable cost : nat -> nat -> R.

(* the expected cost of the rank k, the weight that an answer to question k is expected to be wrong by, and what it
   exceeds that of the better answer by *)
Definition expected_cost k := \sum_y p y * cost y k.
Definition error k (answer : bool) := \sum_(y < K.+1) p y * (weight (cost y) k.+1 * (answer != (k < y)%N)%:R).
Definition excess k answer := error k answer - Num.min (error k true) (error k false).

Hypothesis cost_v_shaped : forall y, v_shaped K (cost y) y.

(* regret.lin_li.step1: the error of the answer 1 exceeds that of 0 by the step of the expected cost, for any V-shaped
   costs *)
Theorem one_answer k : (k < K)%N -> error k true - error k false = expected_cost k.+1 - expected_cost k.
Proof.
move=> kK; rewrite -!sumrB; apply: eq_bigr => y _; rewrite -!mulrBr; congr (_ * _).
have := @cost_v_shaped y k kK; rewrite /weight /=; case: (k < y)%N => shape; rewrite ?sub0r ?subr0 ?mulrN1 ?mulr1.
  by rewrite ler0_norm ?subr_le0 // opprK.
by rewrite ger0_norm ?subr_ge0.
Qed.

Lemma excess_ge (k : 'I_K) (a b : bool) : step expected_cost k * (a%:R - b%:R) <= excess k a.
Proof.
rewrite /step -one_answer // /excess.
have le1 : Num.min (error k true) (error k false) <= error k true by rewrite le_minl lexx.
have le0 : Num.min (error k true) (error k false) <= error k false by rewrite le_minl lexx orbT.
case: a b => [] []; rewrite ?subrr ?subr0 ?sub0r ?mulr0 ?mulr1 ?mulrN1 ?opprB ?subr_ge0 // ler_add2l ler_opp2 //.
Qed.

Lemma regret_monotone g best : monotone g -> (best <= K)%N ->
  expected_cost (count g) - expected_cost best <= \sum_(k < K) excess k (g k).
Proof.
move=> mg bK; rewrite (telescoped _ (count_le g) bK); apply: ler_sum => k _.
by rewrite -monotone_count // excess_ge.
Qed.

Lemma regret_convex g best : convex K expected_cost -> (best <= K)%N ->
  expected_cost (count g) - expected_cost best <= \sum_(k < K) excess k (g k).
Proof.
move=> cc bK; apply: le_trans (convex_answers cc (hard_answers R g) _ bK) _; first by rewrite /count natr_sum.
by apply: ler_sum => k _; rewrite excess_ge.
Qed.
End NoisyGrade.

Section Regret.
Variables (R : realFieldType) (K : nat) (p : 'I_K.+1 -> R) (g : 'I_K -> bool) (best : nat).
Hypothesis bK : (best <= K)%N.

(* regret.lin_li: rank-monotone answers and the oERR cost; best may be the rank of the least cost *)
Theorem oerr_regret : monotone g ->
  expected_cost p oerr (count g) - expected_cost p oerr best <= \sum_(k < K) excess p oerr k (g k).
Proof. by move=> mg; apply: regret_monotone => // y; have [] := v_shapes R K y. Qed.

Lemma expected_convex (cost : nat -> nat -> R) :
  (forall k, 0 <= p k) -> (forall y, convex K (cost y)) -> convex K (expected_cost p cost).
Proof.
move=> p0 cc k kK; rewrite -!sumrB; apply: ler_sum => y _.
by rewrite -!mulrBr ler_wpmul2l // cc.
Qed.

(* regret.lin_li.variant-absolute: any answers and the absolute cost *)
Theorem absolute_regret : (forall k, 0 <= p k) ->
  expected_cost p absolute (count g) - expected_cost p absolute best <= \sum_(k < K) excess p absolute k (g k).
Proof.
move=> p0; apply: regret_convex => // [y|]; first by have [] := v_shapes R K y.
by apply: expected_convex => // y; have [] := absolute_squared_convex R K y.
Qed.

(* regret.lin_li.variant-squared: any answers and the squared cost *)
Theorem squared_regret : (forall k, 0 <= p k) ->
  expected_cost p squared (count g) - expected_cost p squared best <= \sum_(k < K) excess p squared k (g k).
Proof.
move=> p0; apply: regret_convex => // [y|]; first by have [] := v_shapes R K y.
by apply: expected_convex => // y; have [] := absolute_squared_convex R K y.
Qed.
End Regret.
