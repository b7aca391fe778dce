(* The regret of ERR for noisy labels: if the labels are independent, the expected ERR is the ERR of the expected
   relevances, and bounds of the ERR error are bounds of the regret. Two documents need no independence.
   Documents are numbered in the order of pi, which does not see the labels. *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression Regret Probabilities McRank Grades Err ErrRoot.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Independent.
Variables (R : realFieldType) (n K : nat) (p : 'I_n -> 'I_K.+1 -> R).
Hypotheses (p0 : forall i k, 0 <= p i k) (p1 : forall i, \sum_k p i k = 1).
Implicit Types (c : nat -> R) (g tau : 'S_n) (y : {ffun 'I_n -> 'I_K.+1}) (i j : 'I_n).

(* the labels y have the probability of their product, and document i the grade k with probability p i k *)
Definition independent y : R := \prod_i p i (y i).

(* the relevances of labels *)
Definition relevance_of y : 'I_n -> R := rels R K (fun i => y i : nat).

Notation E X := (mean independent X).

(* the expected relevances *)
Notation ER := (means independent relevance_of).

Lemma mean_product (e : 'I_n -> 'I_K.+1 -> R) : E (fun y => \prod_j e j (y j)) = \prod_j \sum_k p j k * e j k.
Proof. by rewrite bigA_distr_bigA; apply: eq_bigr => y _; rewrite -big_split. Qed.

Lemma mean_relevance i : ER i = \sum_k p i k * relevance K k.
Proof.
pose e j (k : 'I_K.+1) : R := if j == i then relevance K k else 1.
have E1 y : relevance_of y i = \prod_j e j (y j).
  by rewrite (bigD1 i) //= /e eqxx big1 ?mulr1 // => j /negPf ->.
rewrite /means /mean; under eq_bigr => y _ do rewrite E1.
rewrite -/(mean _ _) mean_product (bigD1 i) //= /e eqxx [X in _ * X]big1 ?mulr1 // => j /negPf ji.
by rewrite ji -[RHS](p1 j); apply: eq_bigr => k _; rewrite mulr1.
Qed.

Lemma mean_stop g i : E (fun y => stop g (relevance_of y) i) = stop g ER i.
Proof.
pose e j (k : 'I_K.+1) : R :=
  if j == i then relevance K k else if (g j < g i)%N then 1 - relevance K k else 1.
have sum1 j : \sum_k p j k * e j k = if j == i then ER j else if (g j < g i)%N then 1 - ER j else 1.
  rewrite /e; case: eqP => [_|_]; first by rewrite mean_relevance.
  case: ifP => _; last by rewrite -[RHS](p1 j); apply: eq_bigr => k _; rewrite mulr1.
  by rewrite mean_relevance -[X in _ = X - _](p1 j) -sumrB; apply: eq_bigr => k _; rewrite mulrBr mulr1.
have split (f h : 'I_n -> R) : \prod_j (if j == i then f j else if (g j < g i)%N then h j else 1) =
    f i * \prod_(j | (g j < g i)%N) h j.
  rewrite (bigD1 i) //= eqxx; congr (_ * _); rewrite [RHS]big_mkcond [RHS](bigD1 i) //= ltnn mul1r.
  by apply: eq_bigr => j /negPf ->.
transitivity (E (fun y => \prod_j e j (y j))).
  apply: eq_bigr => y _; congr (_ * _); symmetry; exact: (split (relevance_of y) (fun j => 1 - relevance_of y j)).
rewrite mean_product (eq_bigr _ (fun j _ => sum1 j)); exact: (split ER (fun j => 1 - ER j)).
Qed.

(* regret.err.step1: the expected ERR is the ERR of the expected relevances *)
Theorem expected_err c g : E (fun y => ERR c g (relevance_of y)) = ERR c g ER.
Proof.
rewrite ERRE /mean; under eq_bigr => y _ do rewrite ERRE mulr_sumr.
rewrite exchange_big; apply: eq_bigr => i _ /=; rewrite -mean_stop /mean mulr_sumr.
by apply: eq_bigr => y _; rewrite mulrCA.
Qed.

Lemma mean_relevances : relevances ER.
Proof.
have rK (k : 'I_K.+1) := rels_relevances R (fun _ : 'I_n => leq_ord k).
move=> i; rewrite mean_relevance; apply/andP; split.
  by apply: sumr_ge0 => k _; rewrite mulr_ge0 //; case/andP: (rK k i).
by rewrite -[X in _ <= X](p1 i); apply: ler_sum => k _; rewrite ler_pimulr //; case/andP: (rK k i).
Qed.

(* regret.err: no ranking has a larger expected ERR than g, by the expected relevances, and the regret of pi is bounded
   by places and expected relevances *)
Theorem err_regret c g tau : falling c -> sorts g ER ->
  E (fun y => ERR c tau (relevance_of y)) - E (fun y => ERR c 1 (relevance_of y)) <= \sum_i (c (g i) - c i) * ER i.
Proof.
move=> fc sg; rewrite !expected_err; have rr := mean_relevances.
apply: le_trans (_ : ERR c g ER - ERR c 1 ER <= _); first by rewrite ler_add2r err_perfect.
apply: le_trans (err_below_rr_dcg 1 fc sg rr) _; rewrite !DCGE -sumrB le_eqVlt; apply/orP; left.
by apply/eqP/eq_bigr => i _; rewrite perm1 mulrBl.
Qed.
End Independent.

Section Root.
Variables (R : rcfType) (n K : nat) (p : 'I_n -> 'I_K.+1 -> R).
Hypotheses (p0 : forall i k, 0 <= p i k) (p1 : forall i, \sum_k p i k = 1).
Implicit Types (tau : 'S_n) (v : 'I_n -> R).
Notation beta := (beta R).
Notation E X := (mean (independent p) X).
Notation ER := (means (independent p) (@relevance_of R n K)).

(* regret.err.variant-oerr: the root of oERR, for any real v by which pi sorts *)
Theorem err_regret_below_root tau v : noninc v ->
  E (fun y => ERR beta tau (relevance_of R y)) - E (fun y => ERR beta 1 (relevance_of R y)) <=
  Kn R n / 2%:R ^+ K * Num.sqrt (\sum_i (2%:R ^+ K * ER i - v i) ^+ 2).
Proof.
move=> nv; rewrite !expected_err //; have rr := mean_relevances p0 p1.
have [g sg] : exists g : 'S_n, sorts g ER by have [s _ ls] := bubble_sort_ends ER 1; exists (last 1%g s).
apply: le_trans (_ : ERR beta g ER - ERR beta 1 ER <= _).
  by rewrite ler_add2r err_perfect //; exact: beta_falling.
have p2 := power_gt0 R K; have nf : noninc (fun i => v i / 2%:R ^+ K).
  by move=> i j ij; rewrite ler_wpmul2r ?invr_ge0 ?(ltW p2) // nv.
rewrite mulrAC -mulrA -root_scaled //; apply: le_trans (err_below_norm rr sg nf) _; rewrite le_eqVlt; apply/orP; left.
by apply/eqP; congr (_ * Num.sqrt _); apply: eq_bigr => i _; rewrite mulrBl mulrAC divff ?mul1r ?lt0r_neq0.
Qed.
End Root.

Section Two.
Variables (R : realFieldType) (Omega : finType) (P : Omega -> R).
Hypothesis P0 : forall w, 0 <= P w.
Implicit Types (c : nat -> R) (g tau : 'S_2) (r : Omega -> 'I_2 -> R).

Lemma err_of_two c g (r : 'I_2 -> R) : ERR c g r = DCG c g r - c 1%N * (r ord0 * r ord_max).
Proof.
have -> : r ord0 * r ord_max = \prod_(x <- in_order g r) x.
  rewrite (perm_big _ (perm_in_order 1 g r)) /= big_map invg1 big_enum /= big_ord_recr big_ord1 /= !perm1.
  by congr (r _ * r _); apply: val_inj.
rewrite /ERR /DCG; have := size_in_order g r; case: (in_order g r) => [//|a [//|b [|//]]] _.
by rewrite !big_cons big_nil /=; ring.
Qed.

(* regret.err.variant-dependent-two: labels of two documents that depend on each other in any way: an equality *)
Theorem err_regret_of_two c g r : falling c -> sorts g (means P r) ->
  (forall tau, mean P (fun w => ERR c tau (r w)) <= mean P (fun w => ERR c g (r w))) /\
  mean P (fun w => ERR c g (r w)) - mean P (fun w => ERR c 1 (r w)) = \sum_i (c (g i) - c i) * means P r i.
Proof.
move=> fc sg; pose both := mean P (fun w => c 1%N * (r w ord0 * r w ord_max)).
have E tau : mean P (fun w => ERR c tau (r w)) = DCG c tau (means P r) - both.
  by rewrite -mean_dcg /mean -sumrB; apply: eq_bigr => w _; rewrite err_of_two mulrBr.
split=> [tau|]; first by rewrite !E ler_add2r dcg_perfect.
rewrite !E opprB addrA addrNK !DCGE -sumrB.
by apply: eq_bigr => i _; rewrite perm1 mulrBl.
Qed.
End Two.
