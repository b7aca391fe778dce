(* LambdaRank: the error of DCG or ERR is at most the sum, over the wrongly ordered pairs, of what the exchange of the two
   documents would add. Documents are numbered in the order of pi; places i < j are wrongly ordered if z i < z j. *)
From Refrank Require Import Rankings Bounds Err Cutoffs Probabilities McRank Thresholds PairSums.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Pairs.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (g h : 'S_n) (z r : 'I_n -> R) (i j : 'I_n) (M : 'S_n -> R).

Definition wrong z i j := (i < j)%N && (z i < z j).

(* what the exchange of documents i and j of pi adds to a metric M *)
Definition adds M i j := M (exchange 1 i j) - M 1%g.
Definition sum_of_swaps M z := \sum_i \sum_(j | wrong z i j) adds M i j.

Lemma in_order1 z (p : 'I_n) : (in_order 1 z)`_p = z p.
Proof. by rewrite nth_in_order invg1 perm1. Qed.

Lemma in_order_exchange z i j : in_order (exchange 1 i j) z = swap (in_order 1 z) i j.
Proof.
have s k : (k < n)%N -> (k < size (in_order 1 z))%N by rewrite size_in_order.
have size_swap : size (swap (in_order 1 z) i j) = n.
  by rewrite /swap !size_set_nth size_in_order !(maxn_idPr _) // size_set_nth size_in_order (maxn_idPr _).
apply: (@eq_from_nth _ 0); rewrite size_in_order ?size_swap // => k kn.
rewrite -[k]/(nat_of_ord (Ordinal kn)) nth_in_order /exchange mulg1 tpermV /swap nth_set_nth /= nth_set_nth /=.
rewrite !in_order1; case: tpermP => [/(congr1 val) /= ->|/(congr1 val) /= ->|ki kj].
- by case: eqP => [/val_inj->|_]; rewrite ?eqxx.
- by rewrite eqxx.
have apart (l : 'I_n) : Ordinal kn <> l -> (k == l) = false by move=> kl; apply/eqP=> E; apply/kl/val_inj.
by rewrite !apart // -(in_order1 z (Ordinal kn)).
Qed.

Lemma sum_of_pairs c t z : pairs c t 0 (in_order 1 z) =
  sum_of_swaps (fun h => value c t 0 (in_order h z)) z.
Proof.
rewrite pairs_sum size_in_order; apply: eq_bigr => i _; apply: eq_big => j; first by rewrite !in_order1.
by rewrite /adds in_order_exchange.
Qed.

Lemma value_error c t g z : falling c -> 0 <= t -> sorts g z -> (forall i, 0 <= 1 - t * z i) ->
  value c t 0 (in_order g z) - value c t 0 (in_order 1 z) <= sum_of_swaps (fun h => value c t 0 (in_order h z)) z.
Proof.
move=> fc t0 sg z1; have b := bubbles_sort (perm_in_order g 1 z) (in_order_sorted sg).
rewrite -sum_of_pairs -[X in _ <= X]subr0 -(pairs_sorted c t 0 (in_order_sorted sg)).
by apply: bubbles_pairs fc t0 _ _ b _ 0%N; apply/allP => x /mapP[i _ ->].
Qed.

(* losses.lambdarank: the DCG error is at most the sum of what the exchanges of the wrongly ordered pairs add *)
Theorem lambdarank c g z : falling c -> sorts g z ->
  DCG c g z - DCG c 1 z <= sum_of_swaps (fun h => DCG c h z) z.
Proof.
move=> fc sg; have := value_error fc (lexx 0) sg; rewrite /sum_of_swaps /adds !value_dcg => H.
apply: le_trans (H _) _ => [i|]; first by rewrite mul0r subr0 ler01.
by apply: ler_sum => i _; apply: ler_sum => j _; rewrite !value_dcg.
Qed.

(* losses.lambdarank.variant-err: so is the ERR error, for any relevances *)
Theorem lambdarank_err c g r : falling c -> sorts g r -> relevances r ->
  ERR c g r - ERR c 1 r <= sum_of_swaps (fun h => ERR c h r) r.
Proof.
move=> fc sg rr; have := value_error fc ler01 sg; rewrite /sum_of_swaps /adds !value_err => H.
apply: le_trans (H _) _ => [i|]; first by rewrite mul1r subr_ge0; case/andP: (rr i).
by apply: ler_sum => i _; apply: ler_sum => j _; rewrite !value_err.
Qed.

(* losses.lambdarank.variant-reverse: the sum is at most n - 1 times the DCG error *)
Theorem lambdarank_reverse c g z : falling c -> sorts g z ->
  sum_of_swaps (fun h => DCG c h z) z <= (n%:R - 1) * (DCG c g z - DCG c 1 z).
Proof.
move=> fc sg; have b := bubbles_sort (perm_in_order g 1 z) (in_order_sorted sg).
have := bubbles_pairs_most fc b 0%N; rewrite size_in_order (pairs_sorted c 0 0 (in_order_sorted sg)) subr0 sum_of_pairs.
apply: le_trans; apply: ler_sum => i _; apply: ler_sum => j _; by rewrite /adds !value_dcg.
Qed.

(* ndcg.at_cutoff.variant-lambdarank: 1 - NDCG@k is at most the sum of what the exchanges add to NDCG@k *)
Theorem lambdarank_cut_off k c z : falling c -> (forall p, 0 <= c p) -> 0 < ideal (cut k c) z ->
  1 - DCG_at k c 1 z / ideal (cut k c) z <= sum_of_swaps (fun h => DCG_at k c h z / ideal (cut k c) z) z.
Proof.
move=> fc c0 best; have [g sg] := best_exists z; set I := ideal _ z.
have swaps_over : sum_of_swaps (fun h => DCG_at k c h z / I) z = sum_of_swaps (fun h => DCG (cut k c) h z) z / I.
  rewrite mulr_suml; apply: eq_bigr => i _; rewrite mulr_suml; apply: eq_bigr => j _.
  by rewrite /adds !DCG_atE mulrBl.
rewrite swaps_over DCG_atE ler_pdivl_mulr // mulrBl mul1r divfK ?gt_eqF // /I -(dcg_ideal (cut k c) sg).
exact: lambdarank (cut_falling k fc c0) sg.
Qed.

(* losses.lambdarank.step1: an exchange changes two terms of DCG *)
Theorem swap_dcg c z i j : adds (fun h => DCG c h z) i j = (c i - c j) * (z j - z i).
Proof.
rewrite /adds; have [->|ij] := eqVneq i j; first by rewrite /exchange tperm1 mul1g !subrr mulr0.
rewrite !DCGE -sumrB (bigD1 i) // (bigD1 j) 1?eq_sym //= big1 => [|k /andP[ki kj]].
  by rewrite !permM tpermL tpermR !perm1; ring.
by rewrite permM tpermD ?subrr // eq_sym.
Qed.

Lemma sum_of_swaps_dcg c z :
  sum_of_swaps (fun h => DCG c h z) z =
  \sum_(i < n) \sum_(j < n | (i < j)%N) (c i - c j) * excess (z i) (z j).
Proof.
apply: eq_bigr => i _; rewrite /wrong big_mkcondr; apply: eq_bigr => j _.
by rewrite swap_dcg /excess; case: ifP; rewrite ?mulr0.
Qed.

Lemma excess_thresholds K (a b : nat) : (a <= K)%N -> (b <= K)%N ->
  excess (gain a) (gain b) = \sum_(t < K) 2%:R ^+ t * excess (t < a)%:R (t < b)%:R :> R.
Proof.
move=> aK bK; have less (k l : nat) : (k < l)%N -> (l <= K)%N -> gain k < gain l :> R.
  by move=> kl _; rewrite !gainE ltr_add2r ltr_eexpn2l ?ltr1n.
rewrite -[in LHS](minn_idPl aK) -[in LHS](minn_idPl bK) -!gain_thresholds; have [ab|ba] := ltnP a b.
  rewrite /excess !gain_thresholds !(minn_idPl _) // less // -{1}(minn_idPl aK) -{1}(minn_idPl bK) -!gain_thresholds.
  rewrite -sumrB; apply: eq_bigr => t _; rewrite -mulrBr ltr_nat; congr (_ * _).
  by case: (ltnP t a) => [ta|_]; [rewrite (ltn_trans ta ab) subrr | case: (t < b)%N; rewrite ?subrr].
rewrite /excess !gain_thresholds !(minn_idPl _) // ltNge gain_le // big1 //= => t _; rewrite ltr_nat.
by case: (ltnP t b) => [tb|_]; [rewrite (leq_trans tb ba) mulr0 | case: (t < a)%N; rewrite mulr0].
Qed.

(* losses.lambdarank.step2: the sum is that of the labels [y > t], times 2^t, over the thresholds t *)
Theorem swaps_by_thresholds K c (y : 'I_n -> nat) : grades K y ->
  sum_of_swaps (fun h => DCG c h (gains y)) (gains y) = \sum_(t < K) 2%:R ^+ t *
    sum_of_swaps (fun h => DCG c h (fun i => (t < y i)%:R)) (fun i => (t < y i)%:R).
Proof.
move=> yK; rewrite sum_of_swaps_dcg; under [RHS]eq_bigr => t _ do rewrite sum_of_swaps_dcg mulr_sumr.
rewrite exchange_big; apply: eq_bigr => i _ /=; under [RHS]eq_bigr => t _ do rewrite mulr_sumr.
rewrite exchange_big; apply: eq_bigr => j _ /=; rewrite (excess_thresholds (yK i) (yK j)) mulr_sumr.
by apply: eq_bigr => t _; rewrite mulrCA.
Qed.

(* the discounts of the first L places, all equal *)
Definition step (L p : nat) : R := (p < L)%:R.

Lemma indicators (A : {set 'I_n}) : #|A|%:R = \sum_i (i \in A)%:R :> R.
Proof. by rewrite -sum1_card natr_sum big_mkcond; apply: eq_bigr => i _; case: (i \in A). Qed.

Lemma dcg_step L g (A : {set 'I_n}) :
  DCG (step L) g (fun i => (i \in A)%:R) = #|A :&: [set i | (g i < L)%N]|%:R.
Proof.
rewrite DCGE indicators; apply: eq_bigr => i _; rewrite !inE /step.
by case: (i \in A); rewrite ?mulr1 ?mulr0.
Qed.

(* losses.lambdarank.step3: for labels 0, 1, and u zeros among the first L places and v ones behind them *)
Theorem swaps_of_step L g (A : {set 'I_n}) : let z i := (i \in A)%:R in sorts g z ->
  let u := #|first_of n L :\: A| in let v := #|A :\: first_of n L| in
  sum_of_swaps (fun h => DCG (step L) h z) z = (u * v)%:R /\
  DCG (step L) g z - DCG (step L) 1 z = (minn u v)%:R.
Proof.
move=> z sg u v; split.
  rewrite sum_of_swaps_dcg natrM !indicators mulr_suml; apply: eq_bigr => i _; rewrite mulr_sumr big_mkcond.
  apply: eq_bigr => j _; rewrite !inE /z /step /excess; case: (ltnP i L) => [iL|Li]; last first.
    rewrite andbF mul0r; case: ifP => // ij; have -> : (j < L)%N = false by rewrite ltnNge (leq_trans Li (ltnW ij)).
    by rewrite subrr mul0r.
  rewrite andbT; case: (ltnP j L) => [jL|Lj]; first by rewrite /= mulr0 subrr mul0r if_same.
  rewrite (leq_trans iL Lj) subr0 mul1r /=.
  by case: (i \in A); case: (j \in A); rewrite /= ?ltxx ?ltr01 ?ltr10 ?subr0 ?mulr0 ?mul0r ?mulr1.
have -> : z = fun i => (i \in A)%:R by []; rewrite !dcg_step; set G := [set i | _].
have -> : [set i | ((1 : 'S_n)%g i < L)%N] = first_of n L by apply/setP=> i; rewrite !inE perm1.
set F := first_of n L; have GF : #|G| = #|F|.
  have -> : F = [set g i | i in G].
    by apply/setP=> i; rewrite -[i](permKV g) mem_imset ?inE //; exact: perm_inj.
  by rewrite card_imset //; exact: perm_inj.
have cA := cardsID F A; have cF := cardsID A F; rewrite -/v in cA; rewrite -/u setIC in cF.
have E k w : (k = #|A :&: F| + w)%N -> k%:R - #|A :&: F|%:R = w%:R :> R by move->; rewrite natrD addrAC subrr add0r.
apply: E; have [GA|/subsetPn[i iG iA]] := boolP (G \subset A).
  have uv : (u <= v)%N by rewrite -(leq_add2l #|A :&: F|) cA cF -GF subset_leq_card.
  by rewrite (minn_idPl uv) (setIidPr GA) GF cF.
have AG : A \subset G.
  apply/subsetP=> j jA; rewrite inE; apply: contraTT isT; rewrite -leqNgt => Lj.
  have := sg i j; rewrite inE in iG; rewrite (leq_trans (ltnW iG) Lj) /z jA (negbTE iA) => /(_ isT).
  by rewrite ler10.
have vu : (v <= u)%N by rewrite -(leq_add2l #|A :&: F|) cA cF -GF subset_leq_card.
by rewrite (minn_idPr vu) (setIidPl AG) cA.
Qed.
End Pairs.

(* one exchange, for ERR *)
Section Between.
Variables (R : realFieldType) (c : nat -> R).
Implicit Types (l : seq R) (p i j k m : nat).

Lemma value_swap t p l i j : (i < j)%N -> (j < size l)%N -> value c t p (swap l i j) - value c t p l =
  \prod_(0 <= k < i) (1 - t * l`_k) * ((l`_j - l`_i) * gap c t (p + i) (drop i.+1 l) (j - i.+1)).
Proof.
elim: l p i j => // x l IH p [|i] [|j] // ij jl.
  by rewrite big_geq // mul1r addn0 subn1 /= drop0 -value_swap0.
by rewrite big_nat_recl //= sub_common -mulrBr -/(swap l i j) IH // addSnnS subSS mulrA.
Qed.

Lemma gapE t p l j : (j <= size l)%N -> gap c t p l j =
  c p - (\sum_(0 <= m < j) c (p + m.+1)%N * (t * l`_m * \prod_(0 <= k < m) (1 - t * l`_k))
         + c (p + j.+1)%N * \prod_(0 <= k < j) (1 - t * l`_k)).
Proof.
elim: j p l => [|j IH] p l; first by case: l => [|u l] _; rewrite !big_geq // addn1 add0r mulr1 /= addr0.
case: l => // u l jl; rewrite [LHS]/= IH // big_nat_recl // [\prod_(0 <= k < j.+1) _]big_nat_recl //.
rewrite [\prod_(0 <= k < 0) _]big_geq // addn1 [(p + _.+2)%N]addnS -[(p + j.+1).+1]addSn [nth _ (u :: l) 0]/=.
have -> : \sum_(0 <= m < j) c (p + m.+2)%N * (t * l`_m * \prod_(0 <= k < m.+1) (1 - t * (u :: l)`_k)) =
  (1 - t * u) * \sum_(0 <= m < j) c (p.+1 + m.+1)%N * (t * l`_m * \prod_(0 <= k < m) (1 - t * l`_k)).
  rewrite mulr_sumr; apply: eq_bigr => m _; rewrite big_nat_recl //= addSnnS.
  by move: (\prod_(_ <= _ < _) _) (nth _ _ _) => a b; ring.
by move: (\sum_(_ <= _ < _) _) (\prod_(_ <= _ < _) _) => a b; ring.
Qed.

Lemma big_between n (T : Type) (idx : T) (op : Monoid.law idx) (F : nat -> T) i j : (j <= n)%N ->
  \big[op/idx]_(0 <= m < j - i.+1) F (i.+1 + m)%N = \big[op/idx]_(m < n | (i < m < j)%N) F m.
Proof.
move=> jn; under eq_bigr => m _ do rewrite addnC.
by rewrite -(big_addn _ _ _ xpredT) (big_nat_widenl _ 0) // (big_nat_widen _ _ n) // big_mkord; apply: eq_bigl => m.
Qed.
End Between.

Section Exchange.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (r : 'I_n -> R) (i j k m : 'I_n).

(* E[c_T], T the place at which a user stops who goes on from document i of pi to the documents before j, and that of j
   if none of them satisfies *)
Definition expected_stop c r i j := (\sum_(m < n | (i < m < j)%N) c m * (r m * \prod_(k < n | (i < k < m)%N) (1 - r k)))
  + c j * \prod_(k < n | (i < k < j)%N) (1 - r k).

(* losses.lambdarank.variant-err-swap: what the exchange of the documents at places i < j adds to ERR *)
Theorem swap_err c r i j : (i < j)%N ->
  adds (fun h => ERR c h r) i j = look 1 r i * (r j - r i) * (c i - expected_stop c r i j).
Proof.
move=> ij; have jn : (j < size (in_order 1 r))%N by rewrite size_in_order.
rewrite /adds /ERR in_order_exchange -!value_err value_swap // !in_order1 add0n -mulrA; congr (_ * (_ * _)).
  rewrite big_mkord (big_ord_widen_cond n xpredT (fun q : nat => 1 - 1 * (in_order 1 r)`_q)) ?(ltnW (ltn_ord i)) //.
  by apply: eq_big => k; rewrite ?perm1 // mul1r in_order1.
rewrite gapE; last by rewrite size_drop leq_sub2r // ltnW.
pose G (q : nat) := 1 - (in_order 1 r)`_q.
have products (q : nat) : (q <= n)%N -> \prod_(0 <= k < q - i.+1) (1 - 1 * (drop i.+1 (in_order 1 r))`_k)
    = \prod_(k < n | (i < k < q)%N) (1 - r k).
  move=> qn; under eq_bigr => k _ do rewrite nth_drop mul1r -/(G _).
  by rewrite (big_between _ G _ qn); apply: eq_bigr => k _; rewrite /G in_order1.
congr (_ - (_ + _)); last by rewrite products ?(ltnW (ltn_ord j)) // addnS -addSn subnKC.
pose F (q : nat) := c q * ((in_order 1 r)`_q * \prod_(k < n | (i < k < q)%N) (1 - r k)).
rewrite (eq_big_nat _ _ (F2 := fun q : nat => F (i.+1 + q)%N)) => [|m /andP[_ mj]].
  by rewrite (big_between _ F _ (ltnW (ltn_ord j))); apply: eq_bigr => m _; rewrite /F in_order1.
rewrite /F nth_drop mul1r addnS addSn -products ?addSn ?subSS ?addKn //.
by apply: leq_trans (ltnW (ltn_ord j)); rewrite -addSn -leq_subRL // ltnW.
Qed.
End Exchange.
