(* From numbers to theorems: ofQ maps a rational number of Rationals.v to any ordered field R. It keeps sums, products,
   quotients and order, and hence every function of Metrics.v: what is computed over Q is what theorems over R speak of. *)
From Coq Require Import ZArith QArith.
From Refrank Require Import Rationals Fields.
From mathcomp Require Import ssrZ zify.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* a map between two kinds of numbers that keeps their operations keeps what Metrics.v makes of them *)
Section Images.
Variables (S T : Type) (f : S -> T).
Variables (zero one : S) (add sub mul div : S -> S -> S) (zero' one' : T) (add' sub' mul' div' : T -> T -> T).
Hypotheses (f0 : f zero = zero') (f1 : f one = one').
Hypotheses (fD : forall a b, f (add a b) = add' (f a) (f b)) (fB : forall a b, f (sub a b) = sub' (f a) (f b)).
Hypotheses (fM : forall a b, f (mul a b) = mul' (f a) (f b)) (fV : forall a b, f (div a b) = div' (f a) (f b)).

Lemma power_image x n : f (Metrics.power S one mul x n) = Metrics.power T one' mul' (f x) n.
Proof. by elim: n => //= n IH; rewrite fM IH. Qed.

Lemma of_nat_image n : f (Metrics.of_nat S zero one add n) = Metrics.of_nat T zero' one' add' n.
Proof. by elim: n => //= n IH; rewrite fD f1 IH. Qed.

Lemma gain_image y : f (Metrics.gain S one add sub mul y) = Metrics.gain T one' add' sub' mul' y.
Proof. by rewrite /Metrics.gain fB power_image /Metrics.two fD f1. Qed.

Lemma relevance_image K y : f (Metrics.relevance S one add sub mul div K y) = Metrics.relevance T one' add' sub' mul' div' K y.
Proof. by rewrite /Metrics.relevance fV gain_image power_image /Metrics.two fD f1. Qed.

Lemma reciprocal_image i : f (Metrics.reciprocal S zero one add div i) = Metrics.reciprocal T zero' one' add' div' i.
Proof. by rewrite /Metrics.reciprocal fV of_nat_image f1. Qed.

Lemma absolute_image y k : f (Metrics.absolute S zero one add y k) = Metrics.absolute T zero' one' add' y k.
Proof. exact: of_nat_image. Qed.

Lemma squared_image y k : f (Metrics.squared S zero one add mul y k) = Metrics.squared T zero' one' add' mul' y k.
Proof. by rewrite /Metrics.squared power_image of_nat_image. Qed.

Lemma oerr_image y k : f (Metrics.oerr S one add sub mul y k) = Metrics.oerr T one' add' sub' mul' y k.
Proof. by rewrite /Metrics.oerr power_image fB !power_image /Metrics.two fD f1. Qed.

Lemma dcg_image c c' i z : (forall j, f (c j) = c' j) -> f (Metrics.dcg S zero add mul c i z) = Metrics.dcg T zero' add' mul' c' i (map f z).
Proof. by move=> fc; elim: z i => //= x z IH i; rewrite fD fM fc IH. Qed.

Lemma err_image c c' i r :
  (forall j, f (c j) = c' j) -> f (Metrics.err S zero one add sub mul c i r) = Metrics.err T zero' one' add' sub' mul' c' i (map f r).
Proof. by move=> fc; elim: r i => //= x r IH i; rewrite fD !fM fB fc f1 IH. Qed.

Lemma expected_image t t' k p :
  (forall j, f (t j) = t' j) -> f (Metrics.expected S zero add mul t k p) = Metrics.expected T zero' add' mul' t' k (map f p).
Proof. by move=> ft; elim: p k => //= x p IH k; rewrite fD fM ft IH. Qed.

Lemma leaf_image K d :
  f (Metrics.newton_leaf S zero one add sub mul div K d) =
  Metrics.newton_leaf T zero' one' add' sub' mul' div' K [seq (f e.1, f e.2) | e <- d].
Proof.
rewrite /Metrics.newton_leaf fM !fV !of_nat_image; congr (mul' _ (div' _ _)); elim: d => //= e d IH.
  by rewrite fD fB IH.
by rewrite fD fM fB f1 IH.
Qed.
End Images.

Section Bridge.
Variable R : realFieldType.

Definition ofZ (z : Z) : R := (int_of_Z z)%:~R.
Definition ofQ (q : Q) : R := ofZ (Qnum q) / ofZ (Zpos (Qden q)).

Lemma ofZD a b : ofZ (Z.add a b) = ofZ a + ofZ b.
Proof. by rewrite /ofZ -intrD -(rmorphD [rmorphism of int_of_Z]). Qed.

Lemma ofZN a : ofZ (Z.opp a) = - ofZ a.
Proof. by rewrite /ofZ -mulrNz -(rmorphN [rmorphism of int_of_Z]). Qed.

Lemma ofZM a b : ofZ (Z.mul a b) = ofZ a * ofZ b.
Proof. by rewrite /ofZ -intrM -(rmorphM [rmorphism of int_of_Z]). Qed.

Lemma ofZ_le a b : Z.leb a b = (ofZ a <= ofZ b).
Proof. by rewrite /ofZ ler_int; lia. Qed.

Lemma ofZ_inj a b : ofZ a = ofZ b -> a = b.
Proof. by move/intr_inj; lia. Qed.

Lemma ofZ_gt0 p : 0 < ofZ (Zpos p).
Proof. by rewrite ltr0z; lia. Qed.

Lemma ofQ_le a b : Qle_bool a b = (ofQ a <= ofQ b).
Proof.
by rewrite /ofQ ler_pdivr_mulr ?ofZ_gt0 // mulrAC ler_pdivl_mulr ?ofZ_gt0 // -!ofZM -ofZ_le.
Qed.

Lemma ofQ_eq a b : Qeq a b <-> ofQ a = ofQ b.
Proof.
have d0 q : ofZ (Zpos (Qden q)) != 0 by rewrite gt_eqF ?ofZ_gt0.
rewrite /Qeq /ofQ; split=> [E|/eqP]; first by apply/eqP; rewrite eqr_div // -!ofZM E.
by rewrite eqr_div // -!ofZM => /eqP/ofZ_inj.
Qed.

Lemma ofQ_Qred q : ofQ (Qred q) = ofQ q.
Proof. exact/ofQ_eq/Qred_correct. Qed.

Lemma ofQ0 : ofQ 0 = 0.
Proof. by rewrite /ofQ /ofZ /= mul0r. Qed.

Lemma ofQ1 : ofQ 1 = 1.
Proof. by rewrite /ofQ divff // gt_eqF ?ofZ_gt0. Qed.

Lemma ofQD a b : ofQ (addQ a b) = ofQ a + ofQ b.
Proof.
have d0 q : ofZ (Zpos (Qden q)) != 0 by rewrite gt_eqF ?ofZ_gt0.
by rewrite ofQ_Qred /ofQ /= Pos2Z.inj_mul ofZD !ofZM addf_div.
Qed.

Lemma ofQB a b : ofQ (subQ a b) = ofQ a - ofQ b.
Proof.
have -> : subQ a b = addQ a (Qopp b) by [].
by rewrite ofQD; congr (_ + _); rewrite /ofQ /= ofZN mulNr.
Qed.

Lemma ofQM a b : ofQ (mulQ a b) = ofQ a * ofQ b.
Proof. by rewrite ofQ_Qred /ofQ /= Pos2Z.inj_mul !ofZM mulf_div. Qed.

Lemma ofQV a b : ofQ (divQ a b) = ofQ a / ofQ b.
Proof.
rewrite ofQ_Qred /Qdiv -[LHS]ofQ_Qred ofQM; congr (_ * _).
rewrite /ofQ /Qinv; case: b => [[|p|p] d] /=; first by rewrite /ofZ /= !mul0r invr0.
  by rewrite invf_div.
rewrite -[Zneg p]/(Z.opp (Zpos p)) -[Zneg d]/(Z.opp (Zpos d)) !ofZN invf_div.
by rewrite invrN mulrN mulNr.
Qed.

(* what is computed over Q is DCG, ERR, a cost, an expected value, a leaf over R of the images *)
Lemma ofQ_power x n : ofQ (powerQ x n) = power (ofQ x) n.
Proof. exact: power_image ofQ1 ofQM _ _. Qed.

Lemma ofQ_of_nat n : ofQ (of_natQ n) = of_nat n.
Proof. exact: of_nat_image ofQ0 ofQ1 ofQD _. Qed.

Lemma ofQ_gain y : ofQ (gainQ y) = gain y.
Proof. exact: gain_image ofQ1 ofQD ofQB ofQM _. Qed.

Lemma ofQ_relevance K y : ofQ (relevanceQ K y) = relevance K y.
Proof. exact: relevance_image ofQ1 ofQD ofQB ofQM ofQV _ _. Qed.

Lemma ofQ_reciprocal i : ofQ (reciprocalQ i) = reciprocal i.
Proof. exact: reciprocal_image ofQ0 ofQ1 ofQD ofQV _. Qed.

Lemma ofQ_absolute y k : ofQ (absoluteQ y k) = absolute y k.
Proof. exact: absolute_image ofQ0 ofQ1 ofQD _ _. Qed.

Lemma ofQ_squared y k : ofQ (squaredQ y k) = squared y k.
Proof. exact: squared_image ofQ0 ofQ1 ofQD ofQM _ _. Qed.

Lemma ofQ_oerr y k : ofQ (oerrQ y k) = oerr y k.
Proof. exact: oerr_image ofQ1 ofQD ofQB ofQM _ _. Qed.

Lemma ofQ_dcg c i z : ofQ (dcgQ c i z) = dcg (ofQ \o c) i (map ofQ z).
Proof. by apply: (dcg_image ofQ0 ofQD ofQM). Qed.

Lemma ofQ_err c i r : ofQ (errQ c i r) = err (ofQ \o c) i (map ofQ r).
Proof. by apply: (err_image ofQ0 ofQ1 ofQD ofQB ofQM). Qed.

Lemma ofQ_expected t k p : ofQ (expectedQ t k p) = expected (ofQ \o t) k (map ofQ p).
Proof. by apply: (expected_image ofQ0 ofQD ofQM). Qed.

Lemma ofQ_leaf K d : ofQ (leafQ K d) = leaf K [seq (ofQ e.1, ofQ e.2) | e <- d].
Proof. exact: leaf_image ofQ0 ofQ1 ofQD ofQB ofQM ofQV _ _. Qed.
End Bridge.
