(* The bounds by thresholds and by the number of errors are attained, for every number of documents and all discounts at
   once: the documents to be swapped have the highest grade and stand last. *)
From Refrank Require Import Rankings Bounds Pairings Cutoffs McRank Probabilities Thresholds.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Attained.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (y y_hat : 'I_n -> nat) (g : 'S_n) (K a b k m t : nat) (i : 'I_n).

(* grade K from place a on, and 0 before; or grade k up to place b, and 0 from there on *)
Definition from a K i := if (a <= i)%N then K else 0%N.
Definition until b K i := if (i < b)%N then K else 0%N.

Lemma grades_from a K : grades K (from a K : 'I_n -> nat).
Proof. by move=> i; rewrite /from; case: ifP. Qed.

Lemma grades_until b k K : (k <= K)%N -> grades K (until b k : 'I_n -> nat).
Proof. by move=> kK i; rewrite /until; case: ifP. Qed.

Lemma graded_until b K : graded (until b K : 'I_n -> nat).
Proof. by move=> i j ij; rewrite /until; case: (ltnP j b) => // /(leq_ltn_trans ij)->. Qed.

(* the ranking by such labels is the reverse of pi *)
Lemma reverse_from a K : sorts_grades (reverse n) (from a K).
Proof. by move=> i j; rewrite !reverseE rev_ord_le /from => ji; case: (leqP a j) => // /leq_trans->. Qed.

Lemma error_from c a K g : sorts_grades g (from a K) ->
  DCG c g (gains (from a K)) - DCG c 1 (gains (from a K)) =
  gain K * \sum_(i < n | (a <= i)%N) (c (rev_ord i) - c i).
Proof.
move=> sg; rewrite (dcg_ideal c (sorts_gains R sg)) -(dcg_ideal c (sorts_gains R (@reverse_from a K))).
rewrite !DCGE -sumrB mulr_sumr [RHS]big_mkcond; apply: eq_bigr => i _.
rewrite perm1 reverseE -mulrBl mulrC /from; case: ifP => // _; by rewrite gainE subrr mul0r.
Qed.

Lemma below_half m : (m <= n./2)%N -> (m <= n)%N.
Proof. by rewrite geq_half_double -addnn; apply: leq_trans (leq_addr _ _). Qed.

Lemma rev_ord_ge m i : (m <= n)%N -> (n - m <= rev_ord i)%N = (i < m)%N.
Proof.
move=> mn; have le k : (k <= n)%N -> (k <= rev_ord i)%N = (k + i < n)%N.
  by move=> kn; rewrite /= leq_subRL // addSn addnC.
by rewrite le ?leq_subr // -ltn_subRL subKn.
Qed.

Lemma last_swaps c m : (m <= n./2)%N ->
  \sum_(i < n | (n - m <= i)%N) (c (rev_ord i) - c i) = swaps n c m.
Proof.
move=> mn; rewrite /swaps (minn_idPl mn) (reindex_inj (@rev_ord_inj n)).
by apply: eq_big => [i|i _]; rewrite ?rev_ordK // rev_ord_ge // below_half.
Qed.

Lemma first_swaps c m : (m <= n./2)%N ->
  \sum_(i < n | (m <= i)%N) (c (rev_ord i) - c i) = swaps n c m.
Proof.
move=> mn; have all0 : \sum_(i < n) (c (rev_ord i) - c i) = 0.
  by rewrite sumrB [X in _ - X](reindex_inj (@rev_ord_inj n)) subrr.
move: all0; rewrite (bigID (fun i : 'I_n => (i < m)%N)) /= => /eqP; rewrite addrC addr_eq0 => /eqP.
under eq_bigl => i do rewrite -leqNgt; move=> ->; rewrite /swaps (minn_idPl mn) -sumrN.
by apply: eq_bigr => i _; rewrite opprB.
Qed.

Lemma card_last m : (m <= n)%N -> #|~: first_of n (n - m)| = m.
Proof. by move=> mn; rewrite cardsCs setCK card_first ?leq_subr // card_ord subKn. Qed.

Lemma crossings_of a b K t : (t < K)%N ->
  underrated (from a K) (until b K : 'I_n -> nat) t = #|~: first_of n (maxn a b)| /\
  overrated (from a K) (until b K : 'I_n -> nat) t = #|first_of n (minn a b)|.
Proof.
move=> tK; have fromE i : (t < from a K i)%N = (a <= i)%N by rewrite /from; case: (leqP a i).
have untilE i : (t < until b K i)%N = (i < b)%N by rewrite /until; case: (ltnP i b).
split; apply: eq_card => i; rewrite !inE fromE untilE; first by rewrite -!leqNgt geq_max andbC.
by rewrite -ltnNge leq_min.
Qed.

(* new.dcg_threshold.variant-attained, new.dcg_threshold.variant-attained-at-one: the bound by thresholds is attained by
   the same numbers U and O of under-rated and over-rated documents at all grades, for any U and O up to n/2; U = O = m
   is the first row, and K = 1 the second *)
Theorem dcg_threshold_attained K (U O : nat) : (U <= n./2)%N -> (O <= n./2)%N ->
  exists y y_hat : 'I_n -> nat,
  [/\ graded y_hat, grades K y, grades K y_hat,
      forall t, (t < K)%N -> underrated y y_hat t = U /\ overrated y y_hat t = O &
      forall c g, sorts_grades g y ->
      DCG c g (gains y) - DCG c 1 (gains y) = \sum_(t < K) 2%:R ^+ t * swaps n c (crossings y y_hat t)].
Proof.
move=> Un On; have OU : (O <= n - U)%N.
  by rewrite leq_subRL ?(below_half Un) // (leq_trans (leq_add Un On)) // addnn -geq_half_double.
pose a := if (O <= U)%N then (n - U)%N else O; pose b := if (O <= U)%N then O else (n - U)%N.
have [ab1 ab2] : maxn a b = (n - U)%N /\ minn a b = O.
  by rewrite /a /b; case: ifP => _; rewrite ?(maxn_idPl OU) ?(minn_idPr OU) ?(maxn_idPr OU) ?(minn_idPl OU).
have cross t : (t < K)%N -> underrated (from a K) (until b K) t = U /\ overrated (from a K) (until b K) t = O.
  by move=> tK; have := crossings_of a b tK; rewrite ab1 ab2 card_last ?card_first ?below_half.
exists (from a K), (until b K); split; [exact: graded_until | exact: grades_from | exact: grades_until | by [] |].
move=> c g sg; rewrite (error_from _ sg) gainE -powers_sum mulr_suml; apply: eq_bigr => t _; congr (_ * _).
rewrite /crossings !(cross _ (ltn_ord t)).1 !(cross _ (ltn_ord t)).2 /a; case: leqP => [le|lt].
  by rewrite last_swaps // (maxn_idPl le).
by rewrite first_swaps // (maxn_idPr (ltnW lt)).
Qed.

(* mcrank.lemma1.variant-sharp-attained: the bound by the number of errors is attained for any number of errors *)
Theorem dcg_by_errors_attained K (E : nat) : (0 < K)%N -> (E <= n)%N ->
  exists y y_hat : 'I_n -> nat,
  [/\ graded y_hat, grades K y, grades K y_hat, errors y y_hat = E &
      forall c g, sorts_grades g y ->
      DCG c g (gains y) - DCG c 1 (gains y) = (2%:R ^+ K - 1) * swaps n c E].
Proof.
move=> K0 En; pose m := minn E n./2; have mn : (m <= n./2)%N by exact: geq_minr.
have mE : (m <= E)%N by exact: geq_minl.
have apart : (E - m <= n - m)%N by exact: leq_sub2r.
have Em : (E - m <= n)%N by exact: leq_trans (leq_subr _ _) En.
exists (from (n - m) K), (until (E - m) 1); split; [exact: graded_until | exact: grades_from | exact: grades_until | |].
  have -> : errors (from (n - m) K) (until (E - m) 1) = #|~: first_of n (n - m) :|: first_of n (E - m)|.
    apply: eq_card => i; rewrite !inE -leqNgt /from /until; case: (leqP (n - m) i) => [ge|_]; case: ltnP => // lt.
      by have := leq_trans lt (leq_trans apart ge); rewrite ltnn.
    by rewrite neq_ltn K0 orbT.
  rewrite cardsU (_ : _ :&: _ = set0); last first.
    apply/setP => i; rewrite !inE -leqNgt; apply/andP => -[ge lt].
    by have := leq_trans lt (leq_trans apart ge); rewrite ltnn.
  by rewrite cards0 subn0 (card_last (below_half mn)) (card_first Em) subnKC.
move=> c g sg; rewrite (error_from _ sg) gainE last_swaps // /swaps -minnA minnn //.
Qed.
End Attained.
