(* Mohan et al., Theorem 1: the lines of its proof (App. A) that are true, as intended and with one C. Documents are
   numbered in the order of pi; r are the relevances of their labels, and u those of their predictions, by which pi
   sorts; (2^y_i - 2^yhat_i) / 2^K is r_i - u_i. g sorts by r. *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression Probabilities McRank Grades Err.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Looks.
Variable R : realFieldType.
Implicit Types (c : nat -> R) (l : seq R) (p : nat).

(* the probability that the user looks at place p *)
Definition reach l p := \prod_(x <- take p l) (1 - x).

Lemma bubbles_reach l l' : bubbles l l' -> all (fun x => 0 <= x <= 1) l -> forall p, reach l' p <= reach l p.
Proof.
have pos l1 p : all (fun x => 0 <= x <= 1) l1 -> 0 <= reach l1 p.
  move=> r1; rewrite /reach big_seq; apply: prodr_ge0 => x /mem_take /(allP r1) /andP[_ x1].
  by rewrite subr_ge0.
elim=> {l l'} [//|x l l' _ IH|x y l le_xy|l1 l2 l3 u12 IH1 _ IH2].
- case/andP=> /andP[_ x1] rl [|p]; rewrite /reach /= ?big_nil // !big_cons.
  by rewrite ler_wpmul2l ?subr_ge0 //; exact: IH.
- case/and3P=> x01 y01 rl [|[|p]]; rewrite /reach /= ?take0 ?big_nil // !big_cons ?big_nil.
    by rewrite !mulr1 ler_add2l ler_opp2.
  by rewrite mulrCA.
- move=> r1 p; have r2 : all (fun x => 0 <= x <= 1) l2 by rewrite -(perm_all _ (bubbles_perm u12)).
  exact: le_trans (IH2 r2 p) (IH1 r1 p).
Qed.

Variable n : nat.
Implicit Types (g h : 'S_n) (r u v : 'I_n -> R) (i : 'I_n).

(* C_g(p) of App. A, p from 0 *)
Definition C c g r p := c p * reach (in_order g r) p.

Lemma in_order_all g r : relevances r -> all (fun x => 0 <= x <= 1) (in_order g r).
Proof. by move=> rr; apply/allP=> x /mapP[i _ ->]; exact: rr. Qed.

Lemma look_reach g r i : look g r i = reach (in_order g r) (g i).
Proof.
rewrite /reach (big_nth 0) big_mkord size_take size_in_order ltn_ord.
rewrite /look (reindex_inj (@perm_inj _ (g^-1)%g)) /=.
under [RHS]eq_bigr => p _ do rewrite nth_take //.
rewrite (big_ord_widen_cond n xpredT (fun p => 1 - (in_order g r)`_p)) ?(ltnW (ltn_ord _)) //.
by apply: eq_big => p; rewrite /= ?permKV // => _; rewrite nth_in_order.
Qed.

Lemma C_look c g r i : C c g r (g i) = c (g i) * look g r i.
Proof. by rewrite /C look_reach. Qed.

(* ERR is the DCG with the discount C_g *)
Lemma ERR_DCG c g r : ERR c g r = DCG (C c g r) g r.
Proof. by rewrite ERRE DCGE; apply: eq_bigr => i _; rewrite C_look /stop; ring. Qed.

Lemma reach_falling l : all (fun x => 0 <= x <= 1) l -> forall p, 0 <= reach l p.+1 <= reach l p.
Proof.
elim: l => [|x l IH] /=; first by move=> _ p; rewrite /reach !big_nil lexx ler01.
case/andP=> /andP[x0 x1] rl [|p]; rewrite /reach /= ?take0 !big_cons ?big_nil.
  by rewrite mulr1 subr_ge0 x1 ler_subl_addr ler_addl.
by have /andP[l0 l1] := IH rl p; rewrite mulr_ge0 ?ler_wpmul2l ?subr_ge0.
Qed.

Lemma reach_01 l p : all (fun x => 0 <= x <= 1) l -> 0 <= reach l p <= 1.
Proof.
move=> rl; elim: p => [|p /andP[_ le1]]; first by rewrite /reach take0 big_nil ler01 lexx.
by have /andP[-> le_p] := reach_falling rl p; exact: le_trans le_p le1.
Qed.

Lemma C_falling c g r : falling c -> (forall p, 0 <= c p) -> relevances r -> falling (C c g r).
Proof.
move=> fc c0 rr p; have /andP[r0 r1] := reach_falling (in_order_all g rr) p.
exact: ler_pmul.
Qed.

Lemma C_between c g r p : (forall p, 0 <= c p) -> relevances r -> 0 <= C c g r p <= c p.
Proof.
move=> c0 rr; have /andP[r0 r1] := reach_01 p (in_order_all g rr).
by rewrite mulr_ge0 // ler_pimulr.
Qed.

Lemma C_least c g h r p : (forall p, 0 <= c p) -> sorts g r -> relevances r -> C c g r p <= C c h r p.
Proof.
move=> c0 sg rr; rewrite ler_wpmul2l //.
apply: (bubbles_reach _ (in_order_all h rr)); exact: bubbles_sort (perm_in_order g h r) (in_order_sorted sg).
Qed.
End Looks.

Section Proof.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (g : 'S_n) (r u : 'I_n -> R).

(* what each line needs of c = 1/i, and of the predictions *)
Definition discount c := falling c /\ forall p, 0 <= c p.

Lemma beta_discount : discount (beta R).
Proof. by split=> [|p]; [exact: beta_falling | rewrite invr_ge0 ler0n]. Qed.

(* igbrt.theorem1.step1: Eq. 6 *)
Theorem igbrt_split c r u : ERR c 1 r =
  (\sum_(i < n) C c 1 r i * u i) + \sum_(i < n) C c 1 r i * (r i - u i).
Proof. by rewrite ERR_DCG DCGE -big_split; apply: eq_bigr => i _ /=; rewrite perm1; ring. Qed.

(* igbrt.theorem1.variant-one-c: with C_pi on both sides, Eq. 7 is a rearrangement; and no C is below that of g *)
Theorem igbrt_one_c c g r u : discount c -> sorts g r -> relevances r -> noninc u ->
  \sum_i C c 1 r (g i) * u i <= \sum_(i < n) C c 1 r i * u i /\ forall p, C c g r p <= C c 1 r p.
Proof.
move=> [fc c0] sg rr nu; split=> [|p]; last exact: C_least.
have := dcg_perfect g (C_falling 1 fc c0 rr) (noninc_sorts nu); rewrite !DCGE.
by under [X in _ <= X -> _]eq_bigr => i _ do rewrite perm1.
Qed.

(* igbrt.theorem1.step2: Eq. 7 *)
Theorem igbrt_eq7 c g r u : discount c -> sorts g r -> relevances r -> noninc u -> (forall i, 0 <= u i) ->
  \sum_i C c g r (g i) * u i <= \sum_(i < n) C c 1 r i * u i.
Proof.
move=> dc sg rr nu u0; have [rearranged least] := igbrt_one_c dc sg rr nu.
by apply: le_trans rearranged; apply: ler_sum => i _; rewrite ler_wpmul2r.
Qed.

(* igbrt.theorem1.step3: the first line of the chain *)
Theorem igbrt_chain c g r u : discount c -> sorts g r -> relevances r -> noninc u -> (forall i, 0 <= u i) ->
  (\sum_i C c g r (g i) * u i) + (\sum_(i < n) C c 1 r i * (r i - u i)) <= ERR c 1 r.
Proof. by move=> dc sg rr nu u0; rewrite (igbrt_split c r u) ler_add2r igbrt_eq7. Qed.

(* igbrt.theorem1.step4: the second line *)
Theorem igbrt_regrouped c g r u :
  \sum_i C c g r (g i) * u i = (\sum_i C c g r (g i) * r i) - \sum_i C c g r (g i) * (r i - u i).
Proof. by rewrite -sumrB; apply: eq_bigr => i _; ring. Qed.

(* igbrt.theorem1.step5: the third line *)
Theorem igbrt_chain_end c g r u : discount c -> sorts g r -> relevances r -> noninc u -> (forall i, 0 <= u i) ->
  ERR c g r + (\sum_(i < n) (C c 1 r i - C c g r (g i)) * (r i - u i)) <= ERR c 1 r.
Proof.
move=> dc sg rr nu u0; apply: le_trans (igbrt_chain dc sg rr nu u0); rewrite igbrt_regrouped ERR_DCG DCGE.
rewrite -addrA ler_add2l -sumrN -big_split /= le_eqVlt; apply/orP; left; apply/eqP.
by apply: eq_bigr => i _; ring.
Qed.

(* igbrt.theorem1.variant-consequently: step 6 with the sign that follows *)
Theorem igbrt_consequently c g r u : discount c -> sorts g r -> relevances r -> noninc u -> (forall i, 0 <= u i) ->
  ERR c g r - ERR c 1 r <= \sum_(i < n) (C c g r (g i) - C c 1 r i) * (r i - u i).
Proof.
move=> dc sg rr nu u0; have := igbrt_chain_end dc sg rr nu u0 => H.
rewrite ler_subl_addr -ler_subl_addl; apply: le_trans H; rewrite ler_add2l -sumrN le_eqVlt; apply/orP; left.
by apply/eqP/eq_bigr => i _; ring.
Qed.

(* igbrt.theorem1.variant-twice: twice the sum of 1/i^2, which is below pi^2/3 (LogSquares.v) *)
Theorem igbrt_twice c g r : discount c -> relevances r ->
  \sum_(i < n) (C c 1 r i - C c g r (g i)) ^+ 2 <= 2%:R * \sum_(i < n) c i ^+ 2.
Proof.
move=> [fc c0] rr; have -> : 2%:R * (\sum_(i < n) c i ^+ 2) = \sum_(i < n) (c i ^+ 2 + c (g i) ^+ 2) :> R.
  by rewrite big_split /= (proj1 (same_discounts c g)) mulr_natl mulr2n.
apply: ler_sum => i _; have /andP[a0 ac] := C_between 1 i c0 rr; have /andP[b0 bc] := C_between g (g i) c0 rr.
apply: (@le_trans _ _ (C c 1 r i ^+ 2 + C c g r (g i) ^+ 2)).
  by rewrite sqrrB addrAC ler_subl_addr ler_addl mulrn_wge0 // mulr_ge0.
by rewrite ler_add // ler_expn2r ?nnegrE.
Qed.

(* igbrt.theorem1.variant-one-c-chain: the chain with one C *)
Theorem igbrt_one_c_chain c g r u : discount c -> sorts g r -> relevances r -> noninc u ->
  ERR c g r - ERR c 1 r <= \sum_(i < n) (C c 1 r (g i) - C c 1 r i) * (r i - u i).
Proof.
move=> [fc c0] sg rr nu; apply: le_trans (dcg_error_below_misses g r (C_falling 1 fc c0 rr) nu).
rewrite !ERR_DCG ler_add2r !DCGE; apply: ler_sum => i _; rewrite ler_wpmul2r ?C_least //.
by case/andP: (rr i).
Qed.

Lemma half_before (i : 'I_n) : (i < n./2)%N -> (i <= rev_ord i)%N.
Proof. by rewrite geq_half_double doubleS -addnn => lt; rewrite /= leq_subRL // addSn ltnW. Qed.

Lemma half_behind (i : 'I_n) : (n./2 <= i)%N -> (rev_ord i <= i)%N.
Proof. by rewrite leqNgt geq_half_double doubleS -addnn -ltnNge ltnS => le; rewrite /= leq_subLR addSn. Qed.

(* igbrt.theorem1.variant-one-c-squares: twice the sum of 1/i^2 up to n/2, which is below pi^2/3 (LogSquares.v) *)
Theorem igbrt_one_c_squares c g r : discount c -> relevances r ->
  \sum_(i < n) (C c 1 r (g i) - C c 1 r i) ^+ 2 <= 2%:R * \sum_(i < n./2) c i ^+ 2.
Proof.
move=> [fc c0] rr; have fC := C_falling 1 fc c0 rr; apply: le_trans (pairing_squared g fC) _.
pose half i := if (i < n./2)%N then c i ^+ 2 else 0.
have half0 i : 0 <= half i by rewrite /half; case: ifP => // _; exact: sqr_ge0.
have -> : 2%:R * (\sum_(i < n./2) c i ^+ 2) = \sum_(i < n) (half i + half (rev_ord i)).
  rewrite big_split /= -(reindex_inj rev_ord_inj (P := xpredT) (F := fun i : 'I_n => half i)) /=.
  rewrite mulr_natl mulr2n (big_ord_widen n (fun i => c i ^+ 2)) //.
    by rewrite /half -big_mkcond.
  by rewrite -[X in (_ <= X)%N]half_double half_leq // -addnn leq_addr.
have near (i : 'I_n) : (i < n./2)%N -> (C c 1 r i - C c 1 r (rev_ord i)) ^+ 2 <= half i.
  move=> lt; rewrite /half lt; have /andP[a0 ac] := C_between 1 i c0 rr.
  have /andP[b0 _] := C_between 1 (rev_ord i) c0 rr; have ba := falling_le fC (half_before lt).
  by rewrite ler_expn2r ?nnegrE ?subr_ge0 // ler_subl_addr; apply: le_trans ac _; rewrite ler_addl.
apply: ler_sum => i _; case: (ltnP i n./2) => [lt|ge]; first by rewrite -[X in X <= _]addr0 ler_add ?near.
case: (ltnP (rev_ord i) n./2) => [lt|ge_rev].
  by rewrite -[X in X <= _]add0r ler_add // -[_ - _]opprB sqrrN -{2}[i]rev_ordK near.
have /eqP e : i == rev_ord i.
  by rewrite -val_eqE eqn_leq half_behind // -{1}[i]rev_ordK half_behind.
by rewrite -e subrr expr0n addr_ge0.
Qed.
End Proof.

Section Roots.
Variables (R : rcfType) (n K : nat).
Implicit Types (c : nat -> R) (g : 'S_n) (y w : 'I_n -> nat).
Notation r y := (rels R K y).

(* igbrt.theorem1.step7: the inequality of Cauchy and Schwarz *)
Theorem igbrt_roots c g y w : discount c -> grades K y -> sorts_grades g y -> graded w ->
  ERR c g (r y) - ERR c 1 (r y) <= Num.sqrt (\sum_(i < n) (C c 1 (r y) i - C c g (r y) (g i)) ^+ 2) *
    Num.sqrt (\sum_i (2%:R ^+ y i - 2%:R ^+ w i) ^+ 2) / 2%:R ^+ K.
Proof.
move=> dc yK gy gw; have := igbrt_consequently dc (rels_sorts R K gy) (rels_relevances R yK) (rels_noninc R K gw)
  (fun i => rels_ge0 R K w i); move/le_trans; apply.
have -> : \sum_i (C c g (r y) (g i) - C c 1 (r y) i) * (r y i - r w i) =
  (\sum_(i < n) (C c g (r y) (g i) - C c 1 (r y) i) * (2%:R ^+ y i - 2%:R ^+ w i)) / 2%:R ^+ K.
  rewrite mulr_suml; apply: eq_bigr => i _; rewrite !relsE.
  by move: (2%:R ^+ K)^-1 (2%:R ^+ y i) (2%:R ^+ w i) (C _ _ _ _) (C _ _ _ _) => q a b d e; ring.
rewrite ler_wpmul2r ?invr_ge0 ?(ltW (power_gt0 _ _)) //.
apply: le_trans (hoelder Two _ _) _; rewrite /= le_eqVlt; apply/orP; left; apply/eqP; congr (Num.sqrt _ * _).
by apply: eq_bigr => i _; rewrite -[_ - _]opprB sqrrN.
Qed.

(* igbrt.theorem1.variant-mended: what the mended proof gives, with twice the sum of 1/i^2 for its limit pi^2/3 *)
Theorem igbrt_mended c g y w : discount c -> grades K y -> grades K w -> sorts_grades g y -> graded w ->
  ERR c g (r y) - ERR c 1 (r y) <=
  gain K / 2%:R ^+ K * Num.sqrt (2%:R * \sum_(i < n) c i ^+ 2) * Num.sqrt (errors y w)%:R.
Proof.
move=> dc yK wK gy gw; apply: le_trans (igbrt_roots dc yK gy gw) _.
have -> (a b : R) : gain K / 2%:R ^+ K * a * b = a * (gain K * b) / 2%:R ^+ K.
  by move: (gain K) (2%:R ^+ K)^-1 => k q; ring.
rewrite ler_wpmul2r ?invr_ge0 ?(ltW (power_gt0 _ _)) // ler_pmul ?sqrtr_ge0 //.
  by rewrite ler_wsqrtr // igbrt_twice //; exact: rels_relevances.
rewrite -[X in X * _]ger0_norm ?gain_ge0 // -sqrtr_sqr -sqrtrM ?sqr_ge0 //.
by rewrite ler_wsqrtr // gainE powers_apart.
Qed.
End Roots.
