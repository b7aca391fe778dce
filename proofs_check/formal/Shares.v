(* How much of the squared error the best cut of n rows takes off, at least, if a feature has a different value for each row.
   Rows are numbered in the order of this feature, and the residuals add up to 0, as they do before every round. *)
From Refrank Require Import Fields Leaves Trees.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Shares.
Variables (R : realFieldType) (m : nat).
Notation n := m.+1.
Implicit Types (r : 'I_n -> R) (b : nat) (G nu : R).

(* the first b rows, and what the cut after them gains *)
Definition first b := [set i : 'I_n | (i < b)%N].
Definition gain_after r b := split_gain (fun=> 1) r (first b) (~: first b).

(* w_b = b (n - b) / n *)
Definition spread b : R := b%:R * (n%:R - b%:R) / n%:R.

Lemma n_neq0 : n%:R != 0 :> R.
Proof. by rewrite pnatr_eq0. Qed.

Lemma spread_ends : spread 0 = 0 /\ spread n = 0.
Proof. by rewrite /spread subrr mulr0 !mul0r. Qed.

Lemma spread_ge0 b : (b <= n)%N -> 0 <= spread b.
Proof. by move=> bn; rewrite divr_ge0 ?mulr_ge0 ?ler0n // subr_ge0 ler_nat. Qed.

Lemma first_weight b : (b <= n)%N -> weight (fun=> 1) (first b) = b%:R :> R.
Proof.
move=> bn; rewrite /weight (eq_bigl (fun i : 'I_n => (i < b)%N)) => [|i]; last by rewrite inE.
by rewrite (big_ord_narrow bn) sumr_const card_ord.
Qed.

Lemma halves b (f : 'I_n -> R) : \sum_(i in first b) f i + \sum_(i in ~: first b) f i = \sum_i f i.
Proof. by rewrite -big_union ?disjoints_subset ?setCK // setUCr (eq_bigl _ _ (in_setT (T := _))). Qed.

Lemma complement_weight b : (b <= n)%N -> weight (fun=> 1) (~: first b) = n%:R - b%:R :> R.
Proof.
move=> bn; have := halves b (fun=> 1); rewrite -/(weight (fun=> 1) (first b)) first_weight // => /(canRL (addKr _)) E.
by rewrite /weight E sumr_const card_ord addrC.
Qed.

(* T_b = r_1 + ... + r_b *)
Lemma firstS r (i : 'I_n) : total (fun=> 1) r (first i.+1) = total (fun=> 1) r (first i) + r i.
Proof.
rewrite /total (bigD1 i) ?inE //= mul1r addrC; congr (_ + _).
by apply: eq_bigl => j; rewrite !inE ltnS ltn_neqAle andbC.
Qed.

Lemma first_all r : total (fun=> 1) r (first n) = \sum_i r i.
Proof. by rewrite /total; apply: eq_big => i; rewrite ?mul1r // inE ltn_ord. Qed.

Lemma first_none r : total (fun=> 1) r (first 0) = 0.
Proof. by rewrite /total big1 // => i; rewrite inE. Qed.

(* the cut after b gains T_b^2 / w_b *)
Lemma gain_of_sum r b : \sum_i r i = 0 -> (0 < b < n)%N ->
  total (fun=> 1) r (first b) ^+ 2 = gain_after r b * spread b.
Proof.
move=> r0 /andP[b0 bn]; have bn' := ltnW bn.
have : total (fun=> 1) r (first b) + total (fun=> 1) r (~: first b) = 0.
  by rewrite -r0 halves; apply: eq_bigr => i _; rewrite mul1r.
move/eqP; rewrite addr_eq0 => /eqP T; rewrite /gain_after /split_gain /mean T first_weight // complement_weight // /spread.
have B : b%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have C : n%:R - b%:R != 0 :> R by rewrite subr_eq0 eqr_nat eq_sym neq_ltn bn.
by rewrite [b%:R + _]addrC subrK; move: (n%:R : R) C n_neq0 => N C N0; field; rewrite B C N0.
Qed.

Lemma sums_bounded r G b : \sum_i r i = 0 -> (forall b, (0 < b < n)%N -> gain_after r b <= G) -> (b <= n)%N ->
  total (fun=> 1) r (first b) ^+ 2 <= G * spread b.
Proof.
move=> r0 best bn; have [->|b0] := posnP b; first by rewrite first_none spread_ends.1 mulr0 expr0n.
have [->|b'] := eqVneq b n; first by rewrite first_all r0 spread_ends.2 mulr0 expr0n.
have bb : (0 < b < n)%N by rewrite b0 ltn_neqAle b' bn.
by rewrite gain_of_sum // ler_wpmul2r ?best ?spread_ge0.
Qed.

(* sum w_b = (n^2 - 1) / 6 *)
Lemma spread_sum : \sum_(b < n) spread b = (n%:R ^+ 2 - 1) / 6%:R.
Proof.
have S k : \sum_(b < k) spread b = k%:R * (k%:R - 1) * (3%:R * n%:R - 2%:R * k%:R + 1) / (6%:R * n%:R).
  elim: k => [|k IH]; first by rewrite big_ord0 !mul0r.
  by rewrite big_ord_recr IH /= /spread [k.+1%:R]mulrS; move: (n%:R : R) n_neq0 => N N0; field.
by rewrite S; move: (n%:R : R) n_neq0 => N N0; field.
Qed.

(* losses.ls_boosting.variant-share: S <= (2 (n^2 - 1) / 3) (gain of the best cut), n rows of different values, sum r = 0 *)
Theorem share_of_cut r G : \sum_i r i = 0 -> (forall b, (0 < b < n)%N -> gain_after r b <= G) ->
  \sum_i r i ^+ 2 <= 2%:R * (n%:R ^+ 2 - 1) / 3%:R * G.
Proof.
move=> r0 best; pose T b := total (fun=> 1) r (first b).
have TG b : (b <= n)%N -> T b ^+ 2 <= G * spread b by exact: sums_bounded.
have step (i : 'I_n) : r i ^+ 2 <= 2%:R * (G * spread i.+1) + 2%:R * (G * spread i).
  have -> : r i = T i.+1 - T i by rewrite /T firstS addrC addKr.
  apply: le_trans (_ : 2%:R * T i.+1 ^+ 2 + 2%:R * T i ^+ 2 <= _).
    rewrite -subr_ge0 [X in 0 <= X](_ : _ = (T i.+1 + T i) ^+ 2) ?sqr_ge0 //; ring.
  by rewrite ler_add // ler_pmul2l ?ltr0n ?TG // ltnW.
apply: le_trans (ler_sum _ (fun i _ => step i)) _; rewrite big_split /= -!mulr_sumr.
have -> : \sum_(i < n) spread i.+1 = \sum_(b < n) spread b.
  apply: (addrI (spread 0)); rewrite -[LHS](big_ord_recl n spread) big_ord_recr /= addrC.
  by rewrite spread_ends.1 spread_ends.2.
by rewrite spread_sum le_eqVlt; apply/orP; left; apply/eqP; move: (n%:R : R) => N; field.
Qed.

Variables (X : Type) (x : 'I_n -> X).
Notation all := [set: 'I_n].

(* a tree that cuts wherever a cut after b gains, and makes a first cut that gains at least as much *)
Definition cuts_best (t : tree X) r := forall b, (0 < b < n)%N -> 0 < gain_after r b ->
  exists q t1 t2, t = Cut q t1 t2 /\ gain_after r b <= split_gain (fun=> 1) r (left x q all) (right x q all).

Lemma split_gain_ge0 r (A B : {set 'I_n}) : 0 <= split_gain (fun=> 1) r A B.
Proof.
have W (C : {set 'I_n}) : 0 <= weight (fun=> 1) C :> R by apply: sumr_ge0 => i _; exact: ler01.
by rewrite mulr_ge0 ?sqr_ge0 // divr_ge0 ?mulr_ge0 ?addr_ge0.
Qed.

Lemma gains_ge0 t (A : {set 'I_n}) r : 0 <= gains x (fun=> 1) t A r.
Proof. by elim: t A => [|q t1 IH1 t2 IH2] A //=; rewrite !addr_ge0 ?split_gain_ge0. Qed.

(* trees.ls_training_error.variant-falls-one-feature: all x different, SSE > 0, 0 < nu < 2: the SSE falls *)
Theorem one_feature_falls t nu r : sound x t all -> cuts_best t r -> \sum_i r i = 0 -> 0 < sse (fun=> 1) r ->
  0 < nu -> nu < 2%:R -> sse (fun=> 1) (after (fun=> 1) nu (leaves x t all) r) < sse (fun=> 1) r.
Proof.
move=> st best r0 S0 nu0 nu2; have one0 (i : 'I_n) : 0 < 1 :> R by exact: ltr01.
have one_r : \sum_i 1 * r i = 0 by rewrite -[RHS]r0; apply: eq_bigr => i _; rewrite mul1r.
rewrite (round_by_gains one0 nu st one_r) ltr_subl_addr ltr_addl !mulr_gt0 ?subr_gt0 //.
have [[b /andP[bn gb]]|none] := altP (@existsP _ (fun b : 'I_n => (0 < b)%N && (0 < gain_after r b))).
  have [|q [t1 [t2 [-> le_b]]]] := best b _ gb; first by rewrite bn ltn_ord.
  by rewrite /= ltr_paddr ?gains_ge0 // ltr_paddr ?gains_ge0 // (lt_le_trans gb).
have : \sum_i r i ^+ 2 <= 2%:R * (n%:R ^+ 2 - 1) / 3%:R * 0.
  apply: share_of_cut => // b /andP[b0 bn]; rewrite leNgt; apply: contra none => gb.
  by apply/existsP; exists (Ordinal bn); rewrite b0.
by rewrite mulr0 leNgt; case/negP; move: S0; rewrite /sse; under eq_bigr do rewrite mul1r.
Qed.
End Shares.

Section SharpShare.
Variables (R : rcfType) (m : nat).
Notation n := m.+1.
Notation spread := (spread R m).
Implicit Types (r : 'I_n -> R) (G : R).

Definition sharp_share : R := \sum_(b < n) (Num.sqrt (spread b.+1) + Num.sqrt (spread b)) ^+ 2.

(* losses.ls_boosting.variant-share-sharp: S <= s_n (gain of the best cut), s_n = sum (sqrt w_b + sqrt w_{b-1})^2 *)
Theorem sharp_share_of_cut r G : (1 < n)%N -> \sum_i r i = 0 -> (forall b, (0 < b < n)%N -> gain_after r b <= G) ->
  \sum_i r i ^+ 2 <= sharp_share * G.
Proof.
move=> n1 r0 best; have G0 : 0 <= G by apply: le_trans (best 1%N n1); exact: split_gain_ge0.
pose T b := total (fun=> 1) r (first m b).
have TG b : (b <= n)%N -> `|T b| <= Num.sqrt G * Num.sqrt (spread b).
  by move=> bn; rewrite -sqrtr_sqr -sqrtrM // ler_wsqrtr // sums_bounded.
rewrite mulr_suml; apply: ler_sum => i _.
have -> : r i = T i.+1 - T i by rewrite /T firstS addrC addKr.
rewrite -[X in _ * X](sqr_sqrtr G0) -exprMn mulrC mulrDr -real_normK ?num_real //.
rewrite ler_expn2r ?nnegrE ?addr_ge0 ?mulr_ge0 ?sqrtr_ge0 ?normr_ge0 //.
by apply: le_trans (ler_norm_sub _ _) _; rewrite ler_add ?TG // ltnW.
Qed.

(* losses.ls_boosting.variant-share-sharp: alternating residuals, T_b = (-1)^b sqrt w_b, attain it: every cut gains 1 *)
Theorem sharp_share_attained : exists r, \sum_i r i = 0 /\ \sum_i r i ^+ 2 = sharp_share /\
  forall b, (0 < b < n)%N -> gain_after r b = 1.
Proof.
pose T b := (-1) ^+ b * Num.sqrt (spread b); exists (fun i : 'I_n => T i.+1 - T i).
have sums b : (b <= n)%N -> total (fun=> 1) (fun i : 'I_n => T i.+1 - T i) (first m b) = T b.
  elim: b => [|b IH] bn; first by rewrite first_none /T (spread_ends _ _).1 sqrtr0 mulr0.
  by rewrite (firstS _ (Ordinal bn)) IH ?(ltnW bn) //= addrC subrK.
have sum0 : \sum_(i < n) (T i.+1 - T i) = 0.
  by rewrite -first_all sums // /T (spread_ends _ _).2 sqrtr0 mulr0.
split=> //; split=> [|b /andP[b0 bn]].
  apply: eq_bigr => i _; rewrite /T [(-1) ^+ i.+1]exprS mulN1r mulNr -opprD -mulrDr sqrrN exprMn -exprM mulnC exprM sqrrN !expr1n.
  by rewrite mul1r.
have w0 : 0 < spread b.
  by rewrite divr_gt0 ?ltr0Sn // mulr_gt0 ?ltr0n // subr_gt0 ltr_nat.
have := gain_of_sum sum0 (introT andP (conj b0 bn)); rewrite sums ?(ltnW bn) // /T exprMn -exprM mulnC exprM sqrrN !expr1n.
by rewrite mul1r sqr_sqrtr ?ltW // -{1}[spread b]mul1r => /(mulIf (lt0r_neq0 w0)) <-.
Qed.
End SharpShare.
