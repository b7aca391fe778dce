(* McRank's Lemma 1, line by line, with its sharper form by the minimal pairing; its identities of DCG, and the cushion.
   Documents are numbered in the order of pi, which sorts by the predicted grades y_hat; y are the labels, g is any
   ranking. Each theorem holds for all discounts that do not rise; 1 / log (1 + i) is such a discount at place i, and so
   is its truncation (cut_falling). *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression Cutoffs Probabilities.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Notation gains y := (fun i => gain (y i)).

Section Identities.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (z f : 'I_n -> R) (y y_hat : 'I_n -> nat) (g : 'S_n) (K : nat).

(* pi sorts by the grades *)
Definition graded y := forall i j : 'I_n, (i <= j)%N -> (y j <= y i)%N.
Definition sorts_grades g y := forall i j : 'I_n, (g i <= g j)%N -> (y j <= y i)%N.
Definition grades K y := forall i, (y i <= K)%N.
Definition errors y y_hat := #|[pred i | y i != y_hat i]|.

Lemma graded_noninc y : graded y -> noninc (gains y : 'I_n -> R).
Proof. by move=> gy i j ij; rewrite gain_le // gy. Qed.

Lemma sorts_gains g y : sorts_grades g y -> sorts g (gains y : 'I_n -> R).
Proof. by move=> sg i j ij; rewrite gain_le // sg. Qed.

Lemma gain_apart_powers (y y_hat : nat) : gain y - gain y_hat = 2%:R ^+ y - 2%:R ^+ y_hat :> R.
Proof. by rewrite !gainE; ring. Qed.

Lemma gain_thresholds K k : \sum_(t < K) 2%:R ^+ t * (t < k)%:R = gain (minn k K) :> R.
Proof.
elim: K => [|K IH]; first by rewrite big_ord0 minn0 gainE subrr.
rewrite big_ord_recr IH /=; case: (ltnP K k) => [lt|ge].
  by rewrite (minn_idPr lt) !gainE exprS /= mulr1; ring.
by rewrite (minn_idPl (leqW ge)) mulr0 addr0.
Qed.

(* mcrank.dcg: 2^y - 1 is the sum of 2^(t-1) over the grades t that y reaches; t counts from 0 here *)
Theorem dcg_by_thresholds K c g y : grades K y ->
  DCG c g (gains y) = \sum_(t < K) 2%:R ^+ t * \sum_(i | (t < y i)%N) c (g i).
Proof.
move=> yK; under [RHS]eq_bigr => t _ do rewrite big_mkcond mulr_sumr.
rewrite DCGE exchange_big; apply: eq_bigr => i _ /=.
rewrite -[gain (y i)](congr1 (fun k => gain k) (minn_idPl (yK i))) -gain_thresholds mulr_sumr.
by apply: eq_bigr => t _; case: (t < y i)%N => /=; ring.
Qed.

(* mcrank.dcg.variant-exchange: what an exchange of two documents adds to DCG *)
Theorem dcg_exchange c g y i j :
  DCG c (tperm i j * g) (gains y) - DCG c g (gains y) = (c (g i) - c (g j)) * (2%:R ^+ y j - 2%:R ^+ y i).
Proof.
rewrite -gain_apart_powers; have [->|ij] := eqVneq i j.
  by rewrite tperm1 mul1g !subrr mulr0.
rewrite !DCGE -sumrB (bigD1 i) // (bigD1 j) 1?eq_sym //= big1 => [|k /andP[ki kj]].
  by rewrite !permM tpermL tpermR; ring.
by rewrite permM tpermD ?subrr // eq_sym.
Qed.

(* mcrank.cushion.variant-increasing: predictions that are an increasing function of the labels have a perfect DCG *)
Theorem cushion_increasing c g y (increase : nat -> nat) : {homo increase : j k / (j < k)%N} ->
  sorts_grades g y -> graded (increase \o y) -> DCG c 1 (gains y) = DCG c g (gains y).
Proof.
move=> up sg gy; rewrite (dcg_ideal c (sorts_gains sg)) dcg_ideal //; apply/noninc_sorts/graded_noninc.
by move=> i j /gy; rewrite leqNgt => no; rewrite leqNgt; apply: contra no; exact: up.
Qed.

(* mcrank.cushion: so have predictions that are one level lower, if the lowest level does not occur *)
Theorem cushion c g y : (forall i, (0 < y i)%N) -> sorts_grades g y -> graded (fun i => (y i).-1) ->
  DCG c 1 (gains y) = DCG c g (gains y).
Proof.
move=> y0 sg gy; rewrite (dcg_ideal c (sorts_gains sg)) dcg_ideal //; apply/noninc_sorts/graded_noninc.
by move=> i j /gy; rewrite -ltnS !prednK.
Qed.

(* mcrank.cushion.step1: all of these predictions are wrong *)
Theorem cushion_errors y : (forall i, (0 < y i)%N) -> errors y (fun i => (y i).-1) = n.
Proof.
move=> y0; rewrite /errors -[RHS]card_ord; apply: eq_card => i; rewrite !inE.
by case: (y i) (y0 i) => // k _; rewrite /= neq_ltn ltnSn orbT.
Qed.
End Identities.

Section Steps.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (y y_hat : 'I_n -> nat) (g : 'S_n) (a : R).

(* mcrank.lemma1.step1: DCG is the DCG of the predicted gains, and of what they miss *)
Theorem dcg_split c g y y_hat :
  DCG c g (gains y) = DCG c g (gains y_hat) + \sum_i c (g i) * (2%:R ^+ y i - 2%:R ^+ y_hat i).
Proof. by rewrite !DCGE -big_split; apply: eq_bigr => i _; rewrite !gainE /=; ring. Qed.

(* mcrank.lemma1.step3: the identity of sums *)
Theorem dcg_split_best c g y y_hat :
  DCG c g (gains y_hat) + \sum_(i < n) c i * (2%:R ^+ y i - 2%:R ^+ y_hat i)
  = DCG c g (gains y) + \sum_(i < n) (c i - c (g i)) * (2%:R ^+ y i - 2%:R ^+ y_hat i).
Proof. by rewrite !DCGE -!big_split; apply: eq_bigr => i _; rewrite !gainE /=; ring. Qed.

Lemma errors_sum y y_hat : (errors y y_hat)%:R = \sum_i (y i != y_hat i)%:R :> R.
Proof. by rewrite /errors -sum1_card natr_sum big_mkcond; apply: eq_bigr => i _; rewrite inE; case: eqP. Qed.

(* mcrank.lemma1.step7: an error is at most that of the highest grade for 0 *)
Theorem powers_apart K y y_hat : grades K y -> grades K y_hat ->
  \sum_i (2%:R ^+ y i - 2%:R ^+ y_hat i) ^+ 2 <= (2%:R ^+ K - 1) ^+ 2 * (errors y y_hat)%:R :> R.
Proof.
move=> yK y_hatK; rewrite errors_sum mulr_sumr; apply: ler_sum => i _.
have [->|_] := eqVneq; first by rewrite subrr expr0n mulr0.
rewrite mulr1 -gain_apart_powers -gainE -real_normK ?num_real // ler_expn2r ?nnegrE ?gain_ge0 //.
have below (j k : nat) : (j <= K)%N -> gain j - gain k <= gain K :> R.
  by move=> jK; rewrite ler_subl_addr; apply: ler_paddr; [exact: gain_ge0 | exact: gain_le].
by rewrite ler_norml ler_oppl opprB !below.
Qed.

(* mcrank.lemma1.step8: both rankings have the same discounts *)
Theorem same_discounts c g : \sum_i c (g i) ^+ 2 = \sum_(i < n) c i ^+ 2 /\ \prod_i c (g i) = \prod_(i < n) c i.
Proof. by split; rewrite [RHS](reindex_inj (@perm_inj _ g)). Qed.

(* mcrank.lemma1.step6, new.min_pairing.step2: AM-GM for the products of both discounts; a is prod c^(2/n), and the
   reverse of pi gives the sum over c_i - c_(n+1-i) *)
Theorem squares_apart_am_gm c (s : 'I_n -> 'I_n) a : injective s -> (forall p, 0 <= c p) ->
  is_root n (\prod_(i < n) c i ^+ 2) a ->
  \sum_i (c (s i) - c i) ^+ 2 <= 2%:R * (\sum_(i < n) c i ^+ 2) - 2%:R * n%:R * a.
Proof.
move=> inj_s c0 /andP[a0 /eqP aE]; rewrite squares_apart // ler_add2l ler_opp2 -mulrA ler_pmul2l ?ltr0n //.
have pE : \prod_i (c (s i) * c i) = a ^+ n.
  rewrite aE big_split /=; have -> : \prod_i c (s i) = \prod_(i < n) c i by rewrite [RHS](reindex_inj inj_s).
  by rewrite -big_split; apply: eq_bigr => i _; rewrite expr2.
have := (@leif_AGM R _ 'I_n _ (fun i _ => mulr_ge0 (c0 (s i)) (c0 i))).1.
rewrite card_ord pE; case: (posnP n) => [n0|n0].
  by move=> _; rewrite [n in n%:R]n0 mul0r; apply: sumr_ge0 => i _; exact: mulr_ge0.
have n1 : 0 < n%:R :> R by rewrite ltr0n.
rewrite ler_pexpn2r ?nnegrE ?divr_ge0 ?ler0n //; first by rewrite ler_pdivl_mulr // mulrC.
by apply: sumr_ge0 => i _; exact: mulr_ge0.
Qed.
End Steps.

Section Theorems.
Variables (R : rcfType) (n : nat).
Implicit Types (c : nat -> R) (y y_hat : 'I_n -> nat) (g : 'S_n) (a : R) (K : nat).

(* new.min_pairing, new.min_pairing.variant-log: the error by the differences of the powers of 2 *)
Theorem min_pairing c g y y_hat : falling c -> graded y_hat ->
  DCG c g (gains y) - DCG c 1 (gains y) <=
  Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2) * Num.sqrt (\sum_i (2%:R ^+ y i - 2%:R ^+ y_hat i) ^+ 2).
Proof.
move=> fc gy; have := regression_error Two (gains y) g fc (graded_noninc R gy).
by rewrite /= (eq_bigr _ (fun i _ => congr1 (fun x : R => x ^+ 2) (gain_apart_powers R (y i) (y_hat i)))).
Qed.

Lemma by_errors c g K b y y_hat : falling c -> graded y_hat -> grades K y -> grades K y_hat ->
  \sum_(i < n) (c i - c (rev_ord i)) ^+ 2 <= b ->
  DCG c g (gains y) - DCG c 1 (gains y) <= (2%:R ^+ K - 1) * Num.sqrt (b * (errors y y_hat)%:R).
Proof.
move=> fc gy yK y_hatK pair_b; apply: le_trans (min_pairing g y fc gy) _.
have K0 : 0 <= 2%:R ^+ K - 1 :> R by rewrite -gainE gain_ge0.
rewrite -[X in _ <= X * _]ger0_norm // -sqrtr_sqr -!sqrtrM ?sqr_ge0 ?sumr_ge0 // => [|i _]; last exact: sqr_ge0.
rewrite ler_wsqrtr // mulrCA; apply: ler_pmul (powers_apart _ yK y_hatK) => //.
  by apply: sumr_ge0 => i _; exact: sqr_ge0.
by apply: sumr_ge0 => i _; exact: sqr_ge0.
Qed.

(* new.min_pairing.variant-errors: the error by the number of errors; 2^K - 1 is 15 for the grades 0 to 4 *)
Theorem min_pairing_errors c g K y y_hat : falling c -> graded y_hat -> grades K y -> grades K y_hat ->
  DCG c g (gains y) - DCG c 1 (gains y) <=
  (2%:R ^+ K - 1) * Num.sqrt ((\sum_(i < n) (c i - c (rev_ord i)) ^+ 2) * (errors y y_hat)%:R).
Proof. by move=> fc gy yK y_hatK; exact: by_errors. Qed.

(* mcrank.lemma1, mcrank.lemma1.variant-log, mcrank.lemma1.variant-truncated, mcrank.lemma1.variant-L1,
   mcrank.lemma1.variant-L2, mcrank.lemma1.variant-L3, mcrank.lemma1.variant-L10: Lemma 1 (Eq. 4) as printed, for any
   highest grade K, where 2^4 - 1 is 15; a is prod c^(2/n) *)
Theorem mcrank_lemma1 c g K y y_hat a : falling c -> (forall p, 0 <= c p) -> graded y_hat ->
  grades K y -> grades K y_hat -> is_root n (\prod_(i < n) c i ^+ 2) a ->
  DCG c g (gains y) - DCG c 1 (gains y) <=
  (2%:R ^+ K - 1) * Num.sqrt 2%:R * Num.sqrt ((\sum_(i < n) c i ^+ 2) - n%:R * a) * Num.sqrt (errors y y_hat)%:R.
Proof.
move=> fc c0 gy yK y_hatK ra; have := squares_apart_am_gm (@rev_ord_inj n) c0 ra.
under eq_bigr => i _ do rewrite -sqrrN opprB; rewrite -mulrA -mulrBr => am_gm.
have b0 : 0 <= \sum_(i < n) c i ^+ 2 - n%:R * a.
  rewrite -(@pmulr_rge0 _ 2%:R) ?ltr0n //; apply: le_trans am_gm; apply: sumr_ge0 => i _; exact: sqr_ge0.
by rewrite -!mulrA -!sqrtrM ?ler0n // mulrA; exact: by_errors.
Qed.
End Theorems.
