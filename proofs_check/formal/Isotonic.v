(* The distance of the gains from the sequences that do not rise bounds the DCG error, whatever the predictions are.
   Documents are numbered in the order of pi; g is any ranking. *)
From Refrank Require Import Rankings Bounds Norms Pairings Regression.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Rises.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (z f h : 'I_n -> R) (g : 'S_n) (i j : 'I_n).

(* f is the sequence pava(z): of all that do not rise, the closest to z in squares *)
Definition isotonic f z := noninc f /\ forall h, noninc h -> \sum_i (z i - f i) ^+ 2 <= \sum_i (z i - h i) ^+ 2.

(* new.isotonic.variant-l1: the bound by the absolute distance from any sequence f that does not rise *)
Theorem isotonic_l1 c z f g : falling c -> noninc f ->
  DCG c g z - DCG c 1 z <= (c 0%N - c n.-1) * \sum_i `|z i - f i|.
Proof. exact: regression_error_l1. Qed.

(* the largest z_j - z_i over i < j, and 0 if it is negative *)
Definition largest_rise z := largest (fun p : 'I_n * 'I_n => if (p.1 < p.2)%N then z p.2 - z p.1 else 0).

(* new.isotonic.variant-sup: the bound by half of the largest rise; f is the least gain so far, and half of that rise *)
Theorem isotonic_sup c z g : falling c ->
  DCG c g z - DCG c 1 z <= (\sum_(i < n) `|c i - c (rev_ord i)|) * (largest_rise z / 2%:R).
Proof.
move=> fc; pose low i := z [arg min_(j < i | (j <= i)%N) z j]%O; pose b := largest_rise z / 2%:R.
have lowP i : exists2 j : 'I_n, (j <= i)%N & low i = z j /\ forall k : 'I_n, (k <= i)%N -> z j <= z k.
  by rewrite /low; case: arg_minP => // j ji least; exists j.
apply: (regression_error_sup g fc (f := fun i => low i + b)) => [i j ij|i].
  rewrite ler_add2r; have [k ki [-> _]] := lowP i; have [l _ [-> least]] := lowP j.
  by apply: least; exact: leq_trans ki ij.
have [j ji [-> least]] := lowP i; have zji : z j <= z i := least i (leqnn i).
have rise : z i - z j <= 2%:R * b.
  rewrite /b mulrCA mulfV ?pnatr_eq0 // mulr1; move: ji; rewrite leq_eqVlt => /orP[/eqP/val_inj->|lt].
    by rewrite subrr largest_ge0.
  by have := largest_ge (fun p : 'I_n * 'I_n => if (p.1 < p.2)%N then z p.2 - z p.1 else 0) (j, i); rewrite /= lt.
have -> : z i - (z j + b) = (z i - z j) - b by ring.
rewrite ler_norml ler_subr_addl subrr subr_ge0 zji /= ler_subl_addr; apply: le_trans rise _.
by rewrite mulr_natl mulr2n.
Qed.
End Rises.

Section Squares.
Variables (R : rcfType) (n : nat).
Implicit Types (c : nat -> R) (z f h : 'I_n -> R) (g : 'S_n) (i j : 'I_n).

Definition isotonic_bound c z f : R :=
  Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2) * Num.sqrt (\sum_i (z i - f i) ^+ 2).

(* new.isotonic: the bound by the distance from isotonic regression. It holds for every f that does not rise
   (regression_error); this f makes it smallest *)
Theorem isotonic_error c z f g : falling c -> isotonic f z -> DCG c g z - DCG c 1 z <= isotonic_bound c z f.
Proof. by move=> fc [nf _]; exact: (regression_error Two z g fc nf). Qed.

(* new.isotonic.variant-zero: the bound is 0 exactly for a perfect ranking *)
Theorem isotonic_zero c z f : falling c -> c n.-1 < c 0%N -> isotonic f z ->
  isotonic_bound c z f = 0 <-> noninc z.
Proof.
move=> fc; rewrite -subr_gt0 => c0 [nf least].
have sum0 (d : 'I_n -> R) : 0 <= \sum_i d i ^+ 2 by apply: sumr_ge0 => i _; exact: sqr_ge0.
have K0 : 0 < Num.sqrt (\sum_(i < n) (c i - c (rev_ord i)) ^+ 2).
  rewrite sqrtr_gt0; case: n c0 => [|m] c0; first by rewrite subrr ltxx in c0.
  rewrite big_ord_recl /= subn1 ltr_paddr ?exprn_gt0 //; apply: sumr_ge0 => i _; exact: sqr_ge0.
split=> [/eqP|nz].
  rewrite mulf_eq0 gt_eqF //= sqrtr_eq0 => le0.
  have eq0 : \sum_i (z i - f i) ^+ 2 == 0 by rewrite eq_le le0 sum0.
  have zf i : z i = f i.
    move: eq0; rewrite psumr_eq0 => [/allP/(_ i (mem_index_enum i))|j _]; last exact: sqr_ge0.
    by rewrite sqrf_eq0 subr_eq0 => /eqP.
  by move=> i j ij; rewrite !zf; exact: nf.
apply/eqP; rewrite mulf_eq0 gt_eqF //= sqrtr_eq0; apply: le_trans (least z nz) _.
by rewrite big1 // => i _; rewrite subrr expr0n.
Qed.

(* new.isotonic.variant-attained: an equality for gains that rise like this, whose isotonic regression is 0 *)
Theorem isotonic_attained c : falling c ->
  let z i := c (rev_ord i) - c i in
  [/\ sorts (reverse n) z, isotonic (fun=> 0) z &
      DCG c (reverse n) z - DCG c 1 z = isotonic_bound c z (fun=> 0)].
Proof.
move=> fc z; have error h : DCG c (reverse n) h - DCG c 1 h = \sum_i z i * h i.
  by rewrite !DCGE -sumrB; apply: eq_bigr => i _; rewrite perm1 reverseE mulrBl.
split.
- by move=> i j; rewrite !reverseE rev_ord_le => ji; rewrite ler_sub // falling_le // rev_ord_le.
- split=> [i j _|h nh]; first exact: lexx.
  have neg : \sum_i z i * h i <= 0 by rewrite -error subr_le0; apply: dcg_perfect fc (noninc_sorts nh).
  have -> : \sum_i (z i - h i) ^+ 2 = \sum_i (z i - 0) ^+ 2 + (\sum_i h i ^+ 2 - 2%:R * \sum_i z i * h i).
    by rewrite mulr_sumr -sumrB -big_split; apply: eq_bigr => i _ /=; ring.
  rewrite ler_addl subr_ge0; apply: (@le_trans _ _ 0); last by apply: sumr_ge0 => i _; exact: sqr_ge0.
  by rewrite pmulr_rle0 ?ltr0n.
rewrite error /isotonic_bound; have -> : \sum_(i < n) (c i - c (rev_ord i)) ^+ 2 = \sum_i (z i - 0) ^+ 2.
  by apply: eq_bigr => i _; rewrite subr0 -sqrrN opprB.
rewrite -expr2 sqr_sqrtr; last by apply: sumr_ge0 => i _; exact: sqr_ge0.
by apply: eq_bigr => i _; rewrite subr0 expr2.
Qed.
End Squares.
