(* The sum of 1/i^2 is below pi^2/6, for Coq's real numbers. With A_N(x) the sum over k < N of 1/(k pi + x)^2 +
   1/((k + 1) pi - x)^2, A_2N(x) is a fourth of A_N(x/2) + A_N((pi - x)/2), as 1/sin^2 x is of those of the halves; so
   A_N(x) <= 1/sin^2 x for the powers of two, as sin x < x. At x = pi/2 this bounds the sum over odd numbers. *)
From Coq Require Import Reals Lra Lia.
Local Open Scope R_scope.

Fixpoint sum_of (f : nat -> R) (n : nat) : R := match n with O => 0 | S m => sum_of f m + f m end.

Lemma sum_ext f h n : (forall k, f k = h k) -> sum_of f n = sum_of h n.
Proof. intros E; induction n as [|n IH]; simpl; [reflexivity | now rewrite IH, E]. Qed.

Lemma sum_scale f c n : sum_of (fun k => c * f k) n = c * sum_of f n.
Proof. induction n as [|n IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_plus f h n : sum_of (fun k => f k + h k) n = sum_of f n + sum_of h n.
Proof. induction n as [|n IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma sum_pairs f n : sum_of f (n + n) = sum_of (fun k => f (k + k)%nat + f (S (k + k))) n.
Proof.
induction n as [|n IH]; [reflexivity|].
replace (S n + S n)%nat with (S (S (n + n))) by lia; simpl; rewrite IH; ring.
Qed.

Lemma sum_le f m n : (forall k, 0 <= f k) -> (m <= n)%nat -> sum_of f m <= sum_of f n.
Proof. intros f0 mn; induction mn as [|n mn IH]; simpl; [lra | specialize (f0 n); lra]. Qed.

Definition places (x : R) (k : nat) := / (INR k * PI + x) ^ 2 + / (INR (S k) * PI - x) ^ 2.

Lemma places_halves x k : 0 < x < PI ->
  places (x / 2) k + places ((PI - x) / 2) k = 4 * (places x (k + k) + places x (S (k + k))).
Proof.
intros xP; unfold places; rewrite !S_INR, !plus_INR.
assert (H := pos_INR k); assert (P := PI_RGT_0).
assert (0 < INR k * PI + x / 2) by nra; assert (0 < INR k * PI + (PI - x) / 2) by nra.
field; repeat split; nra.
Qed.

Lemma A_doubles x n : 0 < x < PI ->
  sum_of (places x) (n + n) = (sum_of (places (x / 2)) n + sum_of (places ((PI - x) / 2)) n) / 4.
Proof.
intros xP; rewrite sum_pairs, <- sum_plus.
rewrite (sum_ext (fun k => places (x / 2) k + _) (fun k => 4 * (places x (k + k) + places x (S (k + k))))).
  rewrite sum_scale; field.
intros k; exact (places_halves x k xP).
Qed.

(* 1/sin^2 of x from its halves; sin ((pi - x) / 2) is cos (x / 2) *)
Lemma sin_halves x : 0 < x < PI -> / sin x ^ 2 = (/ sin (x / 2) ^ 2 + / sin ((PI - x) / 2) ^ 2) / 4.
Proof.
intros [x0 x1]; assert (s0 : 0 < sin (x / 2)) by (apply sin_gt_0; lra).
assert (c0 : 0 < cos (x / 2)) by (apply cos_gt_0; lra).
replace ((PI - x) / 2) with (PI / 2 - x / 2) by field; rewrite sin_shift.
replace x with (2 * (x / 2)) at 1 by field; rewrite sin_2a.
assert (E := sin2_cos2 (x / 2)); unfold Rsqr in E.
replace (/ sin (x / 2) ^ 2 + / cos (x / 2) ^ 2) with ((sin (x / 2) * sin (x / 2) + cos (x / 2) * cos (x / 2)) /
  (sin (x / 2) ^ 2 * cos (x / 2) ^ 2)) by (field; lra).
rewrite E; field; lra.
Qed.

Lemma inverse_square_sin x : 0 < x < PI -> / x ^ 2 <= / sin x ^ 2.
Proof.
intros [x0 x1]; assert (s0 := sin_gt_0 x x0 x1); assert (s1 := sin_lt_x x x0).
apply Rinv_le_contravar; [apply pow_lt; lra | apply pow_incr; lra].
Qed.

Lemma A_below_sin n x : 0 < x < PI -> sum_of (places x) (2 ^ n) <= / sin x ^ 2.
Proof.
revert x; induction n as [|n IH]; intros x xP; rewrite (sin_halves x xP).
  assert (h1 := inverse_square_sin (x / 2)); assert (h2 := inverse_square_sin ((PI - x) / 2)).
  assert (E : sum_of (places x) (2 ^ 0) = (/ (x / 2) ^ 2 + / ((PI - x) / 2) ^ 2) / 4).
    simpl; unfold places; simpl; field; lra.
  lra.
assert (h1 := IH (x / 2)); assert (h2 := IH ((PI - x) / 2)).
replace (2 ^ S n)%nat with (2 ^ n + 2 ^ n)%nat by (simpl; lia); rewrite (A_doubles x _ xP); lra.
Qed.

(* 1/(i + 1)^2, i from 0 *)
Definition inverse_square (i : nat) : R := / INR (S i) ^ 2.

Lemma inverse_square_pos i : 0 < inverse_square i.
Proof. apply Rinv_0_lt_compat, pow_lt, lt_0_INR; lia. Qed.

Lemma odd_below n : sum_of (fun k => inverse_square (k + k)) n <= PI ^ 2 / 8.
Proof.
assert (P := PI_RGT_0).
assert (pos : forall k, 0 <= inverse_square (k + k)) by (intros k; apply Rlt_le, inverse_square_pos).
assert (n2 : (n <= 2 ^ n)%nat) by (apply Nat.lt_le_incl, Nat.pow_gt_lin_r; lia).
apply (Rle_trans _ _ _ (sum_le _ _ _ pos n2)).
assert (B := A_below_sin n (PI / 2)); rewrite sin_PI2 in B.
rewrite (sum_ext (places (PI / 2)) (fun k => (8 / PI ^ 2) * inverse_square (k + k))) in B.
  rewrite sum_scale in B; apply (Rmult_le_reg_l (8 / PI ^ 2)).
    apply Rdiv_lt_0_compat; [lra | apply pow_lt; lra].
  replace (8 / PI ^ 2 * (PI ^ 2 / 8)) with 1 by (field; lra); lra.
intros k; unfold places, inverse_square; rewrite !S_INR, plus_INR; assert (H := pos_INR k).
field; repeat split; nra.
Qed.

Lemma even_fourth n : sum_of (fun k => inverse_square (S (k + k))) n = / 4 * sum_of inverse_square n.
Proof.
rewrite <- sum_scale; apply sum_ext; intros k; unfold inverse_square; rewrite !S_INR, plus_INR.
assert (H := pos_INR k); field; repeat split; lra.
Qed.

Lemma squares_at_most n : sum_of inverse_square n <= PI ^ 2 / 6.
Proof.
assert (D := sum_pairs inverse_square n); rewrite sum_plus, even_fourth in D.
assert (O := odd_below n); assert (L := sum_le inverse_square n (n + n) (fun k => Rlt_le _ _ (inverse_square_pos k))).
assert (sum_of inverse_square n <= sum_of inverse_square (n + n)) by (apply L; lia); lra.
Qed.

(* igbrt.theorem1.step9, igbrt.theorem1, igbrt.theorem1.variant-mended, igbrt.theorem1.variant-twice,
   igbrt.theorem1.variant-one-c-squares: the sum of 1/i^2 over any number of places, which the theorems of IgbrtProof.v
   and IgbrtSharp.v have, is below pi^2/6 *)
Theorem squares_below n : sum_of inverse_square n < PI ^ 2 / 6.
Proof. assert (H := squares_at_most (S n)); simpl in H; assert (P := inverse_square_pos n); lra. Qed.
