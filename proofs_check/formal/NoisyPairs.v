(* The regret of DCG for random gains, by the answers of a classifier for each pair of documents.
   Documents are numbered in the order of pi, which sorts by the number of pairs that a document wins; v are the means
   of the gains z, which may depend on each other, and g is any ranking. *)
From Refrank Require Import Rankings Bounds Cutoffs Regret LambdaRank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Tournaments.
Variable n : nat.
Implicit Types (beats : rel 'I_n) (i j : 'I_n).

(* each pair of documents has one winner *)
Definition tournament beats := forall i j, (beats i j + beats j i)%N = (i != j).

Definition wins beats i := #|[pred j | beats i j]|.

(* pi sorts by the number of wins, ties in any order *)
Definition by_wins beats := forall i j, (i <= j)%N -> (wins beats j <= wins beats i)%N.

(* i wins a pair, and j has more gain *)
Definition wrong_answer (R : realFieldType) beats (v : 'I_n -> R) i j := beats i j && (v i < v j).
End Tournaments.

Section Linear.
Variables (R : realFieldType) (n : nat).
Implicit Types (v : 'I_n -> R) (c : nat -> R) (g : 'S_n) (i j : 'I_n) (d : R) (beats : rel 'I_n).

(* the discounts n - i, with steps of 1; places count from 0 here *)
Definition linear p : R := n%:R - p.+1%:R.

(* no step of the discounts is above d *)
Definition steps_below d c := forall p, c p - c p.+1 <= d.

(* what the wrong answers cost *)
Definition cost_of_answers beats v := \sum_i \sum_(j | wrong_answer beats v i j) (v j - v i).

Lemma place_count g i : (g i)%:R = \sum_j ((g j < g i)%N)%:R :> R.
Proof.
rewrite (reindex_inj (@perm_inj _ (g^-1)%g)) /=; under eq_bigr => j _ do rewrite permKV.
rewrite -natr_sum -[in LHS](card_ord (g i)) -sum1_card (big_ord_widen n (fun=> 1%N)) ?(ltnW (ltn_ord _)) //.
by rewrite big_mkcond; congr _%:R; apply: eq_bigr => j _; case: ltnP.
Qed.

Lemma linear_places g v : DCG linear g v - DCG linear 1 v = \sum_(i < n) (i%:R - (g i)%:R) * v i.
Proof.
by rewrite !DCGE -sumrB; apply: eq_bigr => i _; rewrite perm1 /linear -!(addn1 (nat_of_ord _)) !natrD; ring.
Qed.

(* a pair that g orders in another way than pi moves each of its documents by a place *)
Lemma linear_pairs g v : DCG linear g v - DCG linear 1 v =
  \sum_(i < n) \sum_(j < n | (i < j)%N && (g j < g i)%N) (v j - v i).
Proof.
pose e (i j : 'I_n) : R := ((i < j)%N && (g j < g i)%N)%:R.
have moved (i j : 'I_n) : ((j < i)%N)%:R - ((g j < g i)%N)%:R = e j i - e i j.
  rewrite /e; have [->|ij] := eqVneq i j; first by rewrite !ltnn subrr.
  have pij : (i != j :> nat) by []; have gij : (g i != g j :> nat) by rewrite (inj_eq val_inj) (inj_eq perm_inj).
  by case: (ltngtP i j) pij => // _ _; case: (ltngtP (g i) (g j)) gij => // _ _; rewrite ?subrr ?subr0 ?sub0r.
rewrite linear_places; have -> : \sum_(i < n) (i%:R - (g i)%:R) * v i = \sum_i \sum_j (e j i * v i - e i j * v i).
  apply: eq_bigr => i _; have := place_count 1 i; rewrite perm1 => ->; rewrite place_count -sumrB mulr_suml.
  by apply: eq_bigr => j _; rewrite perm1 moved mulrBl.
under eq_bigr => i _ do rewrite sumrB; rewrite sumrB exchange_big -sumrB; apply: eq_bigr => i _ /=.
by rewrite -sumrB [RHS]big_mkcond; apply: eq_bigr => j _; rewrite /e; case: ifP => _; rewrite ?mul1r // !mul0r subrr.
Qed.

Lemma linear_error g v : sorts g v ->
  DCG linear g v - DCG linear 1 v = cost_of_answers (fun i j => (i < j)%N) v.
Proof.
move=> sg; rewrite linear_pairs; apply: eq_bigr => i _; rewrite big_mkcond [RHS]big_mkcond; apply: eq_bigr => j _.
rewrite /wrong_answer; case: (i < j)%N => //=; case: ltnP => [/ltnW/sg|/sg]; last by rewrite leNgt => /negbTE->.
by rewrite le_eqVlt => /orP[/eqP->|->] //; rewrite ltxx subrr.
Qed.

(* the error of DCG is at most the largest step times that for these discounts *)
Lemma error_below_linear c d g v : steps_below d c -> sorts g v ->
  DCG c g v - DCG c 1 v <= d * (DCG linear g v - DCG linear 1 v).
Proof.
move=> cd sg; have fall : falling (fun p => d * linear p - c p).
  move=> p; rewrite -subr_ge0 /linear -(addn1 p.+1) natrD.
  by rewrite (_ : _ - _ = d - (c p - c p.+1)) ?subr_ge0 //; ring.
have E h : DCG (fun p => d * linear p - c p) h v = d * DCG linear h v - DCG c h v.
  by rewrite !DCGE mulr_sumr -sumrB; apply: eq_bigr => i _; ring.
rewrite -subr_ge0 (_ : _ - _ = d * DCG linear g v - DCG c g v - (d * DCG linear 1 v - DCG c 1 v)); last by ring.
by rewrite subr_ge0 -!E; exact: dcg_perfect.
Qed.
End Linear.

Section Regret.
Variables (R : realFieldType) (Omega : finType) (P : Omega -> R) (n : nat).
Implicit Types (z : Omega -> 'I_n -> R) (v : 'I_n -> R) (c : nat -> R) (g : 'S_n) (beats : rel 'I_n) (d : R).

Notation regret c g z := (mean P (fun w => DCG c g (z w)) - mean P (fun w => DCG c 1 (z w))).

(* regret.pairwise.step1: what "j first" costs less than "i first" is the difference of the means *)
Theorem regret_of_answer z i j :
  mean P (fun w => Num.max (z w j - z w i) 0) - mean P (fun w => Num.max (z w i - z w j) 0) =
  means P z j - means P z i.
Proof.
rewrite /means /mean -!sumrB; apply: eq_bigr => w _; rewrite -!mulrBr; congr (_ * _).
case: (leP (z w i) (z w j)) => [le|/ltW le].
  by rewrite (max_idPl _) ?subr_ge0 // (max_idPr _) ?subr_le0 // subr0.
by rewrite (max_idPr _) ?subr_le0 // (max_idPl _) ?subr_ge0 // sub0r opprB.
Qed.

(* regret.pairwise.variant-consistent: without a wrong answer, pi sorts by the means and has no regret *)
Theorem no_wrong_answer_no_regret c g z beats : falling c -> tournament beats -> by_wins beats ->
  (forall i j, ~~ wrong_answer beats (means P z) i j) -> regret c g z <= 0.
Proof.
move=> fc tb bw right; rewrite subr_le0; apply: expected_dcg_perfect => //; apply: noninc_sorts => i j ij.
have beaten k l : means P z k < means P z l -> beats l k && ~~ beats k l.
  move=> lt; have := right k l; rewrite /wrong_answer lt andbT => no; rewrite no andbT.
  have := tb k l; rewrite (negPf no) add0n; have -> : k != l by apply: contraTneq lt => ->; rewrite ltxx.
  by case: (beats l k).
rewrite leNgt; apply/negP => lt; have := bw i j ij; apply/negP; rewrite -ltnNge; apply: proper_card.
apply/properP; split.
  apply/subsetP => k; rewrite !inE => ik; have le : means P z k <= means P z i.
    by rewrite leNgt; apply: contraL ik => /beaten/andP[].
  by have /andP[] := beaten k j (le_lt_trans le lt).
exists i; rewrite inE; first by have /andP[] := beaten i j lt.
by have := tb i i; rewrite eqxx; case: (beats i i).
Qed.

(* regret.pairwise.variant-places: LambdaRank's sum for the means *)
Theorem regret_below_places c g z : falling c ->
  regret c g z <= \sum_i \sum_(j | wrong (means P z) i j) (c i - c j) * (means P z j - means P z i).
Proof.
move=> fc; have [h sh] := best_exists (means P z); rewrite !mean_dcg.
apply: le_trans (ler_add (dcg_perfect g fc sh) (lexx _)) _; apply: le_trans (lambdarank fc sh) _.
by apply: ler_sum => i _; apply: ler_sum => j _; rewrite swap_dcg.
Qed.

(* regret.pairwise.step2: for means of 0 or 1 and the discounts n - i, the regret is the number of zeros before ones *)
Theorem zeros_before_ones g z (ones : {set 'I_n}) : (forall i, means P z i = (i \in ones)%:R) -> sorts g (means P z) ->
  regret (linear R n) g z = #|[pred ij : 'I_n * 'I_n | [&& (ij.1 < ij.2)%N, ij.1 \notin ones & ij.2 \in ones]]|%:R.
Proof.
move=> mz sg; rewrite !mean_dcg linear_error // /cost_of_answers pair_big_dep -sum1_card natr_sum /=.
rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => -[i j] _; rewrite inE /wrong_answer /= !mz.
by case: (i < j)%N => //=; case: (i \in ones); case: (j \in ones); rewrite ?ltxx ?ltr01 ?ltr10 ?subr0.
Qed.

(* regret.pairwise.variant-scores: a factor 1 is enough if the document that is before the other in pi wins *)
Theorem regret_of_scores c d g z : falling c -> steps_below d c ->
  regret c g z <= d * cost_of_answers (fun i j => (i < j)%N) (means P z).
Proof.
move=> fc cd; have [h sh] := best_exists (means P z); rewrite !mean_dcg -(linear_error sh).
apply: le_trans (error_below_linear cd sh); exact: ler_add (dcg_perfect g fc sh) (lexx _).
Qed.
End Regret.
