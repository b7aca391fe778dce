(* The DCG of the best ranking, and discounts that are cut off behind a place. *)
From Refrank Require Import Rankings Bounds.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Ideal.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (z : 'I_n -> R) (g h : 'S_n).

Definition sorted_gains z : seq R := sort >=%O (codom z).
Definition ideal c z : R := dcg c 0 (sorted_gains z).

Lemma perm_sorted_gains g z : perm_eq (in_order g z) (sorted_gains z).
Proof.
apply: (perm_trans (perm_in_order 1 g z)); rewrite perm_sym perm_sort perm_sym.
by rewrite /in_order invg1 (eq_map (f2 := z)) // => i; rewrite perm1.
Qed.

Lemma sorted_sorted_gains z : sorted >=%O (sorted_gains z).
Proof. by apply: sort_sorted => x y; exact: ge_total. Qed.

Lemma in_order_best g z : sorts g z -> in_order g z = sorted_gains z.
Proof.
move=> sg; apply: (sorted_eq (@ge_trans _ R) (@ge_anti _ R)) (perm_sorted_gains g z).
  exact: in_order_sorted.
exact: sorted_sorted_gains.
Qed.

(* all rankings by the gains have the same DCG, for any discounts *)
Lemma dcg_ideal c g z : sorts g z -> DCG c g z = ideal c z.
Proof. by move=> sg; rewrite /DCG in_order_best. Qed.

Lemma below_ideal c g z : falling c -> DCG c g z <= ideal c z.
Proof.
by move=> fc; apply: bubbles_dcg fc (bubbles_sort (perm_sorted_gains g z) (sorted_sorted_gains z)) 0%N.
Qed.

(* there is a ranking by the gains *)
Lemma best_exists z : exists g, sorts g z.
Proof.
have /tuple_permP[p E] : perm_eq (sorted_gains z) [tuple z i | i < n].
  by rewrite perm_sort.
exists (p^-1)%g => i j ij; have at_place k : z k = (sorted_gains z)`_((p^-1)%g k).
  by rewrite E -[_`_ _]/(nth 0 _ (nat_of_ord _)) -tnth_nth !tnth_mktuple permKV.
rewrite !at_place; have := sorted_leq_nth (@ge_trans _ R) (@ge_refl _ R) 0 (sorted_sorted_gains z).
by apply; rewrite ?inE ?size_sort ?size_codom ?card_ord.
Qed.
End Ideal.

(* NDCG is defined if some gain is positive *)
Lemma ideal_gt0 (R : realFieldType) n (c : nat -> R) (z : 'I_n -> R) i :
  falling c -> (forall p, 0 <= c p) -> 0 < c 0%N -> (forall j, 0 <= z j) -> 0 < z i -> 0 < ideal c z.
Proof.
case: n z i => [|m] z i; first by case: i.
move=> fc c0 c1 z0 zi; apply: lt_le_trans (below_ideal (tperm i ord0) z fc).
rewrite DCGE (bigD1 i) //= tpermL ltr_paddr ?mulr_gt0 //.
by apply: sumr_ge0 => j _; rewrite mulr_ge0.
Qed.

Section Cut.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (z : 'I_n -> R) (g : 'S_n) (k p : nat).

(* the discounts of the first k places, and 0 behind them *)
Definition cut k c p : R := if (p < k)%N then c p else 0.

Lemma cut_ge0 k c : (forall p, 0 <= c p) -> forall p, 0 <= cut k c p.
Proof. by move=> c0 p; rewrite /cut; case: ifP. Qed.

Lemma cut_falling k c : falling c -> (forall p, 0 <= c p) -> falling (cut k c).
Proof.
move=> fc c0 p; rewrite /cut; case: (ltnP p.+1 k) => [pk|_]; first by rewrite (ltnW pk).
by case: ifP.
Qed.

(* mcrank.dcg.variant-cut-off: gains behind place k play no part *)
Theorem cut_plays_no_part k c g z : DCG (cut k c) g z = DCG c g (fun i => if (g i < k)%N then z i else 0).
Proof. by rewrite !DCGE; apply: eq_bigr => i _; rewrite /cut; case: ifP; rewrite ?mul0r ?mulr0. Qed.

Lemma dcg_behind k c p (l : seq R) : (k <= p)%N -> dcg (cut k c) p l = 0.
Proof. by elim: l p => //= x l IH p kp; rewrite /cut ltnNge kp mul0r add0r IH // ltnW. Qed.

Lemma dcg_cut k c p (l : seq R) : dcg (cut (p + k) c) p l = dcg c p (take k l).
Proof.
elim: l p k => [|x l IH] p k //=.
case: k => [|k] /=; last by rewrite -addSnnS IH /cut leq_addr.
by rewrite addn0 dcg_behind // /cut ltnn mul0r add0r.
Qed.

(* DCG@k, of the first k places alone *)
Definition DCG_at k c g z : R := dcg c 0 (take k (in_order g z)).

Lemma DCG_atE k c g z : DCG_at k c g z = DCG (cut k c) g z.
Proof. by rewrite /DCG_at -dcg_cut. Qed.
End Cut.
