(* The claim of a certificate holds if Checker.v certifies it: by the theorems of Bounds.v, Pairings.v and Thresholds.v,
   over the rational numbers of MathComp. *)
From Refrank Require Export Checker.
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From Refrank Require Import Fields Sums Rankings Bounds Pairings Probabilities McRank Thresholds Bridge Fractions.
From mathcomp Require Import ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* what refers to the numbers over Q, through those over the ordered field of MathComp's own rational numbers *)
Section Soundness.
Variable c : certificate.
Hypothesis ok : certified c.
Local Notation ofQ := (@ofQ rat_realFieldType).
Local Notation n := (size (labels c)).

Lemma ofQ_leP a b : ofQ a <= ofQ b -> Qle a b.
Proof. by rewrite -(ofQ_le rat_realFieldType) => /Qle_bool_iff. Qed.

Let d p : rat := ofQ (discount c p).
Let label (i : 'I_n) := nth 0%N (labels c) i.
Let z (i : 'I_n) : rat := gain (label i).
Let r (i : 'I_n) : rat := relevance (highest c) (label i).

Lemma d_falling : falling d.
Proof.
move=> p; rewrite /d -ofQ_le /discount; have /and4P[/and3P[_ /(sortedP (last (Qmake Z0 1) (discounts c))) srt _] _ _ _] := ok.
case: (ltnP p.+1 (size (discounts c))) => lt_p; first exact: srt.
have -> : nth (last (Qmake Z0 1) (discounts c)) (discounts c) p.+1 = nth (last (Qmake Z0 1) (discounts c)) (discounts c) p.
  rewrite nth_default //; case: ltngtP lt_p => // [lt_p|E] _; first by rewrite nth_default.
  by rewrite -[p]/(p.+1.-1) -E nth_last; case: (discounts c).
exact/Qle_bool_iff/Qle_refl.
Qed.

Let order (g : 'S_n) := [seq label ((g^-1)%g p) | p <- enum 'I_n].

(* an order of the labels is a ranking of the documents *)
Lemma order_in_order y : perm_eq y (labels c) ->
  exists2 g : 'S_n, y = order g & forall i, nth 0%N y (g i) = label i.
Proof.
case/(@tuple_permP _ _ _ (in_tuple (labels c))) => g E; exists (g^-1)%g.
  rewrite E /order invgK; apply: eq_map => p; rewrite (tnth_nth 0%N) //.
move=> i; rewrite E (nth_map i) ?size_enum_ord // nth_ord_enum permKV (tnth_nth 0%N) //.
Qed.

Lemma labels_in_order : labels c = order 1.
Proof.
apply: (@eq_from_nth _ 0%N) => [|p lt_p]; first by rewrite size_map size_enum_ord.
by rewrite (nth_map (Ordinal lt_p)) ?size_enum_ord // invg1 perm1 /label nth_enum_ord.
Qed.

Lemma dcg_ofE g : ofQ (dcg_of c (order g)) = DCG d g z.
Proof.
rewrite /dcg_of ofQ_dcg /DCG /in_order /order -!map_comp; congr (dcg _ _ _).
by apply: eq_map => p /=; rewrite ofQ_gain.
Qed.

Lemma err_ofE g : err reciprocal 0 [seq relevance (highest c) k | k <- order g] = ERR (beta _) g r.
Proof. by rewrite err_beta /order -map_comp. Qed.

Lemma r_relevances : relevances r.
Proof.
move=> i; rewrite /r relevanceE; have t0 : 0 < 2%:R ^+ highest c :> rat by rewrite exprn_gt0.
have le_K : (label i <= highest c)%N by have /and4P[/and3P[/allP H _ _] _ _ _] := ok; apply/H/mem_nth.
apply/andP; split; first by rewrite divr_ge0 ?(ltW t0) // subr_ge0 exprn_ege1 ?ler1n.
rewrite ler_pdivr_mulr // mul1r ler_subl_addr (@le_trans _ _ (2%:R ^+ highest c)) ?ler_addl //.
by rewrite ler_weexpn2l ?ler1n.
Qed.

(* the best order ranks the documents by their gains, and by their relevance *)
Lemma best_sorts : exists2 h : 'S_n, best c = order h & sorts h z /\ sorts h r.
Proof.
have [|h E H] := @order_in_order (best c); first by rewrite perm_sort.
have le_label i j : (h i <= h j)%N -> (label j <= label i)%N.
  rewrite -!H => le_ij; have tr : transitive geq by move=> b a e ba eb; exact: leq_trans eb ba.
  apply: (sorted_leq_nth tr leqnn 0%N (sort_sorted _ _)) le_ij; rewrite ?inE ?size_sort // => a b.
  exact: (leq_total b a).
by exists h => //; split=> i j /le_label le_ij; [exact: gain_le | exact: relevance_le].
Qed.

Lemma errors_of h : best c = order h ->
  ofQ (dcg_error c) = DCG d h z - DCG d 1 z /\ ofQ (Checker.err_error c) = ERR (beta _) h r - ERR (beta _) 1 r.
Proof.
move=> E; have /and4P[_ /Qeq_bool_eq/(ofQ_eq rat_realFieldType) <- /Qeq_bool_eq/(ofQ_eq rat_realFieldType) <- _] := ok.
by rewrite ofQB fast_errorE -!dcg_ofE -!err_ofE -E -labels_in_order.
Qed.

Lemma differences g :
  ofQ (Qminus (dcg_of c (order g)) (dcg_of c (labels c))) = DCG d g z - DCG d 1 z /\
  ofQ (Qminus (err_of c (order g)) (err_of c (labels c))) = ERR (beta _) g r - ERR (beta _) 1 r.
Proof. by rewrite !ofQ_minus -!dcg_ofE /err_of !errQE -!err_ofE -labels_in_order. Qed.

(* DCG_g - DCG_pi is at most the root of what the discounts differ, times what the predictions f miss *)
Lemma root_below (dQ z' f' : nat -> Q) (e : nat -> rat) (w f : 'I_n -> rat) g :
  (forall p, ofQ (dQ p) = e p) -> (forall i : 'I_n, ofQ (z' i) = w i) -> (forall i : 'I_n, ofQ (f' i) = f i) ->
  falling e -> noninc f -> 0 <= DCG e g w - DCG e 1 w ->
  (DCG e g w - DCG e 1 w) ^+ 2 <= ofQ (mulQ (pairs dQ n) (misses z' f' n)).
Proof.
move=> de zw ff fe nf D0; rewrite ofQM.
have /andP[A0 leA] : 0 <= \sum_(i < n) (e i - e (rev_ord i)) ^+ 2 <= ofQ (pairs dQ n).
  by apply: squares_up => i; rewrite ofQB !de.
have /andP[B0 leB] : 0 <= \sum_i (w i - f i) ^+ 2 <= ofQ (misses z' f' n).
  by apply: squares_up => i; rewrite ofQB zw ff.
have le_misses := dcg_error_below_misses g w fe nf.
apply: le_trans (_ : (\sum_i (e (g i) - e i) * (w i - f i)) ^+ 2 <= _).
  by rewrite ler_expn2r ?nnegrE ?(le_trans D0).
apply: le_trans (cauchy_schwarz _ _) _; apply: ler_pmul => //; first by apply: sumr_ge0 => i _; exact: sqr_ge0.
exact: le_trans (pairing_squared g fe) leA.
Qed.

Lemma grades_fall (i j : 'I_n) : (i <= j)%N -> (nth 0%N (Checker.grades c) j <= nth 0%N (Checker.grades c) i)%N.
Proof.
move=> le_ij; have /and4P[/and3P[_ _ /and4P[/eqP sg srt _ _]] _ _ _] := ok.
have tr : transitive geq by move=> b a e ba eb; exact: leq_trans eb ba.
by apply: (sorted_leq_nth tr leqnn 0%N srt) le_ij; rewrite inE sg.
Qed.

Lemma predictions_fall (i j : 'I_n) : (i <= j)%N -> ofQ (nth (Qmake Z0 1) (predictions c) j) <= ofQ (nth (Qmake Z0 1) (predictions c) i).
Proof.
move=> le_ij; have /and4P[/and3P[_ _ /and4P[_ _ /eqP sp srt]] _ _ _] := ok.
have tr : transitive (fun a b => leQ b a).
  by move=> b a e; rewrite /leQ !(ofQ_le rat_realFieldType) => ba eb; exact: le_trans eb ba.
have re : reflexive (fun a b => leQ b a) by move=> a; rewrite /leQ (ofQ_le rat_realFieldType).
by rewrite -ofQ_le; apply: (sorted_leq_nth tr re (Qmake Z0 1) srt) le_ij; rewrite inE sp.
Qed.

Let grade (i : 'I_n) := nth 0%N (Checker.grades c) i.

Lemma label_le i : (label i <= highest c)%N.
Proof. by have /and4P[/and3P[/allP H _ _] _ _ _] := ok; apply/H/mem_nth. Qed.

Lemma swaps_below (dQ : nat -> Q) (e : nat -> rat) m :
  (forall p, ofQ (dQ p) = e p) -> swaps n e m <= ofQ (swaps_up dQ n m).
Proof.
move=> de; have le_n : (minn m n./2 <= n)%N.
  by rewrite (leq_trans (geq_minr _ _)) // -[X in (_ <= X)%N](odd_double_half n) -addnn addnA leq_addl.
rewrite /swaps -(big_ord_widen n (fun p => e p - e (n - p.+1)%N) le_n).
by apply: le_trans (sum_places _ _ _); apply: ler_sum => p _; rewrite ofQB !de.
Qed.

Lemma crossings_counted t : crossings label grade t = crossings_at c t.
Proof. by rewrite /crossings_at !count_card; congr maxn; apply: eq_card => i; rewrite !inE. Qed.

Lemma errors_counted : errors label grade = wrong_grades c.
Proof. by rewrite /wrong_grades count_card; apply: eq_card => i; rewrite [RHS]inE. Qed.

Lemma thresholds_below (dQ : nat -> Q) (e : nat -> rat) g : (forall p, ofQ (dQ p) = e p) -> falling e ->
  DCG e g z - DCG e 1 z <= ofQ (thresholds_up c dQ).
Proof.
move=> de fe; apply: le_trans (dcg_threshold g fe grades_fall label_le) (le_trans _ (sum_places _ _ _)).
apply: ler_sum => t _; rewrite ofQM ofQ_power powerE crossings_counted.
by rewrite ler_wpmul2l ?exprn_ge0 ?swaps_below.
Qed.

Lemma err_rr_dcg_below h : best c = order h -> DCG (beta _) h r - DCG (beta _) 1 r <= ofQ (bound_of c err_rr_dcg).
Proof.
move=> E; apply: le_trans (sum_places _ _ _); rewrite /DCG !dcg_sum !size_in_order -sumrB le_eqVlt; apply/orP; left; apply/eqP.
apply: eq_bigr => p _; rewrite ofQM ofQB !ofQ_relevance ofQ_reciprocal reciprocalE -mulrBr !nth_in_order add0n.
congr (_ * (_ - _)); first by rewrite E /order (nth_map p) ?size_enum_ord // nth_ord_enum.
by rewrite /r invg1 perm1.
Qed.

Lemma bound_holds b :
  0 <= ofQ (error_below c b) /\ (if by_root b then ofQ (error_below c b) ^+ 2 else ofQ (error_below c b)) <= ofQ (bound_of c b).
Proof.
have [h E [sz sr]] := best_sorts; have [dE eE] := errors_of E.
have d0 : 0 <= ofQ (dcg_error c) by rewrite dE subr_ge0; exact: dcg_perfect d_falling sz.
have e0 : 0 <= ofQ (Checker.err_error c) by rewrite eE subr_ge0; exact: err_perfect (@beta_falling _) sr r_relevances.
have le_rr : ofQ (Checker.err_error c) <= DCG (beta _) h r - DCG (beta _) 1 r.
  by rewrite eE; exact: err_below_rr_dcg (@beta_falling _) sr r_relevances.
case: b; split=> //=.
- rewrite dE ofQM ofQ_gain -errors_counted; apply: le_trans (dcg_by_errors h d_falling grades_fall label_le) _.
  by rewrite gainE ler_wpmul2l ?swaps_below // subr_ge0 exprn_ege1 ?ler1n.
- rewrite dE in d0 *; apply: root_below d_falling _ d0 => // [i|i j le_ij]; rewrite ?ofQ_gain //.
  exact: gain_le (grades_fall le_ij).
- by rewrite dE; exact: thresholds_below d_falling.
- rewrite dE in d0 *; apply: root_below d_falling _ d0 => // [i|i j]; rewrite ?ofQ_gain //; exact: predictions_fall.
- exact: le_trans le_rr (err_rr_dcg_below E).
- have D0 := le_trans e0 le_rr.
  apply: le_trans (_ : (DCG (beta _) h r - DCG (beta _) 1 r) ^+ 2 <= _); first by rewrite ler_expn2r.
  apply: root_below (@beta_falling _) _ D0 => [p|i|i|i j le_ij]; rewrite ?ofQ_reciprocal ?reciprocalE ?ofQ_relevance //.
  exact: relevance_le (grades_fall le_ij).
apply: le_trans le_rr _; rewrite ofQV ofQ_power powerE.
have relevance_z g : DCG (beta _) g r = DCG (beta _) g z / 2%:R ^+ highest c.
  by rewrite !DCGE mulr_suml; apply: eq_bigr => i _; rewrite /r /z relevanceE gainE mulrA.
rewrite !relevance_z -mulrBl ler_wpmul2r ?invr_ge0 ?exprn_ge0 //.
by apply: thresholds_below (@beta_falling _) => p; rewrite ofQ_reciprocal reciprocalE.
Qed.

(* without a row: what a certificate claims holds if it is certified *)
Theorem certified_holds : holds c.
Proof.
have [h E [sz sr]] := best_sorts; have [dE eE] := errors_of E; split=> [y py||b x].
- have [g -> _] := order_in_order py; have [dg eg] := differences g.
  split; apply: ofQ_leP; [rewrite dg dE | rewrite eg eE]; rewrite ler_sub //.
    exact: dcg_perfect d_falling sz.
  exact: err_perfect (@beta_falling _) sr r_relevances.
- exists (best c); first by rewrite perm_sort.
  by rewrite E; have [dg eg] := differences h; split; apply/(ofQ_eq rat_realFieldType); rewrite ?dg ?eg ?dE ?eE.
have /and4P[_ _ _ checked] := ok; have [e0 le_b] := bound_holds b => b_in; apply: ofQ_leP.
have : checks_bound c b x by elim: (bounds c) checked b_in => //= bx l IH /andP[bx_ok /IH l_ok] [E'|/l_ok //]; rewrite E' in bx_ok.
rewrite /checks_bound /leQ; case: (by_root b) le_b => le_b; last by rewrite (ofQ_le rat_realFieldType); exact: le_trans.
rewrite !(ofQ_le rat_realFieldType) ofQ0 ofQM => /andP[x0 le_x].
by rewrite -(@ler_pexpn2r _ 2) ?nnegrE //; apply: le_trans le_b _; rewrite expr2.
Qed.
End Soundness.
