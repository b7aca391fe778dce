(* Summation by parts: numbers whose sums over the first places are at least as large have at least as large a sum with
   weights that fall; and sums over sets of documents of which all in one set have at least the numbers of the other. *)
From Refrank Require Import Rankings.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Prefixes.
Variable R : realFieldType.
Implicit Types (f x y : nat -> R) (n l : nat).

Lemma prefixes_below f x n : (forall l, (l.+1 < n)%N -> f l.+1 <= f l) ->
  (forall l, (l <= n)%N -> 0 <= \sum_(p < l) x p) -> f n.-1 * (\sum_(p < n) x p) <= \sum_(p < n) f p * x p.
Proof.
elim: n => [|n IH] ff x0; first by rewrite !big_ord0 mulr0.
rewrite [X in _ <= X]big_ord_recr [X in _ * X]big_ord_recr mulrDr ler_add2r /=.
apply: le_trans (IH _ _) => [|l ln|l ln]; [|exact/ff/ltnW|exact/x0/leqW].
case: n {IH} ff x0 => [|n] ff x0; first by rewrite !big_ord0 !mulr0.
by rewrite ler_wpmul2r ?x0 ?ff.
Qed.

(* the weights fall and the last is not negative, or the sums over all are the same *)
Lemma prefixes_le f x y n : (forall l, (l.+1 < n)%N -> f l.+1 <= f l) ->
  (forall l, (l <= n)%N -> \sum_(p < l) x p <= \sum_(p < l) y p) ->
  0 <= f n.-1 \/ \sum_(p < n) x p = \sum_(p < n) y p -> \sum_(p < n) f p * x p <= \sum_(p < n) f p * y p.
Proof.
move=> ff xy last; rewrite -subr_ge0 -sumrB; under eq_bigr => p _ do rewrite -mulrBr.
have d0 l : (l <= n)%N -> 0 <= \sum_(p < l) (y p - x p) by move=> /xy; rewrite sumrB subr_ge0.
apply: le_trans (prefixes_below (x := fun p => y p - x p) ff d0).
case: last => [f0|same]; first by rewrite mulr_ge0 ?d0.
by rewrite sumrB same subrr mulr0.
Qed.

Lemma sums_apart (I : finType) (A B : {set I}) (v : I -> R) : (#|A| <= #|B|)%N -> (forall i, 0 <= v i) ->
  (forall i j, i \in A -> j \in B -> v i <= v j) -> \sum_(i in A) v i <= \sum_(j in B) v j.
Proof.
move=> AB v0 le_AB; have [->|[a aA]] := set_0Vmem A; first by rewrite big_set0 sumr_ge0.
case: (@arg_maxP _ R _ a (mem A) v aA) => m mA most.
apply: (@le_trans _ _ (v m *+ #|A|)); first by rewrite -sumr_const; apply: ler_sum => i iA; exact: most.
apply: (@le_trans _ _ (v m *+ #|B|)); first by rewrite ler_wpmuln2l // v0.
by rewrite -sumr_const; apply: ler_sum => j jB; exact: le_AB.
Qed.

Section Documents.
Variable n : nat.
Implicit Types (c : nat -> R) (g h : 'S_n) (v w : 'I_n -> R) (i j : 'I_n).

Lemma places_count g l : (l <= n)%N -> #|[set i | (g i < l)%N]| = l.
Proof.
move=> ln; rewrite -[in RHS](card_ord l) -!sum1_card (eq_bigl _ _ (in_set _)) (big_ord_widen n (fun=> 1%N) ln).
by rewrite [RHS](reindex_inj (@perm_inj _ g)).
Qed.

Lemma sum_prefix g v l : (l <= n)%N -> \sum_(p < l) (in_order g v)`_p = \sum_(i | (g i < l)%N) v i.
Proof.
move=> ln; rewrite (big_ord_widen n (fun p => (in_order g v)`_p) ln) (reindex_inj (@perm_inj _ g)) /=.
by apply: eq_bigr => i _; rewrite nth_in_order permK.
Qed.

Lemma DCG_places c g v : DCG c g v = \sum_(p < n) c p * (in_order g v)`_p.
Proof. by rewrite /DCG dcg_sum size_in_order. Qed.

(* DCG is at least as large if the numbers of the first places have at least the same sum, for every number of places *)
Lemma dcg_prefixes c g h v w : (forall p, (p.+1 < n)%N -> c p.+1 <= c p) ->
  (forall l, (l <= n)%N -> \sum_(i | (g i < l)%N) v i <= \sum_(i | (h i < l)%N) w i) ->
  0 <= c n.-1 \/ \sum_i v i = \sum_i w i -> DCG c g v <= DCG c h w.
Proof.
move=> fc vw last; rewrite !DCG_places; apply: prefixes_le fc _ _ => [l ln|]; first by rewrite !sum_prefix ?vw.
have all_places (k : 'S_n) (u : 'I_n -> R) : \sum_(i | (k i < n)%N) u i = \sum_i u i.
  by apply: eq_bigl => i; rewrite ltn_ord.
by case: last => [c0|same]; [left | right; rewrite !sum_prefix // !all_places].
Qed.
End Documents.
End Prefixes.
