(* Rankings of n documents, and their DCG and ERR.
   Documents are numbered in the order of a ranking pi, so that pi is the identity 1, and document i stands at place i,
   from 0. Another ranking is a permutation g, in which document i stands at place g i. *)
From Refrank Require Export Fields.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Rankings.
Variable R : realFieldType.
Implicit Types (c : nat -> R) (l : seq R) (x : R) (p q : nat).

(* discounts that do not rise with the place *)
Definition falling c := forall p, c p.+1 <= c p.

Lemma falling_le c p q : falling c -> (p <= q)%N -> c q <= c p.
Proof. by move=> fc /subnK <-; elim: (q - p)%N => // k IH; rewrite addSn (le_trans (fc _)). Qed.

(* the discount 1/i of ERR *)
Definition beta p : R := p.+1%:R^-1.

Lemma beta_falling : falling beta.
Proof. by move=> p; rewrite /beta lef_pinv ?posrE ?ltr0Sn // ler_nat. Qed.

Lemma dcg_sum c p l : dcg c p l = \sum_(q < size l) c (p + q)%N * l`_q.
Proof.
elim: l p => [|x l IH] p /=; first by rewrite big_ord0.
rewrite big_ord_recl /= addn0 IH; congr (_ + _).
by apply: eq_bigr => q _; rewrite /bump /= addnA addn1.
Qed.

Lemma err_sum c p l : err c p l = \sum_(q < size l) c (p + q)%N * (l`_q * \prod_(j < q) (1 - l`_j)).
Proof.
elim: l p => [|x l IH] p /=; first by rewrite big_ord0.
rewrite big_ord_recl /= addn0 big_ord0 mulr1 IH mulr_sumr; congr (_ + _).
apply: eq_bigr => q _; rewrite /bump /= addnA addn1 big_ord_recl /=.
by rewrite mulrCA; congr (_ * _); rewrite mulrCA.
Qed.

Section Documents.
Variable n : nat.
Implicit Types (z f r : 'I_n -> R) (g : 'S_n) (i j : 'I_n).

(* the numbers z of the documents, first place first *)
Definition in_order g z : seq R := [seq z ((g^-1)%g p) | p <- enum 'I_n].
Definition DCG c g z : R := dcg c 0 (in_order g z).
Definition ERR c g r : R := err c 0 (in_order g r).

(* g ranks the documents by f; ties may be in any order *)
Definition sorts g f := forall i j, (g i <= g j)%N -> f j <= f i.
Definition noninc f := forall i j, (i <= j)%N -> f j <= f i.
Definition relevances r := forall i, 0 <= r i <= 1.

Lemma noninc_sorts f : noninc f -> sorts 1 f.
Proof. by move=> nf i j; rewrite !perm1; exact: nf. Qed.

Lemma size_in_order g z : size (in_order g z) = n.
Proof. by rewrite size_map size_enum_ord. Qed.

Lemma nth_in_order g z (p : 'I_n) : (in_order g z)`_p = z ((g^-1)%g p).
Proof. by rewrite (nth_map p) ?size_enum_ord // nth_ord_enum. Qed.

Lemma perm_in_order g h z : perm_eq (in_order h z) (in_order g z).
Proof.
rewrite /in_order (map_comp z (h^-1)%g) (map_comp z (g^-1)%g); apply: perm_map; apply: uniq_perm.
- by rewrite map_inj_uniq ?enum_uniq //; exact: perm_inj.
- by rewrite map_inj_uniq ?enum_uniq //; exact: perm_inj.
by move=> j; apply/mapP/mapP => _; [exists (g j) | exists (h j)]; rewrite ?mem_enum ?permK.
Qed.

Lemma in_order_sorted g z : sorts g z -> sorted >=%O (in_order g z).
Proof.
move=> sg; rewrite /in_order sorted_map.
have := iota_sorted 0 n; rewrite -val_enum_ord sorted_map.
by apply: sub_sorted => p q le_pq; apply: sg; rewrite !permKV.
Qed.

(* without a row: the DCG of a ranking as a sum over the documents *)
Theorem DCGE c g z : DCG c g z = \sum_i c (g i) * z i.
Proof.
rewrite /DCG dcg_sum size_in_order (reindex_inj (@perm_inj _ g)) /=.
by apply: eq_bigr => i _; rewrite add0n nth_in_order permK.
Qed.

(* the user looks at document i, and stops there *)
Definition look g r i := \prod_(j | (g j < g i)%N) (1 - r j).
Definition stop g r i := r i * look g r i.

(* without a row: the ERR of a ranking as a sum over the documents *)
Theorem ERRE c g r : ERR c g r = \sum_i c (g i) * stop g r i.
Proof.
rewrite /ERR err_sum size_in_order (reindex_inj (@perm_inj _ g)) /=.
apply: eq_bigr => i _; rewrite add0n nth_in_order permK /stop /look; congr (_ * (_ * _)).
rewrite [RHS](reindex_inj (@perm_inj _ (g^-1)%g)) /=.
rewrite (big_ord_widen_cond n xpredT (fun p => 1 - (in_order g r)`_p)) ?(ltnW (ltn_ord _)) //.
by apply: eq_big => p; rewrite /= ?permKV // => _; rewrite nth_in_order.
Qed.

Lemma look_ge0 g r i : relevances r -> 0 <= look g r i.
Proof. by move=> rr; apply: prodr_ge0 => j _; rewrite subr_ge0; case/andP: (rr j). Qed.

Lemma look_le1 g r i : relevances r -> look g r i <= 1.
Proof.
move=> rr; have <- : \prod_(j | (g j < g i)%N) 1 = 1 :> R by rewrite big1.
apply: ler_prod => j _; case/andP: (rr j) => r0 r1.
by rewrite subr_ge0 r1 ler_subl_addr ler_addl.
Qed.
End Documents.
End Rankings.
