(* The numbers of Checker.v over an ordered field: ERR without a reduction, and sums that are rounded up. *)
From Refrank Require Import Checker.
From mathcomp Require Import all_ssreflect all_algebra.
From Refrank Require Import Fields Rankings Bridge.
From mathcomp Require Import ring.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Numbers.
Variable R : realFieldType.
Local Notation ofQ := (@ofQ R).

Lemma ofQ_make a b : ofQ (Qmake a b) = ofZ R a / ofZ R (Zpos b).
Proof. by []. Qed.

Lemma ofQ_minus a b : ofQ (Qminus a b) = ofQ a - ofQ b.
Proof. by rewrite -ofQB /subQ ofQ_Qred. Qed.

Lemma ofZ_shift k : ofZ R (Zpos (shift_nat k 1)) = 2%:R ^+ k.
Proof.
elim: k => [|k IH] //=; rewrite exprS -IH.
by rewrite -[Zpos (xO _)]/(Z.mul 2 (Zpos (shift_nat k 1))) ofZM.
Qed.

Lemma ofZ_place i : ofZ R (Zpos (Pos.of_succ_nat i)) = i.+1%:R.
Proof. by rewrite -[i.+1%:R]/(Posz i.+1)%:~R /ofZ /= SuccNat2Pos.id_succ. Qed.

Lemma fast_err_step K i k a b :
  ofQ (Qmake (numerator K i k a b) (denominator K i b)) =
  reciprocal i * relevance K k + (1 - relevance K k) * ofQ (Qmake a b).
Proof.
rewrite !ofQ_make /numerator /denominator !Pos2Z.inj_mul !(ofZM, ofZD, ofZN, ofZ_shift, ofZ_place).
have b0 : ofZ R (Zpos b) != 0 by rewrite gt_eqF ?ofZ_gt0.
have p0 : i.+1%:R != 0 :> R by rewrite pnatr_eq0.
have t0 : 2%:R ^+ K != 0 :> R by rewrite expf_neq0 ?pnatr_eq0.
rewrite reciprocalE relevanceE; have -> : ofZ R 1 = 1 by [].
move: (ofZ R a) (ofZ R (Zpos b)) i.+1%:R (2%:R ^+ K) (2%:R ^+ k) b0 p0 t0 => a' b' p t g b0 p0 t0.
by field; rewrite b0 p0 t0.
Qed.

Lemma fast_errE K i y :
  ofQ (Qmake (fast_err K i y).1 (fast_err K i y).2) = err reciprocal i [seq relevance K k | k <- y].
Proof.
elim: y i => [|k y IH] i /=; first by rewrite ofQ_make /ofZ mul0r.
by rewrite -IH -fast_err_step; case: (fast_err K i.+1 y).
Qed.

Lemma fast_errorE K y y' :
  ofQ (fast_error K y y') = err reciprocal 0 [seq relevance K k | k <- y] - err reciprocal 0 [seq relevance K k | k <- y'].
Proof.
rewrite -!fast_errE /fast_error; case: (fast_err K 0 y) => a b; case: (fast_err K 0 y') => a' b' /=.
case: ifP => [/Pos.eqb_eq ->|_]; rewrite ?ofQ_minus // !ofQ_make -mulrBl -ofZN -ofZD //.
Qed.
Lemma errQE K y :
  ofQ (errQ reciprocalQ 0 (map (relevanceQ K) y)) = err reciprocal 0 [seq relevance K k | k <- y].
Proof.
apply: etrans (err_image (ofQ0 R) (ofQ1 R) (@ofQD R) (@ofQB R) (@ofQM R) 0 _ (@ofQ_reciprocal R)) _.
by rewrite -map_comp; congr (err _ _ _); apply: eq_map => k /=; rewrite ofQ_relevance.
Qed.

Lemma err_beta i l : err reciprocal i l = err (@beta R) i l.
Proof. by elim: l i => //= x l IH i; rewrite reciprocalE IH. Qed.

(* the least multiples of 2^-64 above numbers add up to at least their sum *)
Lemma sum_up_ge (l : seq Q) : \sum_(x <- l) ofQ x <= ofQ (sum_up l).
Proof.
have u0 : 0 < 2%:R ^+ 64 :> R by rewrite exprn_gt0 ?ltr0n.
have up x : ofQ x * 2%:R ^+ 64 <= ofZ R (round_up x).
  rewrite /round_up ofZN ler_oppr /Bridge.ofQ -!mulNr mulrAC -ofZN -ofZ_shift -ofZM.
  set a := Z.mul _ _; have := Z.mul_div_le a (Zpos (Qden x)) (Pos2Z.is_pos _).
  move/Zle_is_le_bool; rewrite (ofZ_le R) ofZM => H.
  by rewrite mulrC ler_pdivl_mull ?ofZ_gt0.
rewrite /sum_up ofQ_make ofZ_shift ler_pdivl_mulr // mulr_suml.
elim: l => [|x l IH]; first by rewrite big_nil /ofZ.
by rewrite big_cons /= ofZD ler_add.
Qed.

Lemma sum_places (F : nat -> Q) n : \sum_(p < n) ofQ (F p) <= ofQ (sum_up [seq F p | p <- iota 0 n]).
Proof.
have E : iota 0 n = index_iota 0 n by rewrite /index_iota subn0.
by apply: le_trans (sum_up_ge _); rewrite big_map E big_mkord.
Qed.

Lemma squares_up n (F : nat -> Q) (G : 'I_n -> R) : (forall p : 'I_n, ofQ (F p) = G p) ->
  0 <= \sum_p G p ^+ 2 <= ofQ (sum_up [seq mulQ x x | x <- [seq F p | p <- iota 0 n]]).
Proof.
move=> FG; rewrite sumr_ge0 /= => [|p _]; last exact: sqr_ge0.
rewrite -map_comp; apply: le_trans (sum_places _ _); apply: ler_sum => p _ /=.
by rewrite ofQM FG -expr2.
Qed.

Lemma count_card n (P : pred nat) : count P (iota 0 n) = #|[set i : 'I_n | P i]|.
Proof.
have E : iota 0 n = index_iota 0 n by rewrite /index_iota subn0.
by rewrite -sum1_count E big_mkord sum1dep_card.
Qed.
End Numbers.
