(* How far apart two rankings are: convex functions of the differences between their discounts.
   Exchange by exchange, the sum is largest for a ranking and its reverse. *)
From Refrank Require Import Rankings Bounds Norms.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Convex.
Variable R : realFieldType.
Implicit Types (phi : R -> R) (a b s t u v x y : R) (k : nat).

Definition convex phi := forall t x y, 0 <= t <= 1 -> phi (t * x + (1 - t) * y) <= t * phi x + (1 - t) * phi y.

(* a + u and b + v lie between b + u and a + v, and have the same sum *)
Lemma convex_exchange phi a b u v : convex phi -> b <= a -> v <= u ->
  phi (a + v) + phi (b + u) <= phi (a + u) + phi (b + v).
Proof.
move=> cv; rewrite -[b <= a]subr_ge0 -[v <= u]subr_ge0 => ba vu.
have [far|same] := ltrP 0 ((a - b) + (u - v)); last first.
  have d : a - b = 0 by apply/le_anti; rewrite ba andbT; apply: le_trans same; rewrite ler_addl.
  by move: same; rewrite d add0r => same; rewrite (subr0_eq d) (subr0_eq (le_anti (introT andP (conj same vu)))).
pose t := (a - b) / ((a - b) + (u - v)); have n0 : (a - b) + (u - v) != 0 by rewrite gt_eqF.
have t01 : 0 <= t <= 1 by rewrite /t divr_ge0 ?(ltW far) //= ler_pdivr_mulr // mul1r ler_addl.
have s01 : 0 <= 1 - t <= 1 by case/andP: t01 => t0 t1; rewrite subr_ge0 t1 ler_subl_addr ler_addl.
have -> : a + v = t * (a + u) + (1 - t) * (b + v) by rewrite /t; field.
have -> : b + u = (1 - t) * (a + u) + (1 - (1 - t)) * (b + v) by rewrite /t; field.
apply: le_trans (ler_add (cv _ _ _ t01) (cv _ _ _ s01)) _; rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

(* the powers of the absolute value are convex *)
Lemma convex_power k : convex (fun x => `|x| ^+ k).
Proof.
move=> t x y /andP[t0]; rewrite -subr_ge0 => s0; elim: k => [|k IH]; first by rewrite !expr0 !mulr1 addrC subrK.
have norm_le : `|t * x + (1 - t) * y| <= t * `|x| + (1 - t) * `|y|.
  by apply: le_trans (ler_norm_add _ _) _; rewrite !normrM (ger0_norm t0) (ger0_norm s0).
rewrite exprS; apply: le_trans (ler_pmul _ _ norm_le IH) _; rewrite ?exprn_ge0 //.
rewrite -subr_ge0 !exprS; set a := `|x|; set b := `|y|.
have -> : t * (a * a ^+ k) + (1 - t) * (b * b ^+ k) - (t * a + (1 - t) * b) * (t * a ^+ k + (1 - t) * b ^+ k)
        = t * (1 - t) * ((a - b) * (a ^+ k - b ^+ k)) by ring.
apply: mulr_ge0; first exact: mulr_ge0.
rewrite /a /b; have [xy|/ltW yx] := leP `|x| `|y|.
  by rewrite mulr_le0 // subr_le0 // ler_expn2r ?nnegrE.
by rewrite mulr_ge0 // subr_ge0 // ler_expn2r ?nnegrE.
Qed.
End Convex.

Section Pairings.
Variables (R : realFieldType) (phi : R -> R).
Hypothesis cv : convex phi.
Implicit Types (c : nat -> R) (l : seq R).

Fixpoint fit c p l : R := if l is x :: rest then phi (c p + x) + fit c p.+1 rest else 0.

Lemma fit_sum c p l : fit c p l = \sum_(q < size l) phi (c (p + q)%N + l`_q).
Proof.
elim: l p => [|x l IH] p /=; first by rewrite big_ord0.
rewrite big_ord_recl /= addn0 IH; congr (_ + _).
by apply: eq_bigr => q _; rewrite /bump /= addnA addn1.
Qed.

Lemma bubbles_fit c l l' : falling c -> bubbles l l' -> forall p, fit c p l <= fit c p l'.
Proof.
move=> fc; elim=> {l l'} [//|x l l' _ IH p|x y l le_xy p|l1 l2 l3 _ IH1 _ IH2 p].
- by rewrite /= ler_add2l.
- by rewrite /= !addrA ler_add2r; apply: convex_exchange.
- exact: le_trans (IH1 p) (IH2 p).
Qed.

Section Documents.
Variable n : nat.
Implicit Types (z : 'I_n -> R) (g h : 'S_n).

Lemma fitE c g z : fit c 0 (in_order g z) = \sum_i phi (c (g i) + z i).
Proof.
rewrite fit_sum size_in_order (reindex_inj (@perm_inj _ g)) /=.
by apply: eq_bigr => i _; rewrite add0n nth_in_order permK.
Qed.

(* among all rankings, the sum is largest for the one that sorts by z *)
Lemma best_fit c g h z : falling c -> sorts g z -> \sum_i phi (c (h i) + z i) <= \sum_i phi (c (g i) + z i).
Proof.
move=> fc sg; rewrite -!fitE; apply: bubbles_fit fc (bubbles_sort (perm_in_order g h z) (in_order_sorted sg)) 0%N.
Qed.

Lemma rev_ord_le (i j : 'I_n) : (rev_ord i <= rev_ord j)%N = (j <= i)%N.
Proof.
have le (k l : 'I_n) : (k <= l)%N -> (rev_ord l <= rev_ord k)%N by move=> kl; exact: leq_sub2l.
by apply/idP/idP => /le //; rewrite !rev_ordK.
Qed.

(* the last document first *)
Definition reverse : 'S_n := perm (@rev_ord_inj n).

Lemma reverseE i : reverse i = rev_ord i. Proof. exact: permE. Qed.

Lemma pairing_convex c g : falling c ->
  \sum_i phi (c (g i) - c i) <= \sum_(i < n) phi (c i - c (rev_ord i)).
Proof.
move=> fc; have s : sorts reverse (fun i : 'I_n => - c i).
  by move=> i j; rewrite !reverseE rev_ord_le ler_opp2 => /falling_le->.
apply: le_trans (best_fit g fc s) _; rewrite (reindex_inj (@rev_ord_inj n)) /= le_eqVlt; apply/orP; left.
by apply/eqP/eq_bigr => i _; rewrite reverseE rev_ordK.
Qed.
End Documents.
End Pairings.

Section Powers.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (g : 'S_n) (p : nat).

(* cossock_zhang.thm2.variant-pairing: no ranking is further from pi than its reverse, for every exponent p *)
Theorem pairing c g p : falling c -> \sum_i `|c (g i) - c i| ^+ p <= \sum_(i < n) `|c i - c (rev_ord i)| ^+ p.
Proof. by move=> fc; exact: (pairing_convex (convex_power p) g fc). Qed.

(* new.min_pairing.step1: the same for squares *)
Theorem pairing_squared c g : falling c -> \sum_i (c (g i) - c i) ^+ 2 <= \sum_(i < n) (c i - c (rev_ord i)) ^+ 2.
Proof.
have squares (d : 'I_n -> R) : \sum_i `|d i| ^+ 2 = \sum_i d i ^+ 2.
  by apply: eq_bigr => i _; rewrite real_normK ?num_real.
by move=> fc; have := pairing g 2 fc; rewrite !squares.
Qed.

(* sum (a_i - b_i)^2 for two orders a and b of the same numbers *)
Lemma squares_apart c (s : 'I_n -> 'I_n) : injective s ->
  \sum_i (c (s i) - c i) ^+ 2 = 2%:R * (\sum_(i < n) c i ^+ 2) - 2%:R * \sum_i c (s i) * c i.
Proof.
move=> inj_s; have E : \sum_i c (s i) ^+ 2 = \sum_(i < n) c i ^+ 2 by rewrite [RHS](reindex_inj inj_s).
rewrite [2%:R * (\sum_i _ ^+ 2)]mulrDl mul1r -{1}E -big_split mulr_sumr -sumrB /=.
by apply: eq_bigr => i _; ring.
Qed.

(* cossock_zhang.thm2.step4: |a - b|^p <= a^p + b^p, and both rankings have the same discounts *)
Theorem discounts_apart c g p : (forall i, 0 <= c i) ->
  \sum_i `|c (g i) - c i| ^+ p <= 2%:R * \sum_(i < n) c i ^+ p.
Proof.
move=> c0; have <- : \sum_i (c (g i) ^+ p + c i ^+ p) = 2%:R * \sum_(i < n) c i ^+ p.
  rewrite big_split mulrDl mul1r /=; congr (_ + _).
  by rewrite [RHS](reindex_inj (@perm_inj _ g)).
apply: ler_sum => i _; have below (a b : R) : 0 <= b <= a -> `|a - b| ^+ p <= a ^+ p + b ^+ p.
  move=> /andP[b0 ba]; rewrite ger0_norm ?subr_ge0 // ler_paddr ?exprn_ge0 //.
  by rewrite ler_expn2r ?nnegrE ?subr_ge0 ?ler_subl_addr ?ler_addl ?(le_trans b0).
have [ge|/ltW le] := leP (c i) (c (g i)); first by rewrite below // c0.
by rewrite distrC [X in _ <= X]addrC below // c0.
Qed.
End Powers.
