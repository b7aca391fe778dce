(* LambdaLoss: pairs of places weighted by a difference of discounts that depends on their distance alone.
   Documents are numbered in the order of pi; g is a ranking by the gains z. *)
From Refrank Require Import Rankings Bounds.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Sequences.
Variables (R : realFieldType) (d : nat -> R).
Implicit Types (l g : seq R) (x y a : R) (r : nat).

(* the sum of d (distance - 1) * min over all pairs; r + 1 is the distance of x to the first of l *)
Fixpoint near r x l : R := if l is y :: rest then d r * Num.min x y + near r.+1 x rest else 0.
Fixpoint lower l : R := if l is x :: rest then near 0 x rest + lower rest else 0.

Lemma near_sum r x l : near r x l = \sum_(q < size l) d (r + q)%N * Num.min x l`_q.
Proof.
elim: l r => [|y l IH] r; first by rewrite big_ord0.
by rewrite /= big_ord_recl addn0 IH; congr (_ + _); apply: eq_bigr => q _; rewrite addSnnS.
Qed.

Lemma lower_sum l : lower l =
  \sum_(p < size l) \sum_(q < size l | (p < q)%N) d (q - p).-1 * Num.min l`_p l`_q.
Proof.
elim: l => [|x l IH]; first by rewrite big_ord0.
rewrite /= big_ord_recl IH near_sum /=; congr (_ + _).
  by rewrite [RHS]big_mkcond big_ord_recl /= add0r.
by apply: eq_bigr => p _; rewrite [RHS]big_mkcond big_ord_recl /= add0r -big_mkcond.
Qed.

(* a common summand of all numbers adds as much for each order *)
Fixpoint distances r k : R := if k is m.+1 then d r + distances r.+1 m else 0.
Fixpoint all_distances k : R := if k is m.+1 then distances 0 m + all_distances m else 0.

Lemma lower_shift a l : lower (map (+%R^~ a) l) = lower l + a * all_distances (size l).
Proof.
elim: l => [|x l IH] /=; first by rewrite mulr0 addr0.
suff -> r : near r (x + a) (map (+%R^~ a) l) = near r x l + a * distances r (size l) by rewrite IH; ring.
elim: l r {IH} => [|y l IH] r /=; first by rewrite mulr0 addr0.
by rewrite IH -addr_minl; move: (Num.min _ _) => w; ring.
Qed.

Hypothesis d_falls : forall r, d r.+1 <= d r.

Lemma near_further r x l : 0 <= x -> all (<=%O 0) l -> near r.+1 x l <= near r x l.
Proof.
move=> x0; elim: l r => //= y l IH r /andP[y0 l0].
by rewrite ler_add ?IH // ler_wpmul2r // le_minr x0.
Qed.

(* a 0 between the others keeps them further apart *)
Lemma lower_drop l1 l2 : all (<=%O 0) (l1 ++ l2) -> lower (l1 ++ 0 :: l2) <= lower (l1 ++ l2).
Proof.
elim: l1 => [|x l1 IH] /=.
  move=> l0; suff -> r : near r 0 l2 = 0 by rewrite add0r.
  by elim: l2 l0 r => //= y l IH /andP[y0 l0] r; rewrite IH // min_l // mulr0 addr0.
case/andP=> x0 l0; rewrite ler_add ?IH // {IH}.
elim: l1 l0 (0%N) => [|y l1 IH] /=; last by case/andP=> y0 l0 r; rewrite ler_add2l IH.
by move=> l0 r; rewrite min_r // mulr0 add0r near_further.
Qed.

Lemma lower_last l : all (<=%O 0) l -> lower (rcons l 0) = lower l.
Proof.
elim: l => [|x l IH] /=; [by rewrite addr0 | case/andP=> x0 l0]; rewrite IH //; congr (_ + _).
by elim: l l0 (0%N) {IH} => [_ r|y l IH /andP[y0 l0] r] /=; [rewrite min_r // mulr0 addr0 | rewrite IH].
Qed.

(* the sum is largest for the perfect order: one smallest number after the other moves to the end *)
Lemma lower_sorted l g : perm_eq l g -> sorted >=%O g -> lower l <= lower g.
Proof.
elim/last_ind: g l => [|g x IH] l; first by move/perm_nilP->.
move=> pl srt; have xl : x \in l by rewrite (perm_mem pl) mem_rcons inE eqxx.
case/splitPr: xl pl => l1 l2 pl.
have pl' : perm_eq (l1 ++ l2) g.
  by move: pl; rewrite -cat1s perm_catCA /= perm_sym perm_rcons perm_cons perm_sym.
pose s := map (+%R^~ (- x)); have g0 : all (<=%O 0) (s g).
  have : sorted <=%O (rev (rcons g x)) by rewrite rev_sorted.
  rewrite rev_rcons => /(order_path_min (@le_trans _ _)); rewrite all_rev => /allP x_min.
  by apply/allP=> _ /mapP[y /x_min xy ->] /=; rewrite subr_ge0.
have l0 : all (<=%O 0) (s (l1 ++ l2)) by rewrite (perm_all _ (perm_map _ pl')).
rewrite -(ler_add2r (- x * all_distances (size (rcons g x)))) -{1}(perm_size pl) -!lower_shift.
rewrite map_cat map_rcons /= subrr lower_last //; rewrite /s map_cat in l0; apply: le_trans (lower_drop l0) _.
rewrite -map_cat !lower_shift (perm_size pl') ler_add2r IH //.
exact: (subseq_sorted (@ge_trans _ _) (subseq_rcons g x) srt).
Qed.
End Sequences.

Section Documents.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (g : 'S_n) (z : 'I_n -> R) (i j : 'I_n).

(* the weight of places that are k + 1 apart *)
Definition delta c k := c k - c k.+1.

(* the sum over all pairs of the smaller gain, weighted *)
Definition lower_gains c g z :=
  \sum_i \sum_(j | (g i < g j)%N) delta c (g j - g i).-1 * Num.min (z i) (z j).

(* the sum over the pairs in the wrong order of the difference of gains, weighted: LambdaLoss *)
Definition lambda_loss c g z :=
  \sum_i \sum_(j | (g i < g j)%N && (z i < z j)) delta c (g j - g i).-1 * (z j - z i).

Lemma lower_in_order c g z : lower (delta c) (in_order g z) = lower_gains c g z.
Proof.
rewrite lower_sum size_in_order (reindex_inj (@perm_inj _ g)); apply: eq_bigr => i _.
rewrite (reindex_inj (@perm_inj _ g)) /=; apply: eq_bigr => j _.
by rewrite !nth_in_order !permK.
Qed.

Lemma deltas c (q : nat) : (q <= n)%N -> \sum_(p < n | (p < q)%N) delta c (q - p).-1 = c 0%N - c q.
Proof.
move=> qn; rewrite -(big_ord_widen n (fun p => delta c (q - p).-1) qn).
elim: q {qn} => [|q IH]; first by rewrite big_ord0 subrr.
by rewrite big_ord_recl IH /delta subn0 /= addrC addrA subrK.
Qed.

(* ndcg.lambda_loss.step1: the cost of any ranking, pi among them, by pairs *)
Theorem cost_by_pairs c g z : \sum_i z i * (c 0%N - c (g i)) = lower_gains c g z + lambda_loss c g z.
Proof.
have E i : z i * (c 0%N - c (g i)) = \sum_(j | (g j < g i)%N) delta c (g i - g j).-1 * z i.
  rewrite -(deltas c (ltnW (ltn_ord (g i)))) mulr_sumr (reindex_inj (@perm_inj _ g)) /=.
  by apply: eq_bigr => j _; rewrite mulrC.
under eq_bigr => i _ do rewrite E big_mkcond; rewrite exchange_big -big_split /=; apply: eq_bigr => i _.
rewrite -big_mkcond big_mkcondr -big_split /=; apply: eq_bigr => j _.
by case: ltP => _; rewrite ?addr0 // -mulrDr addrC subrK.
Qed.

(* ndcg.lambda_loss.step2: no ranking has a larger sum of smaller gains than a perfect one *)
Theorem lower_gains_perfect c g h z : (forall k, delta c k.+1 <= delta c k) -> sorts g z ->
  lower_gains c h z <= lower_gains c g z.
Proof.
move=> dc sg; rewrite -!lower_in_order; apply: lower_sorted dc _ _ _ (in_order_sorted sg).
exact: perm_in_order.
Qed.

Lemma cost_dcg c g z : DCG c g z = c 0%N * (\sum_i z i) - \sum_i z i * (c 0%N - c (g i)).
Proof. by rewrite DCGE mulr_sumr -sumrB; apply: eq_bigr => i _; ring. Qed.

Lemma lambda_loss_perfect c g z : sorts g z -> lambda_loss c g z = 0.
Proof.
move=> sg; rewrite /lambda_loss big1 // => i _; rewrite big1 // => j /andP[/ltnW/sg].
by rewrite leNgt => /negbTE->.
Qed.

(* ndcg.lambda_loss: the DCG error is at most the loss if the differences of neighbouring discounts do not rise *)
Theorem lambda_loss_bound c g z : (forall k, delta c k.+1 <= delta c k) -> sorts g z ->
  DCG c g z - DCG c 1 z <= lambda_loss c 1 z.
Proof.
move=> dc sg; have := lower_gains_perfect 1 dc sg; rewrite !cost_dcg !cost_by_pairs.
rewrite lambda_loss_perfect // -subr_ge0 => H; rewrite -subr_ge0; apply: le_trans H _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

(* ndcg.lambda_loss.variant-attained: by one relevant document k, at any place *)
Theorem lambda_loss_attained c g z k : sorts g z -> 0 < z k -> (forall i, i != k -> z i = 0) ->
  DCG c g z - DCG c 1 z = lambda_loss c 1 z.
Proof.
move=> sg /ltW zk z0; have none h : lower_gains c h z = 0.
  rewrite /lower_gains big1 // => i _; rewrite big1 // => j ij; suff -> : Num.min (z i) (z j) = 0 by rewrite mulr0.
  have [ik|ik] := eqVneq i k; last by rewrite (z0 i ik); have [->|/z0->] := eqVneq j k; rewrite min_l.
  by rewrite (z0 j) ?ik ?min_r //; apply: contraTneq ij => ->; rewrite ik ltnn.
by rewrite !cost_dcg !cost_by_pairs !none (lambda_loss_perfect c sg) !add0r subr0 opprB addrC subrK.
Qed.
End Documents.
