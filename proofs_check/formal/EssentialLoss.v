(* The essential loss of Chen, Liu, Lan, Ma and Li: 1 - NDCG and the ERR error below a weighted sum of wrong tasks.
   Documents are numbered in the order of pi; g is a ranking by the gains z. The task of document i, which is at place
   g i of g, is to put it before all documents that are behind it in g and have a lower label. *)
From Refrank Require Import Rankings Bounds Cutoffs Regression Ndcg CocrTheorem2 Prefixes.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Tasks.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (z f r : 'I_n -> R) (g : 'S_n) (i j : 'I_n) (k l : nat).

(* the task of document i is wrong if a later document of g, of a lower label, precedes it in pi *)
Definition wrong_task g z i := [exists j, [&& (g i < g j)%N, z j < z i & (j < i)%N]].

(* documents with the same label are in the order of pi *)
Definition stable g z := forall i j, z i = z j -> (i <= j)%N -> (g i <= g j)%N.

Lemma right_task g z i j : sorts g z -> ~~ wrong_task g z i -> (j < i)%N -> z i <= z j.
Proof.
move=> sg /existsPn/(_ j) right ji; rewrite leNgt; apply: contra right => lt_ji; rewrite lt_ji ji /= andbT ltnNge.
by apply: contraL lt_ji => /sg; rewrite leNgt.
Qed.

(* ndcg.essential_loss.step1: the document of a right task is at its place of g or before *)
Theorem right_task_place g z i : sorts g z -> stable g z -> ~~ wrong_task g z i -> (i <= g i)%N.
Proof.
move=> sg st right; have before j : (j < i)%N -> (g j < g i)%N.
  move=> ji; rewrite ltn_neqAle; apply/andP; split; first by apply: contraTneq ji => /val_inj/perm_inj->; rewrite ltnn.
  have := right_task sg right ji; rewrite le_eqVlt => /orP[/eqP same|lt]; first by rewrite st // ltnW.
  by rewrite leqNgt; apply: contraL lt => /ltnW/sg; rewrite leNgt.
rewrite -(places_count 1%g (ltnW (ltn_ord i))) -(places_count g (ltnW (ltn_ord (g i)))).
apply/subset_leq_card/subsetP => j; rewrite !inE perm1; exact: before.
Qed.

Lemma right_tasks_below c g z : (forall p, (p.+1 < n)%N -> c p.+1 <= c p) -> 0 <= c n.-1 -> (forall i, 0 <= z i) ->
  sorts g z -> \sum_(i | ~~ wrong_task g z i) c (g i) * z i <= DCG c 1 z.
Proof.
move=> fc c0 z0 sg; pose v i := if wrong_task g z i then 0 else z i.
have -> : \sum_(i | ~~ wrong_task g z i) c (g i) * z i = DCG c g v.
  rewrite DCGE big_mkcond; apply: eq_bigr => i _; by rewrite /v; case: wrong_task; rewrite ?mulr0.
apply: dcg_prefixes fc _ (or_introl c0) => l ln.
pose S := [set i | (g i < l)%N & ~~ wrong_task g z i]; pose T := [set i | ((1%g : 'S_n) i < l)%N].
have -> : \sum_(i | (g i < l)%N) v i = \sum_(i in S) z i.
  by rewrite big_mkcond [RHS]big_mkcond; apply: eq_bigr => i _; rewrite inE /v; case: ifP => //; case: ifP.
have -> : \sum_(i | ((1%g : 'S_n) i < l)%N) z i = \sum_(i in T) z i by apply: eq_bigl => i; rewrite inE.
rewrite [X in X <= _](big_setID T) [X in _ <= X](big_setID S) /= setIC ler_add2l; apply: sums_apart => // [|i j].
  have : (#|S| <= #|T|)%N.
    rewrite places_count // -[X in (_ <= X)%N](places_count g ln); apply/subset_leq_card/subsetP => i.
    by rewrite !inE => /andP[].
  by rewrite -(cardsID T S) -(cardsID S T) setIC leq_add2l.
rewrite !inE !perm1 -leqNgt => /and3P[li _ right] /andP[_ jl]; apply: right_task sg right _; exact: leq_trans jl li.
Qed.
End Tasks.

Section Bounds.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (z v r : 'I_n -> R) (g : 'S_n) (k : nat).

(* the sum over the documents of wrong tasks; the last document of g has no later one, so that its task is right *)
Definition essential_loss c g z v := \sum_(i | wrong_task g z i) c (g i) * v i.

(* ndcg.essential_loss.step2: the DCG of pi is at least the sum over the right tasks, for any order of ties in g *)
Theorem right_tasks_dcg c g z : falling c -> (forall p, 0 <= c p) -> (forall i, 0 <= z i) -> sorts g z ->
  \sum_(i | ~~ wrong_task g z i) c (g i) * z i <= DCG c 1 z.
Proof. by move=> fc c0 z0 sg; apply: right_tasks_below. Qed.

(* with the last discount subtracted from all discounts, the difference of two DCGs is the same *)
Lemma dcg_shift c g (h : 'S_n) z (e : R) :
  DCG c g z - DCG c h z = DCG (fun p => c p - e) g z - DCG (fun p => c p - e) h z.
Proof.
have shift (k : 'S_n) : DCG c k z = DCG (fun p => c p - e) k z + e * \sum_i z i.
  by rewrite !DCGE mulr_sumr -big_split; apply: eq_bigr => i _ /=; ring.
by rewrite !shift; ring.
Qed.

(* a document of a wrong task has at least the last discount *)
Lemma dcg_below_tasks c g z : falling c -> (forall i, 0 <= z i) -> sorts g z ->
  DCG c g z - DCG c 1 z <= essential_loss (fun p => c p - c n.-1) g z z.
Proof.
move=> fc z0 sg; rewrite (dcg_shift c g 1 z (c n.-1)) {1}DCGE (bigID (wrong_task g z)) /= -addrA ger_addl subr_le0.
by apply: (right_tasks_below (c := fun p => c p - c n.-1)) => // [p _|]; rewrite ?subrr // ler_add2r.
Qed.

(* ndcg.essential_loss.variant-sharp: 1 - NDCG is at most the essential loss with the last discount subtracted *)
Theorem ndcg_below_tasks_sharp c g z : falling c -> (forall i, 0 <= z i) -> sorts g z -> 0 < DCG c g z ->
  1 - NDCG c 1 z <= essential_loss (fun p => c p - c n.-1) g z z / DCG c g z.
Proof. by move=> fc z0 sg pos; apply: (ndcg_below sg pos); exact: dcg_below_tasks. Qed.

Lemma dcg_below_essential_loss c g z : falling c -> (forall p, 0 <= c p) -> (forall i, 0 <= z i) -> sorts g z ->
  DCG c g z - DCG c 1 z <= essential_loss c g z z.
Proof.
move=> fc c0 z0 sg; apply: le_trans (dcg_below_tasks fc z0 sg) _.
by apply: ler_sum => i _; rewrite ler_wpmul2r // ler_subl_addr ler_addl c0.
Qed.

(* ndcg.essential_loss: 1 - NDCG is at most the essential loss over the best DCG *)
Theorem ndcg_below_essential_loss c g z : falling c -> (forall p, 0 <= c p) -> (forall i, 0 <= z i) -> sorts g z ->
  0 < DCG c g z -> 1 - NDCG c 1 z <= essential_loss c g z z / DCG c g z.
Proof. by move=> fc c0 z0 sg pos; apply: (ndcg_below sg pos); exact: dcg_below_essential_loss. Qed.

(* ndcg.at_cutoff.variant-essential-loss: at a cut-off k, the tasks of the first k places are enough *)
Theorem ndcg_at_below_essential_loss k c g z : falling c -> (forall p, 0 <= c p) -> (forall i, 0 <= z i) ->
  sorts g z -> 0 < DCG_at k c g z ->
  1 - NDCG_at k c 1 z <= (\sum_(i | wrong_task g z i && (g i < k)%N) c (g i) * z i) / DCG_at k c g z.
Proof.
move=> fc c0 z0 sg pos; apply: (ndcg_below_at sg pos); rewrite big_mkcondr.
rewrite (eq_bigr (fun i => cut k c (g i) * z i)) => [|i _]; last by rewrite /cut; case: ifP; rewrite ?mul0r.
by apply: dcg_below_essential_loss; [exact: cut_falling | exact: cut_ge0 | |].
Qed.

(* ndcg.essential_loss.variant-err: the ERR error is at most the essential loss of the probabilities of a stop along g *)
Theorem err_below_tasks c g r : falling c -> relevances r -> sorts g r -> stable g r ->
  ERR c g r - ERR c 1 r <= essential_loss (fun p => c p - c n.-1) g r (stop g r).
Proof.
move=> fc rr sg st; have := stops_along_pi g fc rr; rewrite -ERR_of_pi => pi_ge.
apply: le_trans (ler_sub (lexx _) pi_ge) _; rewrite ERRE -sumrB (bigID (wrong_task g r)) /= -[X in _ <= X]addr0.
have F0 i : 0 <= stop g r i by rewrite mulr_ge0 ?look_ge0 //; case/andP: (rr i).
apply: ler_add; last first.
  rewrite -oppr_ge0 -sumrN; apply: sumr_ge0 => i right; rewrite -mulrBl -mulNr mulr_ge0 // opprB subr_ge0.
  by apply: falling_le fc _; exact: right_task_place sg st right.
apply: ler_sum => i _; rewrite -mulrBl ler_wpmul2r // ler_add2l ler_opp2.
by have /andP[] := discount_between i fc.
Qed.
End Bounds.
