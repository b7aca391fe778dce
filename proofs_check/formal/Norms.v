(* The norms of exponent 1, 2 and infinity with the inequality of Hoelder, and roots. *)
From Refrank Require Import Fields Sums.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Inductive exponent := One | Two | Infinity.

(* the q with 1/p + 1/q = 1 *)
Definition dual p := match p with One => Infinity | Two => Two | Infinity => One end.

Section Largest.
Variables (R : realFieldType) (I : finType).
Implicit Types (a b x : I -> R) (t : R) (i : I).

Definition largest x : R := \big[Num.max/0]_i x i.

Lemma largest_ge x i : x i <= largest x.
Proof.
rewrite /largest; have := mem_index_enum i; elim: (index_enum I) => // j s IH.
by rewrite inE big_cons le_maxr => /orP[/eqP->|/IH->]; rewrite ?lexx ?orbT.
Qed.

Lemma largest_le x t : 0 <= t -> (forall i, x i <= t) -> largest x <= t.
Proof. by move=> t0 xt; rewrite /largest; elim/big_ind: _ => // u v ut vt; rewrite le_maxl ut. Qed.

Lemma largest_ge0 x : 0 <= largest x.
Proof. by rewrite /largest; elim: (index_enum I) => [|j s IH]; rewrite ?big_nil // big_cons le_maxr IH orbT. Qed.

Lemma hoelder_largest a b : \sum_i a i * b i <= largest (fun i => `|a i|) * \sum_(i : I) `|b i|.
Proof.
rewrite mulr_sumr; apply: ler_sum => i _; apply: le_trans (ler_norm _) _; rewrite normrM ler_wpmul2r //.
exact: (largest_ge (fun i => `|a i|)).
Qed.
End Largest.

Section Norms.
Variables (R : rcfType) (I : finType).
Implicit Types (a b x : I -> R) (p : exponent).

Definition norm p x : R :=
  match p with
  | One => \sum_i `|x i|
  | Two => Num.sqrt (\sum_i x i ^+ 2)
  | Infinity => largest (fun i => `|x i|)
  end.

Lemma norm_ge0 p x : 0 <= norm p x.
Proof. by case: p; [exact: sumr_ge0 | exact: sqrtr_ge0 | exact: largest_ge0]. Qed.

Lemma eq_norm p a b : a =1 b -> norm p a = norm p b.
Proof. by move=> ab; case: p => /=; rewrite /largest; under eq_bigr => i _ do rewrite ab. Qed.

(* cossock_zhang.thm2.step3, mcrank.lemma1.step5: the inequality of Hoelder for the exponents 1, 2 and infinity; that of
   Cauchy and Schwarz is the one for 2 *)
Theorem hoelder p a b : \sum_i a i * b i <= norm p a * norm (dual p) b.
Proof.
case: p => /=; last exact: hoelder_largest.
  by rewrite mulrC; under eq_bigr => i _ do rewrite mulrC; exact: hoelder_largest.
rewrite -sqrtrM; last by apply: sumr_ge0 => i _; exact: sqr_ge0.
apply: le_trans (ler_norm _) _; rewrite -sqrtr_sqr; apply: ler_wsqrtr; exact: cauchy_schwarz.
Qed.
End Norms.

(* a is the k-th root of x *)
Definition is_root (R : numDomainType) k (x a : R) := (0 <= a) && (a ^+ k == x).

Section Roots.
Variable R : rcfType.
Implicit Types (x a b : R) (k : nat).

Lemma root_unique k x a b : (0 < k)%N -> is_root k x a -> is_root k x b -> a = b.
Proof.
move=> k0 /andP[a0 /eqP ax] /andP[b0 /eqP bx]; apply/eqP.
by rewrite -(@eqr_expn2 _ k) // ax bx.
Qed.

Lemma root_exists k x : (0 < k)%N -> 0 <= x -> exists a, is_root k x a.
Proof.
move=> k0 x0; have [||a /andP[a0 _] /rootP] := @poly_ivt R ('X^k - x%:P) 0 (1 + x); first by rewrite addr_ge0 ?ler01.
  rewrite !hornerE !hornerXn expr0n (negbTE (lt0n_neq0 k0)) sub0r oppr_le0 x0 /= subr_ge0.
  by apply: le_trans (ler_eexpr k0 _); [rewrite ler_addr ler01 | rewrite ler_addl].
by rewrite !hornerE hornerXn => /eqP; rewrite subr_eq0 => ax; exists a; rewrite /is_root a0.
Qed.
End Roots.
