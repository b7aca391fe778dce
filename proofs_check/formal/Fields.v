(* The functions of Metrics.v with the operations of an ordered field: theorems speak of these.
   The lemmas give each function the form in which MathComp computes: powers, natural numbers and sums over 'I_n. *)
From mathcomp Require Export all_ssreflect fingroup perm ssralg ssrnum ssrint zmodp poly.
From mathcomp Require Export ring.
From Refrank Require Metrics.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Export GRing.Theory Num.Theory Order.POrderTheory Order.TotalTheory.
Local Open Scope ring_scope.

Notation power := (Metrics.power _ 1 *%R).
Notation of_nat := (Metrics.of_nat _ 0 1 +%R).
Notation gain := (Metrics.gain _ 1 +%R (fun a b => a - b) *%R).
Notation relevance := (Metrics.relevance _ 1 +%R (fun a b => a - b) *%R (fun a b => a / b)).
Notation dcg := (Metrics.dcg _ 0 +%R *%R).
Notation err := (Metrics.err _ 0 1 +%R (fun a b => a - b) *%R).
Notation reciprocal := (Metrics.reciprocal _ 0 1 +%R (fun a b => a / b)).
Notation absolute := (Metrics.absolute _ 0 1 +%R).
Notation squared := (Metrics.squared _ 0 1 +%R *%R).
Notation oerr := (Metrics.oerr _ 1 +%R (fun a b => a - b) *%R).
Notation expected := (Metrics.expected _ 0 +%R *%R).
Notation leaf := (Metrics.newton_leaf _ 0 1 +%R (fun a b => a - b) *%R (fun a b => a / b)).

Section Fields.
Variable R : realFieldType.
Implicit Types (x : R) (c t : nat -> R) (y k n : nat).

Lemma powerE x n : power x n = x ^+ n.
Proof. by elim: n => [|n IH] //=; rewrite IH exprS. Qed.

Lemma of_natE n : of_nat n = n%:R :> R.
Proof. by elim: n => [|n IH] //=; rewrite IH mulrS. Qed.

Lemma gainE y : gain y = 2%:R ^+ y - 1 :> R.
Proof. by rewrite /Metrics.gain powerE. Qed.

Lemma relevanceE K y : relevance K y = (2%:R ^+ y - 1) / 2%:R ^+ K :> R.
Proof. by rewrite /Metrics.relevance gainE powerE. Qed.

Lemma reciprocalE n : reciprocal n = n.+1%:R^-1 :> R.
Proof. by rewrite /Metrics.reciprocal of_natE mul1r. Qed.

Lemma absoluteE y k : absolute y k = `|y%:R - k%:R| :> R.
Proof.
rewrite /Metrics.absolute of_natE minusE plusE; case: (leqP y k) => [yk|/ltnW ky].
  by rewrite (eqP yk) add0n natrB // distrC ger0_norm // subr_ge0 ler_nat.
by rewrite (eqP ky) addn0 natrB // ger0_norm // subr_ge0 ler_nat.
Qed.

Lemma squaredE y k : squared y k = (y%:R - k%:R) ^+ 2 :> R.
Proof. by rewrite -(real_normK (num_real (y%:R - k%:R))) -absoluteE /Metrics.squared powerE. Qed.

Lemma oerrE y k : oerr y k = (2%:R ^+ y - 2%:R ^+ k) ^+ 2 :> R.
Proof. by rewrite /Metrics.oerr !powerE. Qed.

Lemma expected_from n t k (p : 'I_n -> R) : expected t k (codom p) = \sum_j p j * t (k + j)%N.
Proof.
elim: n k p => [|n IH] k p; first by rewrite big_ord0 /codom /image_mem enum_ord0.
rewrite /codom /image_mem enum_ordSl /= -map_comp -/(codom (p \o lift ord0)) IH big_ord_recl addn0; congr (_ + _).
by apply: eq_bigr => j _; rewrite addSnnS.
Qed.

(* codom p is the sequence of p 0, p 1, .., p (n - 1) *)
Lemma expectedE n t (p : 'I_n -> R) : expected t 0 (codom p) = \sum_j p j * t j.
Proof. exact: expected_from. Qed.

Lemma leafE K (documents : seq (R * R)) :
  leaf K documents = (K - 1)%:R / K%:R *
    ((\sum_(d <- documents) (d.1 - d.2)) / \sum_(d <- documents) d.2 * (1 - d.2)).
Proof.
rewrite /Metrics.newton_leaf !of_natE minusE; congr (_ * (_ / _)).
  by elim: documents => [|d l IH] /=; rewrite ?big_nil // big_cons IH.
by elim: documents => [|d l IH] /=; rewrite ?big_nil // big_cons IH.
Qed.
End Fields.
