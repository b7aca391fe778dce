(* The best T of McRank Eq. 5 for DCG, where the grades of documents are drawn from their class probabilities. *)
From Refrank Require Import Rankings Bounds Transforms.
From mathcomp Require Import all_fingroup.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section ExpectedDcg.
Variables (R : realFieldType) (n K : nat) (p : 'I_n -> 'I_K.+1 -> R).
Hypothesis p1 : forall i, \sum_k p i k = 1.
Implicit Types (c : nat -> R) (g h : 'S_n).

(* the mean over all outcomes y, each with its probability *)
Definition expected_dcg c g :=
  \sum_(y : {ffun 'I_n -> 'I_K.+1}) (\prod_i p i (y i)) * DCG c g (fun i => gain (y i)).

Lemma mean_of_one (f : 'I_K.+1 -> R) i :
  \sum_(y : {ffun 'I_n -> 'I_K.+1}) (\prod_j p j (y j)) * f (y i) = \sum_k p i k * f k.
Proof.
pose F j k := p j k * (if j == i then f k else 1).
rewrite (eq_bigr (fun y : {ffun 'I_n -> 'I_K.+1} => \prod_j F j (y j))) => [|y _]; last first.
  by rewrite big_split /= -big_mkcond big_pred1_eq.
rewrite -(bigA_distr_bigA F) (bigD1 i) //= [X in _ * X]big1 => [|j /negbTE ji].
  by rewrite mulr1; apply: eq_bigr => k _; rewrite /F eqxx.
by rewrite -[RHS](p1 j); apply: eq_bigr => k _; rewrite /F ji mulr1.
Qed.

Lemma expected_dcgE c g : expected_dcg c g = DCG c g (fun i => score gain (p i)).
Proof.
rewrite DCGE /expected_dcg (eq_bigr (fun y : {ffun 'I_n -> 'I_K.+1} =>
  \sum_i c (g i) * ((\prod_j p j (y j)) * gain (y i)))) => [|y _]; last first.
  by rewrite DCGE mulr_sumr; apply: eq_bigr => i _; rewrite mulrCA.
rewrite exchange_big /=; apply: eq_bigr => i _; rewrite -mulr_sumr; congr (_ * _).
by rewrite (mean_of_one (fun k => gain k)) /score expectedE.
Qed.

(* mcrank.eq6.variant-expected-gain: sorting by the expected gain maximises the expected DCG *)
Theorem expected_gain_maximises c g h : falling c -> sorts g (fun i => score gain (p i)) ->
  expected_dcg c h <= expected_dcg c g.
Proof. by move=> fc sg; rewrite !expected_dcgE; exact: dcg_perfect. Qed.
End ExpectedDcg.
