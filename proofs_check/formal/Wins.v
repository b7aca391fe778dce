(* Pairs that a classifier answers, where the answers may contradict each other: the regret of DCG is at most
   twice the largest step of the discounts, times the regret of the answers.
   Documents are numbered in the order of pi, which sorts by the number of pairs that a document wins. *)
From Refrank Require Import Rankings Bounds Cutoffs Regret Prefixes Concave NoisyPairs.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Wins.
Variables (R : realFieldType) (n : nat) (beats : rel 'I_n).
Hypotheses (tb : tournament beats) (bw : by_wins beats).
Implicit Types (X : {set 'I_n}) (i j : 'I_n) (l p : nat) (v : 'I_n -> R).

Notation won i j := ((beats i j)%:R : R).
Notation win i := ((wins beats i)%:R : R).

(* the pairs that a document outside of X wins against one of X *)
Definition lost X : R := \sum_(i in X) \sum_(j | j \notin X) won j i.

Lemma win_sum i : win i = \sum_j won i j.
Proof. by rewrite /wins -sum1_card natr_sum big_mkcond; apply: eq_bigr => j _; rewrite inE; case: beats. Qed.

(* the wins of the documents of X, and the pairs that they lose against others, are half of |X| (2 n - 1 - |X|) *)
Lemma wins_of X : 2%:R * (\sum_(i in X) win i + lost X) = #|X|%:R * (2%:R * n%:R - 1 - #|X|%:R).
Proof.
have pair i j : won i j + won j i = (i != j)%:R by rewrite -natrD tb.
have inside : \sum_(i in X) \sum_(j in X) (won i j + won j i) = #|X|%:R * (#|X|%:R - 1).
  rewrite mulr_natl -sumr_const; apply: eq_bigr => i iX; under eq_bigr => j _ do rewrite pair.
  rewrite (bigD1 i) //= eqxx add0r (eq_bigr (fun=> 1)) => [|j /andP[_ ji]]; last by rewrite eq_sym ji.
  by rewrite -(sumr_const (mem X)) [RHS](_ : _ = \sum_(j in X) 1 - 1) // [in RHS](bigD1 i) //= addrAC subrr add0r.
have outside : \sum_(i in X) \sum_(j | j \notin X) (won i j + won j i) = #|X|%:R * (n%:R - #|X|%:R).
  rewrite mulr_natl -sumr_const; apply: eq_bigr => i iX.
  have -> : n%:R - #|X|%:R = #|~: X|%:R :> R.
    by rewrite [#|~: X|]cardsCs setCK card_ord natrB // -[X in (_ <= X)%N]card_ord max_card.
  rewrite -sumr_const; apply: eq_big => [j|j jX]; first by rewrite inE.
  by rewrite pair; case: eqP jX iX => // -> /negbTE->.
have -> : \sum_(i in X) win i = \sum_(i in X) \sum_(j in X) won i j + \sum_(i in X) \sum_(j | j \notin X) won i j.
  by rewrite -big_split; apply: eq_bigr => i _; rewrite win_sum (bigID (mem X)).
have half : 2%:R * (\sum_(i in X) \sum_(j in X) won i j) = #|X|%:R * (#|X|%:R - 1).
  rewrite -inside mulrDl mul1r [X in _ + X]exchange_big -big_split /=; apply: eq_bigr => i _; by rewrite [RHS]big_split.
rewrite -addrA [LHS]mulrDr half /lost -big_split /=; under eq_bigr => i _ do rewrite -big_split.
rewrite outside; move: (#|X|%:R : R) (n%:R : R) => m k; ring.
Qed.

(* place p of pi holds a document of X *)
Definition one_at X p := if insub p is Some i then i \in X else false.
Definition win_at p : R := if insub p is Some i then win i else 0.

Lemma at_ord X (i : 'I_n) : one_at X i = (i \in X).
Proof. by rewrite /one_at valK. Qed.

Lemma win_at_ord (i : 'I_n) : win_at i = win i.
Proof. by rewrite /win_at valK. Qed.

Lemma ones_at_all X : ones (one_at X) n = #|X|.
Proof. by rewrite /ones -sum1_card [RHS]big_mkcond; apply: eq_bigr => i _; rewrite at_ord; case: (i \in X). Qed.

Lemma win_at_falls l : (l.+1 < n)%N -> win_at l.+1 <= win_at l.
Proof. by move=> ln; rewrite /win_at !insubT ?(ltnW ln) // => l0; rewrite ler_nat; apply: bw => /=. Qed.

(* summation by parts *)
Lemma by_parts (M : nat -> R) : M 0%N = 0 -> \sum_(l < n) (M l.+1 - M l) * (n%:R - 1 - l%:R) = \sum_(l < n) M l.
Proof.
move=> M0; elim: n => [|m IH]; first by rewrite !big_ord0.
have all : \sum_(l < m) (M l.+1 - M l) = M m.
  by rewrite -(big_mkord xpredT (fun l => M l.+1 - M l)) telescope_sumr // M0 subr0.
rewrite big_ord_recr [RHS]big_ord_recr /= -[in RHS]IH -{2}all -big_split -addn1 natrD addrK subrr mulr0 addr0 /=.
by apply: eq_bigr => l _; ring.
Qed.

Lemma ones_by_parts a : \sum_(l < n) (ones a l)%:R = \sum_(l < n) (a l)%:R * (n%:R - 1 - l%:R) :> R.
Proof.
rewrite -(by_parts (M := fun l => (ones a l)%:R)) /ones ?big_ord0 //; apply: eq_bigr => l _; congr (_ * _).
by rewrite big_ord_recr natrD addrAC subrr add0r.
Qed.

Lemma twice_first l : 2%:R * (\sum_(p < l) (n%:R - 1 - p%:R)) = l%:R * (2%:R * n%:R - 1 - l%:R) :> R.
Proof.
rewrite sumrB sumr_const card_ord -[(_ - 1) *+ l]mulr_natl [LHS]mulrBr twice_triangle.
by move: (n%:R : R) (l%:R : R) => m k; ring.
Qed.

Lemma double_inj (x y : R) : 2%:R * x = 2%:R * y -> x = y.
Proof. by apply: mulfI; rewrite pnatr_eq0. Qed.

(* the first documents of pi win at most all pairs but those between them that they cannot all win *)
Lemma wins_of_first l : (l <= n)%N -> \sum_(p < l) win_at p <= \sum_(p < l) (n%:R - 1 - p%:R) /\
  \sum_(p < n) win_at p = \sum_(p < n) (n%:R - 1 - p%:R).
Proof.
pose X m := [set i : 'I_n | ((1%g : 'S_n) i < m)%N].
have sumX m : (m <= n)%N -> \sum_(p < m) win_at p = \sum_(i in X m) win i.
  move=> mn; rewrite (big_ord_widen n win_at mn); apply: eq_big => i; first by rewrite inE perm1.
  by rewrite win_at_ord.
have E m : (m <= n)%N -> \sum_(p < m) (n%:R - 1 - p%:R) = \sum_(p < m) win_at p + lost (X m).
  by move=> mn; apply: double_inj; rewrite twice_first sumX // wins_of (places_count 1%g mn).
move=> ln; rewrite !E //; split; first by rewrite ler_addl; do 2![apply: sumr_ge0 => ? _]; exact: ler0n.
by rewrite [lost _]big1 ?addr0 // => i _; rewrite big1 // => j; rewrite inE ltn_ord.
Qed.

(* the ones in front of the zeros would win all their pairs against these *)
Lemma ones_first_sum X : \sum_(l < n) (ones_first (one_at X) n l)%:R = \sum_(i in X) win i + lost X.
Proof.
apply: double_inj; rewrite wins_of -twice_first -ones_at_all /ones_first; congr (_ * _).
have below : (ones (one_at X) n <= n)%N := ones_le _ n; move: (ones _ n) below => m mn.
rewrite (big_ord_widen n (fun p => n%:R - 1 - p%:R) mn) [RHS]big_mkcond.
rewrite -(by_parts (M := fun l => (minn l m)%:R)) ?min0n //; apply: eq_bigr => l _ /=.
case: (ltnP l m) => [lm|ml].
  by rewrite (minn_idPl lm) -natrB ?leqnSn // subSnn mul1r.
by rewrite (minn_idPr (leqW ml)) subrr mul0r.
Qed.

Lemma lost_ge X M : concave n M -> M 0%N = 0 -> M n = (ones (one_at X) n)%:R ->
  (forall l, (l <= n)%N -> (ones (one_at X) l)%:R <= M l) ->
  \sum_(l < n) (ones_first (one_at X) n l)%:R - \sum_(l < n) M l <= lost X.
Proof.
move=> cv M0 Mn ge; rewrite ones_first_sum ler_subl_addr addrC ler_add2l -by_parts //.
have steps l : \sum_(p < l) (M p.+1 - M p) = M l.
  by rewrite -(big_mkord xpredT (fun p => M p.+1 - M p)) telescope_sumr // M0 subr0.
have -> : \sum_(i in X) win i = \sum_(l < n) win_at l * (one_at X l)%:R.
  rewrite big_mkcond; apply: eq_bigr => i _; rewrite win_at_ord at_ord; case: (i \in X); by rewrite ?mulr1 ?mulr0.
apply: (@le_trans _ _ (\sum_(l < n) win_at l * (M l.+1 - M l))).
  apply: (prefixes_le (x := fun l => (one_at X l)%:R) (y := fun l => M l.+1 - M l) win_at_falls) => [l ln|].
    by rewrite -natr_sum steps; exact: ge.
  by right; rewrite -natr_sum steps Mn.
under eq_bigr => l _ do rewrite mulrC.
apply: (prefixes_le (x := win_at) (f := fun l => M l.+1 - M l) (y := fun l => n%:R - 1 - l%:R)) => [l ln|l ln|].
- exact: cv.
- by have [] := wins_of_first ln.
by right; have [] := wins_of_first (leqnn n).
Qed.

(* regret.pairwise.step3: the wrong pairs are at least the sum of U - M; a pair is wrong if a zero wins against a one *)
Theorem wrong_answers X (M : nat -> R) : least_concave n (fun l => (ones (one_at X) l)%:R) M ->
  \sum_(l < n.+1) ((ones_first (one_at X) n l)%:R - M l) <=
  #|[pred ij : 'I_n * 'I_n | [&& beats ij.1 ij.2, ij.1 \notin X & ij.2 \in X]]|%:R.
Proof.
move=> least; have [M0 Mn] := least_ends least; case: (least) => cv ge _.
have -> : #|[pred ij : 'I_n * 'I_n | [&& beats ij.1 ij.2, ij.1 \notin X & ij.2 \in X]]|%:R = lost X.
  rewrite /lost exchange_big pair_big_dep -sum1_card natr_sum [LHS]big_mkcond [RHS]big_mkcond /=.
  by apply: eq_bigr => -[i j] _; rewrite inE /=; case: beats; case: (i \in X); case: (j \in X).
rewrite big_ord_recr /= Mn /ones_first (minn_idPr (ones_le _ n)) subrr addr0 sumrB; exact: lost_ge.
Qed.

Definition first_of (g : 'S_n) l := [set i | (g i < l)%N].

(* the first l documents of g are at later places of pi, in sum, by at most twice the pairs that they lose *)
Lemma late_places (g : 'S_n) l : (l <= n)%N ->
  \sum_(i in first_of g l) (i%:R - (g i)%:R) <= 2%:R * lost (first_of g l).
Proof.
move=> ln; set X := first_of g l; have [M [cv M0 Mn ge area] _] := @above_exists R (one_at X) n.
have le := lost_ge cv M0 Mn ge.
have -> : \sum_(i in X) (i%:R - (g i)%:R) =
    \sum_(p < n) (ones_first (one_at X) n p)%:R - \sum_(p < n) (ones (one_at X) p)%:R :> R.
  rewrite ones_first_sum ones_by_parts.
  have -> : \sum_(i in X) win i + lost X = \sum_(i in X) (n%:R - 1 - (g i)%:R) :> R.
    apply: double_inj; rewrite wins_of places_count // -twice_first (big_ord_widen n (fun p => n%:R - 1 - p%:R) ln).
    by rewrite (reindex_inj (@perm_inj _ g)) /=; congr (_ * _); apply: eq_bigl => i; rewrite inE.
  have -> : \sum_(p < n) (one_at X p)%:R * (n%:R - 1 - p%:R) = \sum_(i in X) (n%:R - 1 - i%:R) :> R.
    by rewrite [RHS]big_mkcond; apply: eq_bigr => i _; rewrite at_ord; case: (i \in X); rewrite ?mul1r ?mul0r.
  by rewrite -sumrB; apply: eq_bigr => i _; ring.
move: le area; rewrite big_split /= -(ler_pmul2l (ltr0Sn R 1)) mulrBr.
move: (\sum_(p < n) M p) (\sum_(p < n) (ones_first _ n p)%:R) (\sum_(p < n) (ones _ p)%:R) => A U F le area.
apply: le_trans le; rewrite ler_subr_addr addrAC; apply: le_trans (ler_sub (ler_add (lexx U) area) (lexx F)) _.
by rewrite addrA addrK mulrDl mul1r.
Qed.

(* the numbers of the documents, first place of g first, times the sums of others *)
Lemma sum_along (g : 'S_n) (v u : 'I_n -> R) :
  \sum_i v i * u i = \sum_(p < n) (in_order g v)`_p * (in_order g u)`_p.
Proof.
by rewrite [RHS](reindex_inj (@perm_inj _ g)); apply: eq_bigr => i _; rewrite !nth_in_order permK.
Qed.

(* an answer for a pair that g orders in the other way lowers the gain of one document and raises that of the other *)
Definition blame (g : 'S_n) i : R := \sum_(j | (g i < g j)%N) won j i - \sum_(j | (g j < g i)%N) won i j.

Lemma blame_first (g : 'S_n) l : \sum_(i in first_of g l) blame g i = lost (first_of g l).
Proof.
set X := first_of g l; rewrite sumrB /lost.
have inX i j : i \in X -> (g j < g i)%N -> j \in X by rewrite !inE => il /ltn_trans->.
have -> : \sum_(i in X) \sum_(j | (g j < g i)%N) won i j = \sum_(i in X) \sum_(j in X | (g i < g j)%N) won j i.
  rewrite [RHS](exchange_big_dep (mem X)) /= => [|i j iX /andP[] //]; apply: eq_bigr => i iX; apply: eq_bigl => j.
  by rewrite iX; case: (boolP (g j < g i)%N) => [/(inX _ _ iX)->|]; rewrite ?andbF.
rewrite -sumrB; apply: eq_bigr => i iX; rewrite (bigID (mem X)) /=.
under eq_bigl => j do rewrite andbC; rewrite addrAC subrr add0r; apply: eq_bigl => j.
rewrite andb_idl // => jX; rewrite ltnNge leq_eqVlt.
by apply: contra jX => /orP[/eqP/val_inj/perm_inj->|/(inX _ _ iX)].
Qed.

Lemma blame_cost (g : 'S_n) v : sorts g v -> \sum_i v i * blame g i = cost_of_answers beats v.
Proof.
move=> sg; rewrite /blame; under eq_bigr => i _ do rewrite mulrBr !mulr_sumr; rewrite sumrB.
rewrite (exchange_big_dep xpredT) //= -sumrB; apply: eq_bigr => i _; rewrite -sumrB big_mkcond [RHS]big_mkcond.
apply: eq_bigr => j _; rewrite /wrong_answer; case: (beats i j); last by rewrite !mulr0 subrr if_same.
rewrite !mulr1; case: ltnP => [/ltnW/sg|/sg]; last by rewrite leNgt => /negbTE->.
by rewrite le_eqVlt => /orP[/eqP->|->] //; rewrite ltxx subrr.
Qed.

(* zeros before ones cost at most twice what the answers cost, weighted by the gains *)
Lemma cost_in_order (g : 'S_n) v : sorts g v ->
  cost_of_answers (fun i j => (i < j)%N) v <= 2%:R * cost_of_answers beats v.
Proof.
move=> sg; rewrite -(linear_error sg) linear_places -(blame_cost sg) mulr_sumr.
have -> : \sum_(i < n) (i%:R - (g i)%:R) * v i = \sum_i v i * (i%:R - (g i)%:R) by apply: eq_bigr => i _; exact: mulrC.
have -> : \sum_i 2%:R * (v i * blame g i) = \sum_i v i * (2%:R * blame g i) by apply: eq_bigr => i _; exact: mulrCA.
have first (u : 'I_n -> R) l : (l <= n)%N -> \sum_(p < l) (in_order g u)`_p = \sum_(i in first_of g l) u i.
  by move=> ln; rewrite sum_prefix //; apply: eq_bigl => i; rewrite inE.
rewrite (sum_along g v (fun i => i%:R - (g i)%:R)) (sum_along g v (fun i => 2%:R * blame g i)).
apply: prefixes_le => [l ln|l ln|].
- have := (nth_in_order g v (Ordinal ln), nth_in_order g v (Ordinal (ltnW ln))) => -[/= -> ->].
  by apply: sg; rewrite !permKV /=.
- rewrite !first // -mulr_sumr blame_first; exact: late_places.
right; rewrite !first // -mulr_sumr blame_first.
have all i : i \in first_of g n by rewrite inE ltn_ord.
have -> : lost (first_of g n) = 0 by rewrite /lost big1 // => i _; rewrite big1 // => j; rewrite all.
rewrite mulr0 sumrB [X in _ - X](_ : _ = \sum_(i in first_of g n) i%:R) ?subrr //.
have reordered : \sum_(i < n) i%:R = \sum_i (g i)%:R :> R by rewrite [LHS](reindex_inj (@perm_inj _ g)).
by rewrite (eq_bigl xpredT) // [RHS](eq_bigl xpredT) // reordered.
Qed.
End Wins.

(* regret.pairwise: pi sorts by wins; the answers need not be transitive, and their regret is |v_i - v_j| if wrong *)
Theorem regret_of_wins (R : realFieldType) (Omega : finType) (P : Omega -> R) n (z : Omega -> 'I_n -> R)
  (beats : rel 'I_n) (c : nat -> R) d (g : 'S_n) : falling c -> steps_below d c -> tournament beats -> by_wins beats ->
  mean P (fun w => DCG c g (z w)) - mean P (fun w => DCG c 1 (z w)) <=
  2%:R * d * cost_of_answers beats (means P z).
Proof.
move=> fc cd tb bw; have [h sh] := best_exists (means P z).
have d0 : 0 <= d by apply: le_trans (cd 0%N); rewrite subr_ge0.
apply: le_trans (regret_of_scores P g z fc cd) _; rewrite -mulrA mulrCA.
by apply: ler_wpmul2l => //; exact: cost_in_order tb bw h _ sh.
Qed.
