(* McRank Eq. 8: class probabilities p_k = Q_k - Q_(k-1) from probabilities Q_0..Q_(K-1) of "the grade is k or lower"
   that were learned one by one, with Q_(-1) = 0 and Q_K = 1. *)
From Refrank Require Import Rankings.
From mathcomp Require Import all_fingroup.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Cumulative.
Variable R : realFieldType.
Implicit Types (Q : seq R) (t : nat -> R) (k : nat).

Definition class_proba Q k : R := nth 1 Q k - nth 1 (0 :: Q) k.
Definition classes Q := [seq class_proba Q k | k <- iota 0 (size Q).+1].
Definition probabilities Q := forall q, q \in Q -> 0 <= q <= 1.

Lemma classesE Q : classes Q = codom (fun k : 'I_(size Q).+1 => class_proba Q k).
Proof. by rewrite /classes -val_enum_ord -map_comp. Qed.

(* mcrank.eq8: of one distribution p, with Q_k the probability of k or lower, they are p *)
Theorem classes_distribution K (p : 'I_K.+1 -> R) : \sum_j p j = 1 ->
  classes [seq \sum_(j < K.+1 | (j <= k)%N) p j | k <- iota 0 K] = codom p.
Proof.
move=> p1; rewrite classesE size_map size_iota; apply: eq_codom => k; rewrite /class_proba.
have upto j : (j <= K)%N -> nth 1 [seq \sum_(j < K.+1 | (j <= k)%N) p j | k <- iota 0 K] j = \sum_(i < K.+1 | (i <= j)%N) p i.
  rewrite leq_eqVlt => /predU1P[->|jK]; last by rewrite (nth_map 0%N) ?size_iota // nth_iota.
  rewrite nth_default ?size_map ?size_iota // -p1; apply: eq_bigl => i; by rewrite -ltnS ltn_ord.
have kK : (k <= K)%N by rewrite -ltnS.
rewrite upto //; case: k kK => [[|k] /= kn] kK.
  by rewrite subr0 (bigD1 (Ordinal kn)) //= big1 ?addr0 // => i /andP[]; rewrite leqn0 -val_eqE /= => ->.
rewrite upto ?(ltnW kK) // (bigD1 (Ordinal kn)) //= (eq_bigl (fun i : 'I_K.+1 => (i <= k)%N)) ?addrK // => i.
by rewrite -val_eqE /= [(i <= k.+1)%N]leq_eqVlt; case: eqP => [->|]; rewrite ?ltnn // andbT.
Qed.

Lemma classes_sums Q t : expected t 0 (classes Q) = t (size Q) - \sum_(k < size Q) (t k.+1 - t k) * Q`_k.
Proof.
rewrite classesE expectedE; under eq_bigr => k _ do rewrite mulrBl.
rewrite sumrB big_ord_recr [X in _ - X]big_ord_recl /= nth_default // mul1r mul0r add0r.
rewrite [_ + t _]addrC -addrA -opprB -sumrB; congr (_ - _); apply: eq_bigr => k _.
by rewrite (set_nth_default 0) // -mulrBr mulrC.
Qed.

(* mcrank.eq8.variant-sum: they add up to 1 for any Q *)
Theorem classes_sum Q : \sum_(p <- classes Q) p = 1.
Proof.
have := classes_sums Q (fun=> 1); rewrite classesE expectedE big_image /=.
rewrite [X in _ = 1 - X]big1 ?subr0 => [<-|k _]; last by rewrite subrr mul0r.
by apply: eq_bigr => k _; rewrite mulr1.
Qed.

Lemma relevance_sum Q : expected of_nat 0 (classes Q) = \sum_(q <- Q) (1 - q).
Proof.
rewrite classes_sums (big_nth 0) big_mkord sumrB sumr_const card_ord !of_natE; congr (_ - _).
by apply: eq_bigr => k _; rewrite !of_natE mulrS addrK mul1r.
Qed.

(* mcrank.eq8.variant-abel: Abel summation for any Q and any T; the expected relevance is the sum of the 1 - Q_k *)
Theorem classes_expected Q :
  expected of_nat 0 (classes Q) = \sum_(q <- Q) (1 - q) /\
  forall t, expected t 0 (classes Q) = t (size Q) - \sum_(k < size Q) (t k.+1 - t k) * Q`_k.
Proof. by split=> [|t]; [exact: relevance_sum | exact: classes_sums]. Qed.

(* mcrank.eq8.variant-bounded: the expected relevance is between 0 and the highest grade, for any probabilities *)
Theorem classes_relevance Q : probabilities Q -> 0 <= expected of_nat 0 (classes Q) <= (size Q)%:R.
Proof.
move=> pQ; rewrite relevance_sum; elim: Q pQ => [|q Q IH] pQ; first by rewrite big_nil lexx.
have /andP[q0 q1] := pQ q (mem_head _ _); rewrite big_cons /= mulrS.
have /andP[low high] : 0 <= \sum_(q <- Q) (1 - q) <= (size Q)%:R.
  by apply: IH => r rQ; apply: pQ; rewrite inE rQ orbT.
by rewrite addr_ge0 ?subr_ge0 // ler_add // ler_subl_addr ler_addl.
Qed.

(* mcrank.eq8.variant-crossed: p_k is negative exactly where Q falls from k - 1 to k *)
Theorem classes_crossed Q k : probabilities Q -> (k <= size Q)%N ->
  (class_proba Q k < 0) = (0 < k < size Q)%N && (Q`_k < Q`_k.-1).
Proof.
move=> pQ; have inQ j : (j < size Q)%N -> 0 <= Q`_j <= 1 by move=> jQ; apply: pQ; exact: mem_nth.
rewrite subr_lt0; case: k => [_|k kQ] /=.
  by case: Q pQ {inQ} => [_|q Q /(_ q (mem_head _ _))/andP[q0 _]] /=; rewrite ltNge ?ler01 ?q0.
have /andP[_ q1] := inQ k kQ; rewrite (set_nth_default 0 1 kQ).
have [kK|le_k] := ltnP k.+1 (size Q); first by rewrite (set_nth_default 0 1 kK).
by rewrite [nth 1 Q _]nth_default // ltNge q1.
Qed.

(* mcrank.eq8.variant-sort: sorting each document's Q keeps all rankings by expected relevance, ties included *)
Theorem sorting_keeps_rankings n (Q : 'I_n -> seq R) g :
  sorts g (fun i => expected of_nat 0 (classes (sort <=%O (Q i)))) <->
  sorts g (fun i => expected of_nat 0 (classes (Q i))).
Proof.
have same i : expected of_nat 0 (classes (sort <=%O (Q i))) = expected of_nat 0 (classes (Q i)).
  by rewrite !relevance_sum; apply: perm_big; rewrite perm_sort.
by split=> sorted i j /sorted; rewrite !same.
Qed.

(* mcrank.eq8.variant-sort-lawful: sorting makes all p_k at least 0 *)
Theorem sorting_makes_lawful Q p : probabilities Q -> p \in classes (sort <=%O Q) -> 0 <= p.
Proof.
move=> pQ /mapP[k + ->]; rewrite mem_iota add0n ltnS /= => kQ; rewrite leNgt classes_crossed //; last first.
  by move=> q; rewrite mem_sort; exact: pQ.
apply/negP => /andP[/andP[k0 kK]]; rewrite ltNge => /negP[].
have := sort_sorted (@le_total _ R) Q => /(sorted_leq_nth (@le_trans _ R) lexx 0); apply; rewrite ?inE ?leq_pred //.
exact: leq_ltn_trans (leq_pred k) kK.
Qed.
End Cumulative.
