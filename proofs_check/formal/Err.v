(* What ERR is: the expected reciprocal place of the first document that satisfies the user; and what an exchange of
   neighbours changes. The sum with any numbers v for the relevances before the looks is changed in the same way. *)
From Refrank Require Import Rankings Bounds.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Expectation.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (g h : 'S_n) (r : 'I_n -> R) (i j : 'I_n) (s : {ffun 'I_n -> bool}).

(* document i satisfies the user with probability r i, whatever the others do; s is true for those that do *)
Definition chance r s := \prod_i (if s i then r i else 1 - r i).

(* document i is the first in the order of g that satisfies *)
Definition first g s i := s i && [forall j, (g j < g i)%N ==> ~~ s j].

(* the discount of the first place of a satisfying document, and 0 if there is none *)
Definition reward c g s := if [pick i | first g s i] is Some i then c (g i) else 0.

Lemma first_unique g s i j : first g s i -> first g s j -> i = j.
Proof.
case/andP=> si /forallP fi /andP[sj /forallP fj]; apply: (@perm_inj _ g); apply/val_inj/eqP; rewrite eqn_leq.
by apply/andP; split; rewrite leqNgt; apply/negP => lt; [have := fi j | have := fj i]; rewrite lt ?sj ?si.
Qed.

Lemma reward_sum c g s : reward c g s = \sum_i (first g s i)%:R * c (g i).
Proof.
rewrite /reward; case: pickP => [i fi|none]; last by rewrite big1 // => i _; rewrite none mul0r.
rewrite (bigD1 i) //= fi mul1r big1 ?addr0 // => j /negP ji.
by case fj: (first g s j); rewrite ?mul0r //; case: ji; rewrite (first_unique fj fi).
Qed.

Lemma chance_ge0 r s : relevances r -> 0 <= chance r s.
Proof.
by move=> rr; apply: prodr_ge0 => i _; have /andP[r0 r1] := rr i; case: (s i); rewrite ?subr_ge0.
Qed.

(* the user stops at document i with the probability that it is the first that satisfies *)
Lemma stop_first g r i : stop g r i = \sum_s chance r s * (first g s i)%:R.
Proof.
pose e j (b : bool) : R := if j == i then b%:R else if (g j < g i)%N then (~~ b)%:R else 1.
have E s : (first g s i)%:R = \prod_j e j (s j).
  rewrite (bigD1 i) //= {1}/e eqxx /first; case: (s i) => /=; last by rewrite mul0r.
  rewrite mul1r; case: forallP => [all_i|/forallP]; last first.
    rewrite negb_forall => /existsP[j]; rewrite negb_imply negbK => /andP[lt sj].
    by rewrite (bigD1 j) /e ?lt ?sj /=; case: eqP lt => [->|//]; rewrite ?ltnn ?mul0r.
  rewrite big1 // => j ji; rewrite /e (negPf ji); case: ifP => // lt.
  by have := all_i j; rewrite lt => /= ->.
under eq_bigr => s _ do rewrite E /chance -big_split /=.
rewrite -(bigA_distr_bigA (fun j b => (if b then r j else 1 - r j) * e j b)) /=.
rewrite (bigD1 i) //= /stop /look; congr (_ * _).
  by rewrite big_bool /= /e eqxx /= mulr1 mulr0 addr0.
rewrite [RHS](bigID (fun j => (g j < g i)%N)) /= [X in _ = _ * X]big1 => [|j /andP[/negPf ji /negPf lt]].
  rewrite mulr1; apply: eq_big => j; last by move=> lt; rewrite big_bool /= /e lt; case: eqP lt => [->|_ _];
    rewrite ?ltnn //= mulr0 add0r mulr1.
  by case: eqP => [->|_]; rewrite ?ltnn.
by rewrite big_bool /= /e ji lt !mulr1 addrC subrK.
Qed.

(* igbrt.err: ERR is the expectation of 1/T, T the first place of a satisfying document, for any discount for 1/i *)
Theorem err_expected_reward c g r : ERR c g r = \sum_s chance r s * reward c g s.
Proof.
rewrite ERRE; under [RHS]eq_bigr => s _ do rewrite reward_sum mulr_sumr.
rewrite exchange_big /=; apply: eq_bigr => i _; rewrite stop_first mulr_sumr.
by apply: eq_bigr => s _; ring.
Qed.

(* igbrt.err.variant-cut-off: with a cut-off k, the relevances behind place k may as well be 0 *)
Theorem err_cut_off c g r k :
  ERR (fun p => if (p < k)%N then c p else 0) g r = ERR c g (fun i => if (g i < k)%N then r i else 0).
Proof.
rewrite !ERRE; apply: eq_bigr => i _; rewrite /stop; case: ifP => lt; last by rewrite !mul0r mulr0.
congr (_ * (_ * _)); apply: eq_bigr => j le; by rewrite (ltn_trans le lt).
Qed.

(* all rankings by f put the same numbers f in the same order *)
Lemma in_order_unique g h (f : 'I_n -> R) : sorts g f -> sorts h f -> in_order g f = in_order h f.
Proof.
move=> sg sh; have anti : antisymmetric (>=%O : rel R) by move=> x y /=; rewrite andbC => /le_anti.
by apply: (sorted_eq (@ge_trans _ _) anti); rewrite ?in_order_sorted ?perm_in_order.
Qed.

(* igbrt.perfect_ranker.variant-ties: any two rankings by relevance have the same ERR *)
Theorem err_ties c g h r : sorts g r -> sorts h r -> ERR c g r = ERR c h r.
Proof. by move=> sg sh; rewrite /ERR (in_order_unique sg sh). Qed.
End Expectation.

Section Exchanges.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (g h : 'S_n) (f r v z : 'I_n -> R) (a b i j : 'I_n).

(* the ranking with the documents a and b exchanged; they are neighbours, a before b, if g b = (g a).+1 *)
Definition exchange g a b : 'S_n := (tperm a b * g)%g.

(* sum_i C_g(g_i) v_i of Mohan et al., App. A, where C_g(g_i) = c (g i) * look g r i; ERR is the case v = r *)
Definition gathered c g r v := \sum_i c (g i) * look g r i * v i.

Lemma ERR_gathered c g r : ERR c g r = gathered c g r r.
Proof. by rewrite ERRE; apply: eq_bigr => i _; rewrite /stop; ring. Qed.

Lemma place_other g i j : (g j < (g i).+1)%N && (j != i) = (g j < g i)%N.
Proof.
rewrite ltnS; case: (eqVneq j i) => [->|ji]; rewrite ?ltnn ?andbF // andbT ltn_neqAle.
by suff -> : g j != g i :> nat by []; apply: contraNneq ji => /val_inj/perm_inj->.
Qed.

Section Neighbours.
Variables (g : 'S_n) (a b : 'I_n).
Hypothesis next : g b = (g a).+1 :> nat.

Lemma neighbours_differ : a != b.
Proof. by apply/eqP => ab; move: next; rewrite ab => /n_Sn. Qed.

Lemma exchange_fst : exchange g a b a = g b. Proof. by rewrite permM tpermL. Qed.
Lemma exchange_snd : exchange g a b b = g a. Proof. by rewrite permM tpermR. Qed.
Lemma exchange_other i : i != a -> i != b -> exchange g a b i = g i.
Proof. by move=> ia ib; rewrite permM tpermD // eq_sym. Qed.

Lemma look_second r : look g r b = (1 - r a) * look g r a.
Proof.
rewrite /look (bigD1 a) ?next //; congr (_ * _); apply: eq_bigl => j; exact: place_other.
Qed.

Lemma before_exchanged i j : i != a -> i != b -> (exchange g a b j < g i)%N = (g j < g i)%N.
Proof.
move=> ia ib; have E : ((g a).+1 < g i)%N = (g a < g i)%N.
  rewrite [RHS]leq_eqVlt -next; case: eqP => // /val_inj/perm_inj bi.
  by rewrite bi eqxx in ib.
by rewrite permM; case: tpermP => [->|->|//]; rewrite next.
Qed.

Lemma look_exchange_other r i : i != a -> i != b -> look (exchange g a b) r i = look g r i.
Proof. by move=> ia ib; apply: eq_bigl => j; rewrite (exchange_other ia ib) before_exchanged. Qed.

Lemma look_exchange_snd r : look (exchange g a b) r b = look g r a.
Proof.
apply: eq_bigl => j; rewrite exchange_snd permM.
by case: tpermP => [->|->|//]; rewrite next ltnn ltnNge leqnSn.
Qed.

(* the exchange of neighbours changes the sum by their two terms *)
Lemma gathered_exchange c r v : gathered c (exchange g a b) r v - gathered c g r v = look g r a *
  (c (g a) * (v b - v a) + c (g b) * ((1 - r b) * v a - (1 - r a) * v b)).
Proof.
have look_fst : look (exchange g a b) r a = (1 - r b) * look g r a.
  rewrite -look_exchange_snd /look exchange_fst next -exchange_snd (bigD1 b) //; congr (_ * _).
  by apply: eq_bigl => j; exact: place_other.
rewrite /gathered (bigD1 a) // (bigD1 b) 1?eq_sym ?neighbours_differ //=.
rewrite [X in _ - X](bigD1 a) // [X in _ - (_ + X)](bigD1 b) 1?eq_sym ?neighbours_differ //=.
rewrite look_fst look_exchange_snd look_second exchange_fst exchange_snd.
under eq_bigr => i /andP[ia ib] do rewrite exchange_other // look_exchange_other //.
by move: (\sum_(i | _) _) (look g r a) (c _) (c _) => S L cb ca; ring.
Qed.

(* new.err_below_rr_dcg.step1, igbrt.perfect_ranker.step1: the exchange of the neighbours a and b, a before b, raises
   ERR by the difference of their discounts and relevances, times the probability that the user looks at a *)
Theorem err_exchange c r : ERR c (exchange g a b) r - ERR c g r = (c (g a) - c (g b)) * (r b - r a) * look g r a.
Proof. by rewrite !ERR_gathered gathered_exchange; ring. Qed.

(* new.err_below_rr_dcg.step2: if b is more relevant, this is between 0 and the change of the DCG with gains R *)
Theorem err_exchange_bounds c r : falling c -> relevances r -> r a <= r b ->
  0 <= ERR c (exchange g a b) r - ERR c g r <= (c (g a) - c (g b)) * (r b - r a).
Proof.
move=> fc rr le_ab; rewrite err_exchange next.
have d0 : 0 <= (c (g a) - c (g a).+1) * (r b - r a) by rewrite mulr_ge0 ?subr_ge0.
by rewrite mulr_ge0 ?look_ge0 //= ler_pimulr ?look_le1.
Qed.

(* igbrt.theorem1.variant-swap: sum C(2^yhat - 1) does not fall if neighbours are exchanged that g has in the wrong
   order of yhat *)
Theorem gathered_exchange_ge c r v : falling c -> 0 <= c (g b) -> relevances r -> r b <= r a -> 0 <= v a <= v b ->
  gathered c g r v <= gathered c (exchange g a b) r v.
Proof.
move=> fc c0 rr le_ba /andP[v0 le_ab]; rewrite -subr_ge0 gathered_exchange mulr_ge0 ?look_ge0 //.
have /andP[rb0 rb1] := rr b; have c1 : c (g b) <= c (g a) by rewrite next.
have -> : c (g a) * (v b - v a) + c (g b) * ((1 - r b) * v a - (1 - r a) * v b) =
  (c (g a) - c (g b)) * (v b - v a) + c (g b) * (r b * (v b - v a) + (r a - r b) * v b) by ring.
have v1 := le_trans v0 le_ab.
by rewrite addr_ge0 // mulr_ge0 ?subr_ge0 ?addr_ge0 // mulr_ge0 ?subr_ge0.
Qed.
End Neighbours.

Lemma dcg_after_exchange c g a b z : a != b ->
  DCG c (exchange g a b) z - DCG c g z = (c (g a) - c (g b)) * (z b - z a).
Proof.
move=> ab; rewrite !DCGE (bigD1 a) // (bigD1 b) 1?eq_sym //= permM tpermL permM tpermR.
rewrite [X in _ - X](bigD1 a) // [X in _ - (_ + X)](bigD1 b) 1?eq_sym //=.
under eq_bigr => i /andP[ia ib] do rewrite permM tpermD 1?eq_sym //.
by move: (\sum_(i | _) _) (c _) (c _) => S ca cb; ring.
Qed.

(* h is g after the exchange of two neighbours, of which the second is the more relevant *)
Definition ascending r g h := [exists a, exists b, (g b == (g a).+1 :> nat) && (r a < r b) && (h == exchange g a b)].

Lemma sorts_neighbours g f : (forall i j, g j = (g i).+1 :> nat -> f j <= f i) -> sorts g f.
Proof.
move=> step i j /subnKC; move: (g j - g i)%N => d; elim: d j => [|d IH] j.
  by rewrite addn0 => /val_inj/perm_inj->.
rewrite addnS => gj; have lt : (g i + d < n)%N by rewrite ltnW // gj.
pose k := (g^-1)%g (Ordinal lt); have gk : g k = (g i + d)%N :> nat by rewrite permKV.
by apply: le_trans (IH k (esym gk)); apply: step; rewrite gk.
Qed.

Lemma ascending_none_sorts r g : (forall h, ~~ ascending r g h) -> sorts g r.
Proof.
move=> none; apply: sorts_neighbours => i j gj; rewrite leNgt; apply: contra (none (exchange g i j)) => lt_ij.
by apply/existsP; exists i; apply/existsP; exists j; rewrite lt_ij gj !eqxx.
Qed.

Lemma bubble_sort_ends r g : exists2 s, path (ascending r) g s & sorts (last g s) r.
Proof.
pose D h := DCG (fun p => - p%:R) h r; pose above h := [set k | D h < D k].
have [N] := ubnP #|above g|; elim: N g => // N IH g ltN.
case: (pickP (ascending r g)) => [h gh|none]; last first.
  by exists [::] => //=; apply: ascending_none_sorts => h; rewrite none.
have Dgh : D g < D h.
  case/existsP: gh => a /existsP[b /andP[/andP[/eqP next lt_ab] /eqP->]].
  rewrite -subr_gt0 dcg_after_exchange ?(neighbours_differ next) //= next -addn1 natrD opprK addrA addNr add0r.
  by rewrite mul1r subr_gt0.
have [s ps ls] : exists2 s, path (ascending r) h s & sorts (last h s) r.
  apply: IH; rewrite -ltnS; apply: leq_trans ltN; rewrite ltnS; apply: proper_card; apply/properP; split.
    by apply/subsetP => k; rewrite !inE; exact: lt_trans Dgh.
  by exists h; rewrite inE ?ltxx.
by exists (h :: s); rewrite //= gh.
Qed.

(* new.err_below_rr_dcg.step3: by exchanges of neighbours of which the second is the more relevant, bubble sort comes
   from any ranking h to one by relevance, and the changes of ERR add up to the error of h *)
Theorem exchanges_add_up c g h r : sorts g r -> exists s : seq 'S_n,
  [/\ path (ascending r) h s, sorts (last h s) r &
      \sum_(k < size s) (ERR c (nth h (h :: s) k.+1) r - ERR c (nth h (h :: s) k) r) = ERR c g r - ERR c h r].
Proof.
move=> sg; have [s ps ls] := bubble_sort_ends r h; exists s; split=> //.
rewrite (err_ties c sg ls) (last_nth h); pose e k := ERR c (nth h (h :: s) k) r.
by rewrite -(big_mkord xpredT (fun k => e k.+1 - e k)) telescope_sumr.
Qed.
End Exchanges.
