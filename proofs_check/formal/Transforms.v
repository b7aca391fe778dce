(* McRank Eq. 6: which changes of T keep the ranking by the scores S = sum_k p_k T(k). Grades are 0..K. *)
From Refrank Require Import Rankings.
From mathcomp Require Import all_fingroup.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Transforms.
Variables (R : realFieldType) (K : nat).
Implicit Types (t : nat -> R) (p q : 'I_K.+1 -> R).

Definition distribution p := (forall k, 0 <= p k) /\ \sum_k p k = 1.
Definition score t p := expected t 0 (codom p).

(* mcrank.eq6.step1: an affine transformation of T is one of the score *)
Theorem score_affine t a b p : \sum_k p k = 1 -> score (fun k => a * t k + b) p = a * score t p + b.
Proof.
move=> p1; rewrite /score !expectedE mulr_sumr -[b in RHS]mul1r -p1 mulr_suml -big_split /=.
by apply: eq_bigr => k _; ring.
Qed.

Lemma score_eq t u p : (forall k, (k <= K)%N -> t k = u k) -> score t p = score u p.
Proof. by move=> tu; rewrite /score !expectedE; apply: eq_bigr => k _; rewrite tu // -ltnS. Qed.

(* T is affine in k on the grades, and its steps go up *)
Definition affine t := exists a b, forall k, (k <= K)%N -> t k = a * k%:R + b.
Definition rising t := forall k, (k < K)%N -> t k < t k.+1.

Lemma rising_le t j k : rising t -> (j <= k <= K)%N -> t j <= t k.
Proof.
move=> rt /andP[/subnK <-]; elim: (k - j)%N => // i IH iK.
by rewrite addSn (le_trans (IH (ltnW iK))) // ltW // rt.
Qed.

(* no two documents stand in one order by T(k) = k and in the other by T *)
Definition reverses_none t := forall p q, distribution p -> distribution q ->
  score (fun k => k%:R) p < score (fun k => k%:R) q -> score t p <= score t q.

(* the grade a with the probability 1 - x, and b with x *)
Definition between (a b : 'I_K.+1) (x : R) k : R := (1 - x) * (k == a)%:R + x * (k == b)%:R.

Lemma pick (f : 'I_K.+1 -> R) a : \sum_k f k * (k == a)%:R = f a.
Proof. by rewrite (bigD1 a) //= eqxx mulr1 big1 ?addr0 // => k /negbTE->; rewrite mulr0. Qed.

Lemma score_between t a b x : score t (between a b x) = (1 - x) * t a + x * t b.
Proof.
rewrite /score expectedE -(pick (fun k => (1 - x) * t k) a) -(pick (fun k => x * t k) b) -big_split /=.
by apply: eq_bigr => k _; rewrite [LHS]mulrDl; congr (_ + _); rewrite mulrAC.
Qed.

Lemma between_distribution a b x : 0 <= x <= 1 -> distribution (between a b x).
Proof.
move=> /andP[x0 x1]; split=> [k|]; first by rewrite addr_ge0 ?mulr_ge0 ?ler0n ?subr_ge0.
by rewrite big_split /= (pick (fun=> 1 - x)) (pick (fun=> x)) subrK.
Qed.

(* mcrank.eq6.variant-only-affine: a rising T reverses no pair against T(k) = k exactly if it is affine. Otherwise, a
   document of grade k for sure is compared with one of the grades 0 and K *)
Theorem only_affine t : (0 < K)%N -> rising t -> reverses_none t <-> affine t.
Proof.
move=> K0 rt; split=> [none|[a [b ab]] p q [_ p1] [_ q1]]; last first.
  rewrite !(score_eq _ ab) !score_affine // ler_add2r => lt_pq.
  have a0 : 0 <= a by have := rising_le rt (j := 0) (k := 1) K0; rewrite !ab // mulr0 mulr1 add0r ler_addr.
  by rewrite ler_wpmul2l // ltW.
pose d := t K - t 0%N; have d0 : 0 < d.
  by rewrite subr_gt0 (lt_le_trans (rt 0%N K0)) // rising_le ?K0 ?leqnn.
exists (d / K%:R), (t 0%N) => k kK; pose k' : 'I_K.+1 := inord k.
have low : t 0%N <= t k by rewrite rising_le ?kK.
have high : t k <= t K by rewrite rising_le ?kK ?leqnn.
have sure u : score u (between k' k' 0) = u k by rewrite score_between subr0 mul1r mul0r addr0 inordK ?ltnS.
have ends u x : score u (between ord0 ord_max x) = u 0%N + x * (u K - u 0%N) by rewrite score_between /=; ring.
pose share := (t k - t 0%N) / d.
have share01 : 0 <= share <= 1 by rewrite /share divr_ge0 ?(ltW d0) ?subr_ge0 //= ler_pdivr_mulr // mul1r ler_add2r.
have tE : t k = t 0%N + share * d by rewrite /share divfK ?gt_eqF // addrC subrK.
suff shareE : share = k%:R / K%:R by rewrite tE shareE; field; rewrite pnatr_eq0 -lt0n.
have K0' : 0 < K%:R :> R by rewrite ltr0n.
have kK1 : 0 <= k%:R / (K%:R : R) <= 1 by rewrite divr_ge0 ?ler0n //= ler_pdivr_mulr // mul1r ler_nat.
(* x between the two shares, in the order in which they are *)
have mid (u v : R) : 0 <= u <= 1 -> 0 <= v <= 1 -> u < v -> exists x, [/\ 0 <= x <= 1, u < x & x < v].
  move=> /andP[u0 u1] /andP[v0 v1] uv; exists ((u + v) / 2%:R).
  have [ux xv] := midf_lt uv; rewrite ux xv; split=> //.
  by rewrite (le_trans u0 (ltW ux)) (le_trans (ltW xv) v1).
have sure_ok : distribution (between k' k' 0) by apply: between_distribution; rewrite lexx ler01.
apply/eqP; rewrite eq_le !leNgt; apply/andP; split; apply/negP.
  move=> /(mid _ _ kK1 share01)[x [x01 kx xs]]; have := none _ _ sure_ok (between_distribution ord0 ord_max x01).
  rewrite !sure !ends subr0 add0r -ltr_pdivr_mulr // => /(_ kx).
  by rewrite tE ler_add2l ler_pmul2r // leNgt xs.
move=> /(mid _ _ share01 kK1)[x [x01 sx xk]]; have := none _ _ (between_distribution ord0 ord_max x01) sure_ok.
rewrite !sure !ends subr0 add0r -ltr_pdivl_mulr // => /(_ xk).
by rewrite tE ler_add2l ler_pmul2r // leNgt sx.
Qed.
End Transforms.

Section Rankings.
Variables (R : realFieldType) (n : nat) (g : 'S_n).
Implicit Types (t u : nat -> R) (s : 'I_n -> R).

Lemma same_order s s' : (forall i j, (s' j <= s' i) = (s j <= s i)) -> sorts g s' <-> sorts g s.
Proof. by move=> same; split=> sorted i j /sorted; rewrite same. Qed.

(* mcrank.eq6.step2: a strictly increasing transformation of the scores keeps the ranking *)
Theorem transformed_ranking (f : R -> R) s : {homo f : x y / x < y} -> sorts g (f \o s) <-> sorts g s.
Proof. by move=> rise; apply: same_order => i j; rewrite /= (le_mono rise). Qed.

(* mcrank.eq6: so does an affine transformation of T that rises, if probabilities add up to 1 *)
Theorem affine_ranking K (p : 'I_n -> 'I_K.+1 -> R) t (a b : R) : 0 < a -> (forall i, \sum_k p i k = 1) ->
  sorts g (fun i => score (fun k => a * t k + b) (p i)) <-> sorts g (fun i => score t (p i)).
Proof. by move=> a0 p1; apply: same_order => i j; rewrite !score_affine // ler_add2r ler_pmul2l. Qed.

(* mcrank.eq6.variant-two-classes: all increasing T give the same ranking if there are two classes *)
Theorem two_classes_ranking (p : 'I_n -> 'I_2 -> R) t u : t 0%N < t 1%N -> u 0%N < u 1%N -> (forall i, \sum_k p i k = 1) ->
  sorts g (fun i => score u (p i)) <-> sorts g (fun i => score t (p i)).
Proof.
move=> t01 u01 p1; pose a := (u 1%N - u 0%N) / (t 1%N - t 0%N).
have a0 : 0 < a by rewrite divr_gt0 ?subr_gt0.
apply: iff_trans (affine_ranking t (u 0%N - a * t 0%N) a0 p1); apply: same_order => i j.
have uE k : (k <= 1)%N -> u k = a * t k + (u 0%N - a * t 0%N).
  case: k => [|[|//]] _; first by ring.
  by rewrite addrCA -mulrBr /a divfK ?subr_eq0 ?gt_eqF // addrC subrK.
by rewrite !(score_eq _ uE).
Qed.
End Rankings.
