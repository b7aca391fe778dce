(* COCR, Theorem 2, as intended: the ERR error of pi is bounded by places times stopping probabilities, for every
   ranking rho, perfect or not. F_i(rho, y) is `stop rho r i` for the relevances r of the labels y, and F_i(pi, yhat) is
   `stop 1 u i` for those of the predictions, by which pi sorts: any real numbers of at most 1. *)
From Refrank Require Import Rankings Bounds Norms Err.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Chain.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (rho : 'S_n) (r u : 'I_n -> R) (i j : 'I_n) (s : {ffun 'I_n -> bool}).

Lemma ERR_of_pi c r : ERR c 1 r = \sum_(i < n) c i * stop 1 r i.
Proof. by rewrite ERRE; apply: eq_bigr => i _; rewrite perm1. Qed.

(* cocr.theorem2.step1: ERR(pi) by the predicted stops and by what they miss *)
Theorem err_split c r u :
  ERR c 1 r = (\sum_(i < n) c i * stop 1 u i) + \sum_(i < n) c i * (stop 1 r i - stop 1 u i).
Proof. by rewrite ERR_of_pi -big_split /=; apply: eq_bigr => i _; ring. Qed.

Lemma stop_noninc u : noninc u -> (forall i, u i <= 1) -> noninc (stop 1 u).
Proof.
move=> nu u1; suff s : sorts 1 (stop 1 u) by move=> i j ij; apply: s; rewrite !perm1.
apply: sorts_neighbours => i j next; rewrite /stop (look_second next).
have L0 : 0 <= look 1 u i by apply: prodr_ge0 => k _; rewrite subr_ge0.
rewrite mulrA ler_wpmul2r //; apply: (@le_trans _ _ (u i * (1 - u i))).
  by rewrite ler_wpmul2r ?subr_ge0 // nu //; move: next; rewrite !perm1 => ->.
by rewrite mulrBr mulr1 ler_subl_addr ler_addl -expr2 sqr_ge0.
Qed.

(* cocr.theorem2.step2: where pi has the larger discount, the predicted probability of stopping is not smaller *)
Theorem stop_follows_discount u i j : noninc u -> (forall k, u k <= 1) ->
  beta R i <= beta R j -> stop 1 u i <= stop 1 u j.
Proof.
move=> nu u1; rewrite /beta lef_pinv ?posrE ?ltr0Sn // ler_nat ltnS => ji; exact: stop_noninc.
Qed.

(* cocr.theorem2.step3: Eq. 11 *)
Theorem stops_rearranged c rho u : falling c -> noninc u -> (forall i, u i <= 1) ->
  \sum_i c (rho i) * stop 1 u i <= \sum_(i < n) c i * stop 1 u i.
Proof.
move=> fc nu u1; have := dcg_perfect rho fc (noninc_sorts (stop_noninc nu u1)); rewrite !DCGE.
by under [X in _ <= X -> _]eq_bigr => i _ do rewrite perm1.
Qed.

Lemma first_exists g s i : s i -> exists2 j, first g s j & (g j <= g i)%N.
Proof.
move=> si; case: (@arg_minnP _ i s (fun j => g j) si) => j sj least; exists j; last exact: least.
by rewrite /first sj; apply/forallP => k; rewrite ltnNge; apply/implyP; apply: contra; exact: least.
Qed.

Lemma first_sum c g s i : first g s i -> \sum_(j < n) c j * (first g s j)%:R = c i.
Proof.
move=> fi; rewrite (bigD1 i) //= fi mulr1 big1 ?addr0 // => j /negP ji.
by case fj: (first g s j); rewrite ?mulr0 //; case: ji; rewrite (first_unique fj fi).
Qed.

(* cocr.theorem2.variant-eq12-summed: of the documents that satisfy, the first along pi has the largest discount *)
Theorem stops_along_pi c rho r : falling c -> relevances r ->
  \sum_(i < n) c i * stop rho r i <= \sum_(i < n) c i * stop 1 r i.
Proof.
move=> fc rr; have E (g : 'S_n) : \sum_(i < n) c i * stop g r i =
    \sum_s chance r s * \sum_(i < n) c i * (first g s i)%:R.
  under [LHS]eq_bigr => i _ do rewrite stop_first mulr_sumr.
  by rewrite exchange_big; apply: eq_bigr => s _; rewrite mulr_sumr; apply: eq_bigr => i _; rewrite mulrCA.
rewrite !E; apply: ler_sum => s _; rewrite ler_wpmul2l ?chance_ge0 //.
case: (pickP s) => [k sk|none]; last by rewrite !big1 // => i _; rewrite /first none mulr0.
have [i fi _] := first_exists rho sk; have [j fj] := first_exists 1 (proj1 (andP fi)).
by rewrite !perm1 (first_sum c fi) (first_sum c fj) => ji; exact: falling_le.
Qed.

(* cocr.theorem2.step5: the first line of the chain *)
Theorem err_above_stops c rho r u : falling c -> relevances r -> noninc u -> (forall i, u i <= 1) ->
  (\sum_i c (rho i) * stop 1 u i) + (\sum_(i < n) c i * (stop rho r i - stop 1 u i)) <= ERR c 1 r.
Proof.
move=> fc rr nu u1; rewrite (err_split c r u) ler_add ?stops_rearranged //.
under eq_bigr => i _ do rewrite mulrBr; under [X in _ <= X]eq_bigr => i _ do rewrite mulrBr.
by rewrite !sumrB ler_add2r stops_along_pi.
Qed.

(* cocr.theorem2.step6: the second line is an equality *)
Theorem stops_regrouped c rho r u :
  (\sum_i c (rho i) * stop 1 u i) + (\sum_(i < n) c i * (stop rho r i - stop 1 u i)) =
  (\sum_i c (rho i) * stop rho r i) + \sum_(i < n) (c i - c (rho i)) * (stop rho r i - stop 1 u i).
Proof. by rewrite -!big_split /=; apply: eq_bigr => i _; ring. Qed.

(* cocr.theorem2.step7: Eq. 10 for rho *)
Theorem err_of_rho c rho r : \sum_i c (rho i) * stop rho r i = ERR c rho r.
Proof. by rewrite ERRE. Qed.

(* cocr.theorem2.variant-chain: what the chain gives, for every rho *)
Theorem err_error_below_stops c rho r u : falling c -> relevances r -> noninc u -> (forall i, u i <= 1) ->
  ERR c rho r - ERR c 1 r <= \sum_(i < n) (c (rho i) - c i) * (stop rho r i - stop 1 u i).
Proof.
move=> fc rr nu u1; have := err_above_stops rho fc rr nu u1; rewrite stops_regrouped err_of_rho => H.
rewrite ler_subl_addr -ler_subl_addl; apply: le_trans H; rewrite ler_add2l -sumrN le_eqVlt; apply/orP; left.
by apply/eqP/eq_bigr => i _; ring.
Qed.
End Chain.

Section Theorem2.
Variables (R : rcfType) (n : nat).
Implicit Types (c : nat -> R) (rho : 'S_n) (r u : 'I_n -> R).

Definition places_apart c rho := Num.sqrt (\sum_(i < n) (c (rho i) - c i) ^+ 2).
Definition stops_apart rho r u := Num.sqrt (\sum_i (stop rho r i - stop 1 u i) ^+ 2).

(* cocr.theorem2.step9: the inequality of Cauchy and Schwarz *)
Theorem stops_inner_product c rho r u :
  \sum_(i < n) (c i - c (rho i)) * (stop rho r i - stop 1 u i) <= places_apart c rho * stops_apart rho r u.
Proof.
have := hoelder Two (fun i : 'I_n => c i - c (rho i)) (fun i => stop rho r i - stop 1 u i); congr (_ <= _ * _).
by congr Num.sqrt; apply: eq_bigr => i _; ring.
Qed.

(* cocr.theorem2.variant-intended, cocr.theorem2.variant-any-rho, cocr.theorem2.variant-real-valued: Theorem 2 with the
   sign that its proof gives, for every ranking rho and real predictions of a relevance of at most 1 *)
Theorem cocr_theorem2 c rho r u : falling c -> relevances r -> noninc u -> (forall i, u i <= 1) ->
  ERR c rho r - ERR c 1 r <= places_apart c rho * stops_apart rho r u.
Proof.
move=> fc rr nu u1; apply: le_trans (err_error_below_stops rho fc rr nu u1) _.
exact: (hoelder Two (fun i : 'I_n => c (rho i) - c i)).
Qed.

(* cocr.theorem2: as printed, for a perfect rho. The left side is at most 0, which no right side is below *)
Theorem cocr_theorem2_printed c rho r u : falling c -> sorts rho r -> relevances r ->
  ERR c 1 r - ERR c rho r <= 0 <= places_apart c rho * stops_apart rho r u.
Proof. by move=> fc sr rr; rewrite subr_le0 (err_perfect 1 fc sr rr) mulr_ge0 ?sqrtr_ge0. Qed.
End Theorem2.
