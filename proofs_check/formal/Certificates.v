(* The claim of a certificate holds if Checker.v certifies it: by the theorems of Bounds.v, over the rational numbers. *)
From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From Refrank Require Import Fields Sums Rankings Bounds Pairings Bridge.
From Refrank Require Export Checker.
From mathcomp Require Import ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.POrderTheory Order.TotalTheory.
Local Open Scope ring_scope.

Section Numbers.
Variable R : realFieldType.
Local Notation ofQ := (@ofQ R).

Lemma ofQ_make a b : ofQ (Qmake a b) = ofZ R a / ofZ R (Zpos b).
Proof. by []. Qed.

Lemma ofQ_minus a b : ofQ (Qminus a b) = ofQ a - ofQ b.
Proof. by rewrite -ofQB /subQ ofQ_Qred. Qed.

Lemma ofZ_shift k : ofZ R (Zpos (shift_nat k 1)) = 2%:R ^+ k.
Proof.
elim: k => [|k IH] //=; rewrite exprS -IH.
by rewrite -[Zpos (xO _)]/(Z.mul 2 (Zpos (shift_nat k 1))) ofZM.
Qed.

Lemma ofZ_place i : ofZ R (Zpos (Pos.of_succ_nat i)) = i.+1%:R.
Proof. by rewrite -[i.+1%:R]/(Posz i.+1)%:~R /ofZ /= SuccNat2Pos.id_succ. Qed.

Lemma fast_err_step K i k a b :
  ofQ (Qmake (numerator K i k a b) (denominator K i b)) =
  reciprocal i * relevance K k + (1 - relevance K k) * ofQ (Qmake a b).
Proof.
rewrite !ofQ_make /numerator /denominator !Pos2Z.inj_mul !(ofZM, ofZD, ofZN, ofZ_shift, ofZ_place).
have b0 : ofZ R (Zpos b) != 0 by rewrite gt_eqF ?ofZ_gt0.
have p0 : i.+1%:R != 0 :> R by rewrite pnatr_eq0.
have t0 : 2%:R ^+ K != 0 :> R by rewrite expf_neq0 ?pnatr_eq0.
rewrite reciprocalE relevanceE; have -> : ofZ R 1 = 1 by [].
move: (ofZ R a) (ofZ R (Zpos b)) i.+1%:R (2%:R ^+ K) (2%:R ^+ k) b0 p0 t0 => a' b' p t g b0 p0 t0.
by field; rewrite b0 p0 t0.
Qed.

Lemma fast_errE K i y :
  ofQ (Qmake (fast_err K i y).1 (fast_err K i y).2) = err reciprocal i [seq relevance K k | k <- y].
Proof.
elim: y i => [|k y IH] i /=; first by rewrite ofQ_make /ofZ mul0r.
by rewrite -IH -fast_err_step; case: (fast_err K i.+1 y).
Qed.

Lemma fast_errorE K y y' :
  ofQ (fast_error K y y') = err reciprocal 0 [seq relevance K k | k <- y] - err reciprocal 0 [seq relevance K k | k <- y'].
Proof.
rewrite -!fast_errE /fast_error; case: (fast_err K 0 y) => a b; case: (fast_err K 0 y') => a' b' /=.
case: ifP => [/Pos.eqb_eq ->|_]; rewrite ?ofQ_minus // !ofQ_make -mulrBl -ofZN -ofZD //.
Qed.
Lemma errQE K y :
  ofQ (errQ reciprocalQ 0 (map (relevanceQ K) y)) = err reciprocal 0 [seq relevance K k | k <- y].
Proof.
apply: etrans (err_image (ofQ0 R) (ofQ1 R) (@ofQD R) (@ofQB R) (@ofQM R) 0 _ (@ofQ_reciprocal R)) _.
by rewrite -map_comp; congr (err _ _ _); apply: eq_map => k /=; rewrite ofQ_relevance.
Qed.

Lemma err_beta i l : err reciprocal i l = err (@beta R) i l.
Proof. by elim: l i => //= x l IH i; rewrite reciprocalE IH. Qed.

Lemma gain_le (k y : nat) : (k <= y)%N -> gain k <= gain y :> R.
Proof. by move=> le_ky; rewrite !gainE ler_add2r ler_weexpn2l ?ler1n. Qed.

Lemma relevance_le K (k y : nat) : (k <= y)%N -> relevance K k <= relevance K y :> R.
Proof.
move=> le_ky; rewrite !relevanceE; apply: ler_wpmul2r; first by rewrite invr_ge0 exprn_ge0 ?ler0n.
by rewrite ler_add2r ler_weexpn2l ?ler1n.
Qed.

(* the least multiples of 2^-64 above numbers add up to at least their sum *)
Lemma sum_up_ge (l : seq Q) : \sum_(x <- l) ofQ x <= ofQ (sum_up l).
Proof.
have u0 : 0 < 2%:R ^+ 64 :> R by rewrite exprn_gt0 ?ltr0n.
have up x : ofQ x * 2%:R ^+ 64 <= ofZ R (round_up x).
  rewrite /round_up ofZN ler_oppr /Bridge.ofQ -!mulNr mulrAC -ofZN -ofZ_shift -ofZM.
  set a := Z.mul _ _; have := Z.mul_div_le a (Zpos (Qden x)) (Pos2Z.is_pos _).
  move/Zle_is_le_bool; rewrite (ofZ_le R) ofZM => H.
  by rewrite mulrC ler_pdivl_mull ?ofZ_gt0.
rewrite /sum_up ofQ_make ofZ_shift ler_pdivl_mulr // mulr_suml.
elim: l => [|x l IH]; first by rewrite big_nil /ofZ.
by rewrite big_cons /= ofZD ler_add.
Qed.
End Numbers.

(* what refers to the numbers over Q, through those over the ordered field of MathComp's own rational numbers *)
Section Soundness.
Variable c : certificate.
Hypothesis ok : certified c.
Local Notation ofQ := (@ofQ rat_realFieldType).
Local Notation n := (size (labels c)).

Lemma ofQ_leP a b : ofQ a <= ofQ b -> (a <= b)%Q.
Proof. by rewrite -(ofQ_le rat_realFieldType) => /Qle_bool_iff. Qed.

Let d p : rat := ofQ (discount c p).
Let label (i : 'I_n) := nth 0%N (labels c) i.
Let z (i : 'I_n) : rat := gain (label i).
Let r (i : 'I_n) : rat := relevance (highest c) (label i).

Lemma d_falling : falling d.
Proof.
move=> p; rewrite /d -ofQ_le /discount; have /and4P[/and3P[_ /(sortedP (last 0%Q (discounts c))) srt _] _ _ _] := ok.
case: (ltnP p.+1 (size (discounts c))) => lt_p; first exact: srt.
have -> : nth (last 0%Q (discounts c)) (discounts c) p.+1 = nth (last 0%Q (discounts c)) (discounts c) p.
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
  ofQ (dcg_error c) = DCG d h z - DCG d 1 z /\ ofQ (err_error c) = ERR (beta _) h r - ERR (beta _) 1 r.
Proof.
move=> E; have /and4P[_ /Qeq_bool_eq/(ofQ_eq rat_realFieldType) <- /Qeq_bool_eq/(ofQ_eq rat_realFieldType) <- _] := ok.
by rewrite ofQB fast_errorE -!dcg_ofE -!err_ofE -E -labels_in_order.
Qed.

Lemma differences g :
  ofQ (Qminus (dcg_of c (order g)) (dcg_of c (labels c))) = DCG d g z - DCG d 1 z /\
  ofQ (Qminus (err_of c (order g)) (err_of c (labels c))) = ERR (beta _) g r - ERR (beta _) 1 r.
Proof. by rewrite !ofQ_minus -!dcg_ofE /err_of !errQE -!err_ofE -labels_in_order. Qed.

Lemma sum_places (F : nat -> Q) : \sum_(p < n) ofQ (F p) <= ofQ (sum_up [seq F p | p <- iota 0 n]).
Proof.
have E : iota 0 n = index_iota 0 n by rewrite /index_iota subn0.
by apply: le_trans (sum_up_ge _ _); rewrite big_map E big_mkord.
Qed.

Lemma squares_up (F : nat -> Q) (G : 'I_n -> rat) : (forall p : 'I_n, ofQ (F p) = G p) ->
  0 <= \sum_p G p ^+ 2 <= ofQ (sum_up [seq mulQ x x | x <- [seq F p | p <- iota 0 n]]).
Proof.
move=> FG; rewrite sumr_ge0 /= => [|p _]; last exact: sqr_ge0.
rewrite -map_comp; apply: le_trans (sum_places _); apply: ler_sum => p _ /=.
by rewrite ofQM FG -expr2.
Qed.

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

Lemma grades_fall (i j : 'I_n) : (i <= j)%N -> (nth 0%N (grades c) j <= nth 0%N (grades c) i)%N.
Proof.
move=> le_ij; have /and4P[/and3P[_ _ /and4P[/eqP sg srt _ _]] _ _ _] := ok.
have tr : transitive geq by move=> b a e ba eb; exact: leq_trans eb ba.
by apply: (sorted_leq_nth tr leqnn 0%N srt) le_ij; rewrite inE sg.
Qed.

Lemma predictions_fall (i j : 'I_n) : (i <= j)%N -> ofQ (nth 0%Q (predictions c) j) <= ofQ (nth 0%Q (predictions c) i).
Proof.
move=> le_ij; have /and4P[/and3P[_ _ /and4P[_ _ /eqP sp srt]] _ _ _] := ok.
have tr : transitive (fun a b => leQ b a).
  by move=> b a e; rewrite /leQ !(ofQ_le rat_realFieldType) => ba eb; exact: le_trans eb ba.
have re : reflexive (fun a b => leQ b a) by move=> a; rewrite /leQ (ofQ_le rat_realFieldType).
by rewrite -ofQ_le; apply: (sorted_leq_nth tr re 0%Q srt) le_ij; rewrite inE sp.
Qed.

Lemma err_rr_dcg_below h : best c = order h -> DCG (beta _) h r - DCG (beta _) 1 r <= ofQ (bound_of c err_rr_dcg).
Proof.
move=> E; apply: le_trans (sum_places _); rewrite /DCG !dcg_sum !size_in_order -sumrB le_eqVlt; apply/orP; left; apply/eqP.
apply: eq_bigr => p _; rewrite ofQM ofQB !ofQ_relevance ofQ_reciprocal reciprocalE -mulrBr !nth_in_order add0n.
congr (_ * (_ - _)); first by rewrite E /order (nth_map p) ?size_enum_ord // nth_ord_enum.
by rewrite /r invg1 perm1.
Qed.

Lemma bound_holds b :
  0 <= ofQ (error_below c b) /\ (if by_root b then ofQ (error_below c b) ^+ 2 else ofQ (error_below c b)) <= ofQ (bound_of c b).
Proof.
have [h E [sz sr]] := best_sorts; have [dE eE] := errors_of E.
have d0 : 0 <= ofQ (dcg_error c) by rewrite dE subr_ge0; exact: dcg_perfect d_falling sz.
have e0 : 0 <= ofQ (err_error c) by rewrite eE subr_ge0; exact: err_perfect (@beta_falling _) sr r_relevances.
have le_rr : ofQ (err_error c) <= DCG (beta _) h r - DCG (beta _) 1 r.
  by rewrite eE; exact: err_below_rr_dcg (@beta_falling _) sr r_relevances.
case: b; split=> //=.
- rewrite dE in d0 *; apply: root_below d_falling _ d0 => // [i|i j le_ij]; rewrite ?ofQ_gain //.
  exact: gain_le (grades_fall le_ij).
- rewrite dE in d0 *; apply: root_below d_falling _ d0 => // [i|i j]; rewrite ?ofQ_gain //; exact: predictions_fall.
- exact: le_trans le_rr (err_rr_dcg_below E).
have D0 := le_trans e0 le_rr.
apply: le_trans (_ : (DCG (beta _) h r - DCG (beta _) 1 r) ^+ 2 <= _); first by rewrite ler_expn2r.
apply: root_below (@beta_falling _) _ D0 => [p|i|i|i j le_ij]; rewrite ?ofQ_reciprocal ?reciprocalE ?ofQ_relevance //.
exact: relevance_le (grades_fall le_ij).
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
