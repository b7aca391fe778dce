(* The DCG error grade by grade: how many documents are under-rated and over-rated at each grade, and what so many swaps
   can cost. Documents are numbered in the order of pi, which sorts by the predicted grades y_hat; g is any ranking. *)
From Refrank Require Import Rankings Bounds Pairings Cutoffs McRank Probabilities.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Places.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (A B : {set 'I_n}) (i : 'I_n) (k m w : nat).

(* the documents at the first k places *)
Definition first_of k : {set 'I_n} := [set i : 'I_n | (i < k)%N].

Lemma card_first k : (k <= n)%N -> #|first_of k| = k.
Proof.
by move=> kn; rewrite -sum1dep_card -(big_ord_widen n (fun=> 1%N) kn) sum1_card card_ord.
Qed.

Lemma before_its_reverse i : (i < n./2)%N -> (i <= rev_ord i)%N.
Proof. by rewrite geq_half_double doubleS /= leq_subRL // addSn addnn => /ltnW. Qed.

(* S(m): the largest gain of m swaps, each of a document from one end and one from the other *)
Definition swaps c m : R := \sum_(i < n | (i < minn m n./2)%N) (c i - c (rev_ord i)).

Lemma swaps_le c m w : falling c -> (w <= m)%N -> swaps c w <= swaps c m.
Proof.
move=> fc wm; rewrite /swaps [X in X <= _]big_mkcond [X in _ <= X]big_mkcond; apply: ler_sum => i _.
case: ifP => [lt_w|_].
  by rewrite (leq_trans lt_w) // leq_min geq_minr andbT (leq_trans (geq_minl _ _)).
by case: ifP => // lt_m; rewrite subr_ge0 falling_le // before_its_reverse // (leq_trans lt_m (geq_minr _ _)).
Qed.

(* k documents have at most the discounts of the first k places *)
Lemma first_places c A : falling c -> \sum_(i in A) c i <= \sum_(i in first_of #|A|) c i.
Proof.
move=> fc; set k := #|A|; have kn : (k <= n)%N by rewrite -[n]card_ord max_card.
have E B : #|B| = k -> \sum_(i in B) c i = \sum_(i in B) (c i - c k) + c k *+ k.
  by move=> cardB; rewrite sumrB sumr_const cardB subrK.
rewrite (E A) // (E (first_of k)) ?card_first // ler_add2r [X in X <= _]big_mkcond [X in _ <= X]big_mkcond.
apply: ler_sum => i _; rewrite inE; case: (ltnP i k) => [/ltnW ik|ki].
  by case: ifP => // _; rewrite subr_ge0 falling_le.
by case: ifP => // _; rewrite subr_le0 falling_le.
Qed.

Lemma last_places c A : falling c -> \sum_(i in first_of #|A|) c (rev_ord i) <= \sum_(i in A) c i.
Proof.
move=> fc; rewrite -ler_opp2 -!sumrN.
have f' : falling (fun p => - c (n.-1 - p)%N) by move=> p; rewrite ler_opp2 falling_le // leq_sub2l.
have E i : c (n.-1 - i)%N = c (rev_ord i) by rewrite /= -subn1 -subnDA.
have := first_places [set rev_ord i | i in A] f'; rewrite card_imset; last exact: rev_ord_inj.
rewrite big_imset /=; last by move=> i j _ _; exact: rev_ord_inj.
rewrite (eq_bigr (fun i : 'I_n => - c i)) => [|i _]; last by rewrite (E (rev_ord i)) rev_ordK.
by rewrite [X in _ <= X](eq_bigr (fun i : 'I_n => - c (rev_ord i))) => [|i _]; last by rewrite E.
Qed.
End Places.

Section Binary.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (A B : {set 'I_n}) (g : 'S_n) (k : nat).

(* of as many first documents as there are in A, those that are not in A *)
Definition misplaced A := #|first_of n #|A| :\: A|.

Notation ones A := (fun i => (i \in A)%:R).

Lemma dcg_ones c g A : DCG c g (ones A) = \sum_(i in A) c (g i).
Proof. by rewrite DCGE [RHS]big_mkcond; apply: eq_bigr => i _; case: (i \in A); rewrite ?mulr1 ?mulr0. Qed.

Lemma card_le A : (#|A| <= n)%N.
Proof. by rewrite -[n in (_ <= n)%N]card_ord max_card. Qed.

Lemma card_missing A : #|A :\: first_of n #|A| | = misplaced A.
Proof.
by apply/eqP; rewrite -(eqn_add2l #|A :&: first_of n #|A| |) cardsID setIC /misplaced cardsID card_first ?card_le.
Qed.

Lemma misplaced_half A : (misplaced A <= n./2)%N.
Proof.
rewrite geq_half_double -addnn -{1}card_missing -[X in (_ <= X)%N]card_ord /misplaced.
rewrite -cardsUI [X in (_ + X)%N](_ : _ = 0%N) ?addn0 ?max_card //.
apply: eq_card0 => i; rewrite !inE; by case: (i \in A); rewrite /= ?andbF.
Qed.

(* new.dcg_threshold.step2: an error of labels 0 and 1 is at most that of as many swaps as documents are misplaced *)
Theorem binary_error c g A : falling c -> DCG c g (ones A) - DCG c 1 (ones A) <= swaps n c (misplaced A).
Proof.
move=> fc; rewrite !dcg_ones; under [X in _ - X]eq_bigr => i _ do rewrite perm1.
have best : \sum_(i in A) c (g i) <= \sum_(i in first_of n #|A|) c i.
  have := first_places [set g i | i in A] fc; rewrite card_imset; last exact: perm_inj.
  by rewrite big_imset //= => i j _ _; exact: perm_inj.
apply: le_trans (ler_sub best (lexx _)) _.
rewrite (big_setID A) [X in _ - X](big_setID (first_of n #|A|)) /= setIC opprD addrACA subrr add0r.
apply: le_trans (ler_sub (first_places _ fc) (last_places _ fc)) _.
rewrite card_missing -/(misplaced A) -sumrB /swaps (minn_idPl (misplaced_half A)).
by rewrite (eq_bigl _ _ (fun i => in_set _ _)).
Qed.

(* documents that stand before all others are the first ones *)
Lemma initial_first B : (forall i j : 'I_n, (i <= j)%N -> j \in B -> i \in B) -> B = first_of n #|B|.
Proof.
move=> init; apply/eqP; rewrite eqEcard card_first ?card_le // leqnn andbT; apply/subsetP => i iB.
rewrite inE -(card_first (ltn_ord i)); apply: subset_leq_card; apply/subsetP => j; rewrite inE ltnS => ji.
exact: init ji iB.
Qed.

Lemma first_of_le j k : (j <= k)%N -> first_of n j \subset first_of n k.
Proof. by move=> jk; apply/subsetP => i; rewrite !inE => /leq_trans->. Qed.

(* B are the documents that are predicted to be in A *)
Lemma misplaced_le A B : (forall i j : 'I_n, (i <= j)%N -> j \in B -> i \in B) ->
  (misplaced A <= maxn #|A :\: B| #|B :\: A|)%N.
Proof.
move=> /initial_first BE; have [AB|BA] := leqP #|A| #|B|; rewrite leq_max; apply/orP.
  by right; apply: subset_leq_card; rewrite setSD // [in X in _ \subset X]BE first_of_le.
by left; rewrite -card_missing; apply: subset_leq_card; rewrite setDS // BE first_of_le // ltnW.
Qed.
End Binary.

Section Grades.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (y y_hat : 'I_n -> nat) (g : 'S_n) (K t : nat).

(* grades count from 0: at t, documents whose grade is above t are relevant *)
Definition above y t := [set i : 'I_n | (t < y i)%N].
Definition underrated y y_hat t := #|above y t :\: above y_hat t|.
Definition overrated y y_hat t := #|above y_hat t :\: above y t|.
Definition crossings y y_hat t := maxn (underrated y y_hat t) (overrated y y_hat t).

(* new.dcg_threshold.step1: the error is the sum of the errors of labels 0 and 1 *)
Theorem error_by_thresholds K c g y : grades K y ->
  DCG c g (gains y) - DCG c 1 (gains y) =
  \sum_(t < K) 2%:R ^+ t *
    (DCG c g (fun i => (i \in above y t)%:R) - DCG c 1 (fun i => (i \in above y t)%:R)).
Proof.
move=> yK; rewrite !(dcg_by_thresholds _ _ yK) -sumrB; apply: eq_bigr => t _; rewrite -mulrBr !dcg_ones.
by congr (_ * (_ - _)); apply: eq_bigl => i; rewrite inE.
Qed.

(* new.dcg_threshold.step3: the misplaced documents are under-rated or over-rated *)
Theorem misplaced_crossings y y_hat t : graded y_hat -> (misplaced (above y t) <= crossings y y_hat t)%N.
Proof. by move=> gy; apply: misplaced_le => i j ij; rewrite !inE => /leq_trans; apply; exact: gy. Qed.

Lemma by_thresholds K c g y (m : nat -> nat) : falling c -> grades K y ->
  (forall t, misplaced (above y t) <= m t)%N ->
  DCG c g (gains y) - DCG c 1 (gains y) <= \sum_(t < K) 2%:R ^+ t * swaps n c (m t).
Proof.
move=> fc yK wm; rewrite (error_by_thresholds _ _ yK); apply: ler_sum => t _.
rewrite ler_wpmul2l ?exprn_ge0 ?ler0n //; apply: le_trans (binary_error g _ fc) _; exact: swaps_le.
Qed.

(* new.dcg_threshold: the error by the crossings at each grade *)
Theorem dcg_threshold K c g y y_hat : falling c -> graded y_hat -> grades K y ->
  DCG c g (gains y) - DCG c 1 (gains y) <= \sum_(t < K) 2%:R ^+ t * swaps n c (crossings y y_hat t).
Proof. by move=> fc gy yK; apply: by_thresholds => // t; exact: misplaced_crossings. Qed.

(* new.dcg_threshold.variant-labels: no more documents are misplaced than there are relevant ones, or others *)
Theorem dcg_threshold_labels K c g y y_hat : falling c -> graded y_hat -> grades K y ->
  DCG c g (gains y) - DCG c 1 (gains y) <=
  \sum_(t < K) 2%:R ^+ t *
    swaps n c (minn (crossings y y_hat t) (minn #|above y t| (n - #|above y t|))).
Proof.
move=> fc gy yK; pose swapped t := minn (crossings y y_hat t) (minn #|above y t| (n - #|above y t|)).
apply: (@by_thresholds K c g y swapped) => // t; rewrite !leq_min misplaced_crossings //=; apply/andP; split.
  by rewrite /misplaced -[X in (_ <= X)%N](card_first (card_le _)) subset_leq_card ?subsetDl.
have <- : #|~: above y t| = (n - #|above y t|)%N by rewrite -[X in (X - _)%N]card_ord -(cardsC (above y t)) addKn.
by rewrite subset_leq_card // setDE subsetIr.
Qed.

Lemma crossings_errors y y_hat t : (crossings y y_hat t <= errors y y_hat)%N.
Proof.
rewrite geq_max; apply/andP; split; apply: subset_leq_card; apply/subsetP => i; rewrite !inE.
  by case/andP=> h lt; apply: contra h => /eqP <-.
by case/andP=> h lt; apply: contra h => /eqP ->.
Qed.

Lemma powers_sum K : \sum_(t < K) 2%:R ^+ t = 2%:R ^+ K - 1 :> R.
Proof.
elim: K => [|K IH]; first by rewrite big_ord0 subrr.
by rewrite big_ord_recr IH exprS /=; ring.
Qed.

(* mcrank.lemma1.variant-sharp: the error by the number of errors; swaps stop at n/2, and 2^4 - 1 is 15 *)
Theorem dcg_by_errors K c g y y_hat : falling c -> graded y_hat -> grades K y ->
  DCG c g (gains y) - DCG c 1 (gains y) <= (2%:R ^+ K - 1) * swaps n c (errors y y_hat).
Proof.
move=> fc gy yK; apply: le_trans (dcg_threshold g fc gy yK) _.
rewrite -powers_sum mulr_suml; apply: ler_sum => t _; rewrite ler_wpmul2l ?exprn_ge0 ?ler0n //.
exact: swaps_le (crossings_errors _ _ _).
Qed.
End Grades.
