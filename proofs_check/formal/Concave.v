(* The least concave function above the number F(l) of ones among the first l places: its sum is at most midway between
   that of F and that of U(l) = min(l, P), which has all P ones first. *)
From Refrank Require Import Rankings.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Concave.
Variable R : realFieldType.
Implicit Types (a : nat -> bool) (F M : nat -> R) (k l m n p : nat) (s : R).

Definition concave n M := forall l, (l.+2 <= n)%N -> M l.+2 - M l.+1 <= M l.+1 - M l.

(* M is the least concave function on 0, .., n that is nowhere below F *)
Definition least_concave n F M := [/\ concave n M, forall l, (l <= n)%N -> F l <= M l &
  forall M', concave n M' -> (forall l, (l <= n)%N -> F l <= M' l) -> forall l, (l <= n)%N -> M l <= M' l].

Definition ones a l := (\sum_(p < l) a p)%N.
Definition ones_first a n l := minn l (ones a n).

Lemma ones_le a l : (ones a l <= l)%N.
Proof. by rewrite -[X in (_ <= X)%N](card_ord l) -sum1_card leq_sum // => i _; case: (a i). Qed.

Lemma onesD a k l : ones a (k + l) = (ones a k + ones (fun p => a (k + p)%N) l)%N.
Proof. by rewrite /ones big_split_ord. Qed.

Lemma twice_triangle l : 2%:R * (\sum_(p < l) p%:R) = l%:R * (l%:R - 1) :> R.
Proof.
elim: l => [|l IH]; first by rewrite big_ord0 mulr0 mul0r.
by rewrite big_ord_recr [LHS]mulrDr /= IH -addn1 natrD; ring.
Qed.

(* m ones in a block of k places: the path with them last and that with them first *)
Lemma two_paths k m : (m <= k)%N -> (\sum_(l < k) (minn l m + (m - (k - l))) = m * k.-1)%N.
Proof.
move=> mk; rewrite big_split /= [X in (_ + X)%N](reindex_inj rev_ord_inj) /=.
under [X in (_ + X)%N]eq_bigr => l _ do rewrite subKn //.
have : (\sum_(l < k.+1) (m - l) = \sum_(l < k.+1) (m - l))%N by [].
rewrite {1}big_ord_recl big_ord_recr /= subn0 (eqP mk) addn0 => E; apply/eqP.
rewrite -(eqn_add2l m) addnCA E -big_split /= (eq_bigr (fun=> m)) => [|l _].
  by rewrite sum_nat_const card_ord mulnC; case: k mk {E} => [|k] /=; rewrite ?leqn0 ?mulnS // => /eqP->.
by rewrite minnC minnE subnK ?leq_subr.
Qed.

(* a chord from 0 to the point of F with the largest slope, and then M' *)
Definition chord F M' k l : R := if (l <= k)%N then F k / k%:R * l%:R else F k + M' (l - k)%N.

Lemma steepest F n : F 0%N = 0 -> (0 < n)%N ->
  exists2 k, (0 < k <= n)%N & forall l, (l <= n)%N -> F l <= F k / k%:R * l%:R.
Proof.
case: n => // n F0 _.
case: (@arg_maxP _ R _ (@ord0 n) xpredT (fun k : 'I_n.+1 => F k.+1 / k.+1%:R) isT) => k _ most.
exists k.+1 => [|[|l] ln]; [exact: ltn_ord | by rewrite F0 mulr0 |].
by rewrite -ler_pdivr_mulr ?ltr0Sn //; exact: (most (Ordinal ln)).
Qed.

Definition above a n M :=
  [/\ concave n M, M 0%N = 0, M n = (ones a n)%:R, forall l, (l <= n)%N -> (ones a l)%:R <= M l &
      2%:R * (\sum_(l < n) M l) <= \sum_(l < n) ((ones_first a n l)%:R + (ones a l)%:R)].

(* the area below a chord is midway between those of the two paths *)
Lemma chord_area a n k s : (k <= n)%N -> s * k%:R = (ones a k)%:R ->
  2%:R * (\sum_(l < k) s * l%:R) <= \sum_(l < k) ((ones_first a n l)%:R + (ones a l)%:R).
Proof.
move=> kn kE; rewrite -mulr_sumr mulrCA twice_triangle mulrA kE.
have -> : (ones a k)%:R * (k%:R - 1) = (ones a k * k.-1)%:R :> R.
  case: k kE {kn} => [|k] _; first by rewrite /ones big_ord0 mul0r.
  by rewrite natrM -addn1 natrD addrK addn1.
rewrite -(two_paths (ones_le a k)) natr_sum; apply: ler_sum => l _; rewrite -natrD ler_nat leq_add //.
  by rewrite /ones_first leq_min geq_minl (leq_trans (geq_minr _ _)) // -(subnKC kn) onesD leq_addr.
by rewrite leq_subLR -{1}(subnKC (ltnW (ltn_ord l))) onesD addnC leq_add2r ones_le.
Qed.

(* the places behind k: their bounds are those of their own ones, on top of the ones before *)
Lemma rest_area a n k l : (k <= n)%N -> let a' p := a (k + p)%N in
  (2%:R : R) * (ones a k)%:R + ((ones_first a' (n - k) l)%:R + (ones a' l)%:R) <=
  (ones_first a n (k + l))%:R + (ones a (k + l))%:R.
Proof.
move=> kn /=; have total : ones a n = (ones a k + ones (fun p => a (k + p)%N) (n - k))%N by rewrite -onesD subnKC.
rewrite onesD natrD mulrDl mul1r addrACA ler_add // -natrD ler_nat /ones_first leq_min.
by rewrite leq_add ?geq_minl ?ones_le //= total leq_add2l geq_minr.
Qed.

Lemma above_exists a n : exists2 M, above a n M &
  forall s, (forall l, (l <= n)%N -> (ones a l)%:R <= s * l%:R) -> forall l, (l < n)%N -> M l.+1 - M l <= s.
Proof.
have [N] := ubnP n; elim: N n a => // N IH n a; rewrite ltnS => nN.
case: (posnP n) => [->|n0].
  exists (fun=> 0) => //; split=> //; rewrite /ones ?big_ord0 ?mulr0 // => l.
  by rewrite leqn0 => /eqP->; rewrite big_ord0.
pose F l : R := (ones a l)%:R; have F0 : F 0%N = 0 by rewrite /F /ones big_ord0.
have [k /andP[k0 kn] most] := steepest F0 n0; pose a' p := a (k + p)%N.
have [|M' [cv' M'0 M'n ge' area'] slope'] := IH (n - k)%N a'.
  by apply: leq_trans nN; rewrite -subn_gt0 subKn.
pose M := chord F M' k; set s0 := F k / k%:R in most.
have kE : s0 * k%:R = F k by rewrite divfK // pnatr_eq0 -lt0n.
have Mk l : (l <= k)%N -> M l = s0 * l%:R by rewrite /M /chord => ->.
have Mb l : M (k + l)%N = F k + M' l.
  case: l => [|l]; first by rewrite addn0 Mk // kE M'0 addr0.
  by rewrite /M /chord -[X in (_ <= X)%N]addn0 leq_add2l addKn.
have Fb l : F (k + l)%N = F k + (ones a' l)%:R by rewrite /F onesD natrD.
have chord_le p : (p <= n - k)%N -> (ones a' p)%:R <= s0 * p%:R.
  by move=> pk; have := most (k + p)%N; rewrite Fb natrD mulrDr kE ler_add2l; apply; rewrite -leq_subRL.
have first l : (l < k)%N -> M l.+1 - M l = s0.
  by move=> lk; rewrite !Mk ?(ltnW lk) // -mulrBr -addn1 natrD [l%:R + 1]addrC addrK mulr1.
have then_ l : M (k + l.+1)%N - M (k + l)%N = M' l.+1 - M' l by rewrite !Mb opprD addrACA subrr add0r.
have slope l : (l < n)%N -> M l.+1 - M l <= s0.
  case: (ltnP l k) => [lk|kl] ln; first by rewrite first.
  by rewrite -(subnKC kl) -addnS then_; apply: slope' => //; rewrite ltn_sub2r // (leq_ltn_trans kl).
exists M => [|s le_s l ln]; last first.
  by apply: le_trans (slope l ln) _; rewrite ler_pdivr_mulr ?ltr0n //; exact: le_s.
split.
- move=> l ln; case: (ltnP l k) => [lk|kl]; first by rewrite (first l lk); exact: slope.
  by rewrite -(subnKC kl) -!addnS !then_; apply: cv'; rewrite -!subSn ?leq_sub2r // leqW.
- by rewrite Mk // mulr0.
- by rewrite -(subnKC kn) Mb M'n onesD natrD.
- move=> l ln; case: (leqP l k) => [lk|/ltnW kl]; first by rewrite Mk //; exact: most.
  by rewrite -(subnKC kl) Mb -[(ones a _)%:R]/(F _) Fb ler_add2l; apply: ge'; rewrite leq_sub2r.
have parts (f : nat -> R) : \sum_(l < n) f l = \sum_(l < k) f l + \sum_(l < n - k) f (k + l)%N.
  by rewrite -[in LHS](subnKC kn) big_split_ord.
rewrite (parts M) (parts (fun l => (ones_first a n l)%:R + (ones a l)%:R)) mulrDr /=.
apply: ler_add; first by under eq_bigr => l _ do rewrite Mk ?(ltnW (ltn_ord _)) //; exact: chord_area.
under eq_bigr => l _ do rewrite Mb; rewrite big_split mulrDr /=; apply: le_trans (ler_add (lexx _) area') _.
by rewrite mulr_sumr -big_split; apply: ler_sum => l _; exact: rest_area.
Qed.

Section Least.
Variables (a : nat -> bool) (n : nat) (M : nat -> R).
Hypothesis least : least_concave n (fun l => (ones a l)%:R) M.

Lemma least_ends : M 0%N = 0 /\ M n = (ones a n)%:R.
Proof.
case: least => _ ge le; have [M' [cv' M'0 M'n ge' _] _] := above_exists a n.
have M0 := le M' cv' ge' 0%N (leq0n n); have Mn := le M' cv' ge' n (leqnn n); rewrite M'0 in M0; rewrite M'n in Mn.
by split; apply/eqP; rewrite eq_le ?M0 ?Mn /=; [exact: le_trans (ler0n _ _) (ge _ _) | exact: ge].
Qed.

(* regret.pairwise.step4: the sum of M is at most midway between those of F and U *)
Theorem halfway : \sum_(l < n.+1) (M l - (ones a l)%:R) <= \sum_(l < n.+1) ((ones_first a n l)%:R - M l).
Proof.
have [_ Mn] := least_ends; case: least => _ _ le; have [M' [cv' _ _ ge' area] _] := above_exists a n.
have le2 : 2%:R * (\sum_(l < n) M l) <= \sum_(l < n) (ones_first a n l)%:R + \sum_(l < n) (ones a l)%:R.
  rewrite -big_split /=; apply: le_trans area; rewrite ler_pmul2l ?ltr0n //.
  by apply: ler_sum => l _; apply: le => //; exact: ltnW.
rewrite !big_ord_recr /= Mn subrr /ones_first (minn_idPr (ones_le a n)) subrr !addr0 !sumrB.
by rewrite ler_subr_addr addrAC ler_subl_addr -mulr2n -mulr_natl.
Qed.
End Least.
End Concave.
