(* Cossock and Zhang: the DCG error is at most a norm of discounts times the dual norm of what the predictions miss.
   Documents are numbered in the order of pi, which sorts by real predictions f of the gains z; g is any ranking. *)
From Refrank Require Import Rankings Bounds Norms Pairings Sums.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Fields.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (z f : 'I_n -> R) (g : 'S_n) (i : 'I_n).

Lemma discount_between c i : falling c -> c n.-1 <= c i <= c 0%N.
Proof. by move=> fc; rewrite !falling_le //; case: i => i /= lt_in; rewrite -ltnS (ltn_predK lt_in). Qed.

Lemma discounts_within c (i j : 'I_n) : falling c -> `|c i - c j| <= c 0%N - c n.-1.
Proof.
move=> fc; have /andP[li ui] := discount_between i fc; have /andP[lj uj] := discount_between j fc.
by rewrite ler_norml opprB !ler_sub.
Qed.

(* p = infinity *)
Lemma regression_error_l1 c z f g : falling c -> noninc f ->
  DCG c g z - DCG c 1 z <= (c 0%N - c n.-1) * \sum_i `|z i - f i|.
Proof.
move=> fc nf; apply: le_trans (dcg_error_below_misses g z fc nf) _; rewrite mulr_sumr; apply: ler_sum => i _.
by apply: le_trans (ler_norm _) _; rewrite normrM ler_wpmul2r // discounts_within.
Qed.

(* p = 1 *)
Lemma regression_error_sup c z f g b : falling c -> noninc f -> (forall i, `|z i - f i| <= b) ->
  DCG c g z - DCG c 1 z <= (\sum_(i < n) `|c i - c (rev_ord i)|) * b.
Proof.
move=> fc nf zb; apply: le_trans (dcg_error_below_misses g z fc nf) _.
apply: le_trans (_ : (\sum_i `|c (g i) - c i|) * b <= _).
  rewrite mulr_suml; apply: ler_sum => i _; apply: le_trans (ler_norm _) _.
  by rewrite normrM ler_wpmul2l.
have := pairing g 1 fc; rewrite /GRing.exp /=.
case: (pickP 'I_n) => [i _ apart|none _]; last by rewrite !big1 ?mul0r // => i; have := none i.
by rewrite ler_wpmul2r // (le_trans _ (zb i)).
Qed.
End Fields.

Section Roots.
Variables (R : rcfType) (n : nat).
Implicit Types (c : nat -> R) (z f : 'I_n -> R) (g : 'S_n) (p : exponent) (k : nat).

(* (2 sum c^p)^(1/p); the limit for p = infinity is the largest c *)
Definition twice p c : R :=
  match p with
  | One => 2%:R * \sum_(i < n) c i
  | Two => Num.sqrt (2%:R * \sum_(i < n) c i ^+ 2)
  | Infinity => largest (fun i : 'I_n => c i)
  end.

Notation apart c := (fun i : 'I_n => c i - c (rev_ord i)).

Lemma pairing_norm p c g : falling c -> norm p (fun i => c (g i) - c i) <= norm p (apart c).
Proof.
move=> fc; case: p => /=.
- by have := pairing g 1 fc; rewrite /GRing.exp.
- by apply: ler_wsqrtr; exact: pairing_squared.
apply: largest_le => [|i]; first exact: largest_ge0.
apply: le_trans (discounts_within (g i) i fc) _; case: n g i => [|m] g' i; first by case: i.
apply: le_trans (ler_norm _) _; have := largest_ge (fun i : 'I_m.+1 => `|c i - c (rev_ord i)|) ord0.
by rewrite /= subn1.
Qed.

(* cossock_zhang.thm2.variant-sharp: the bound by the regression error for the exponents 1, 2 and infinity, with the
   least factor *)
Theorem regression_error p c z f g : falling c -> noninc f ->
  DCG c g z - DCG c 1 z <= norm p (apart c) * norm (dual p) (fun i => z i - f i).
Proof.
move=> fc nf; apply: le_trans (dcg_error_below_misses g z fc nf) (le_trans (hoelder p _ _) _).
by rewrite ler_wpmul2r ?norm_ge0 // pairing_norm.
Qed.

Lemma apart_twice p c : falling c -> (forall i, 0 <= c i) -> norm p (apart c) <= twice p c.
Proof.
move=> fc c0; have sum k : \sum_(i < n) `|c i - c (rev_ord i)| ^+ k <= 2%:R * \sum_(i < n) c i ^+ k.
  have := discounts_apart (reverse n) k c0; rewrite (eq_bigr (fun i : 'I_n => `|c i - c (rev_ord i)| ^+ k)) // => i _.
  by rewrite reverseE distrC.
case: p => /=.
- by have := sum 1%N; rewrite /GRing.exp.
- apply: ler_wsqrtr; apply: le_trans (sum 2%N); apply: ler_sum => i _; by rewrite real_normK ?num_real.
apply: largest_le => [|i]; first exact: largest_ge0.
apply: le_trans (_ : Num.max (c i) (c (rev_ord i)) <= _).
  rewrite ler_norml le_maxr ler_oppl opprB le_maxr; apply/andP; split.
    by apply/orP; right; rewrite ler_subl_addr ler_addl.
  by apply/orP; left; rewrite ler_subl_addr ler_addl.
by rewrite le_maxl !(largest_ge (fun i : 'I_n => c i)).
Qed.

(* cossock_zhang.thm2: the bound by the regression error as Cossock and Zhang state it *)
Theorem cossock_zhang p c z f g : falling c -> (forall i, 0 <= c i) -> noninc f ->
  DCG c g z - DCG c 1 z <= twice p c * norm (dual p) (fun i => z i - f i).
Proof.
move=> fc c0 nf; apply: le_trans (regression_error p z g fc nf) _.
by rewrite ler_wpmul2r ?norm_ge0 // apart_twice.
Qed.
End Roots.

(* No smaller factor is enough: gains for which pi is the reverse of g, and all predictions are 0. *)
Section Attained.
Variables (R : rcfType) (n : nat).
Implicit Types (c : nat -> R) (p : nat).

Definition signed_power p (x : R) := Num.sg x * `|x| ^+ p.

Lemma signed_power_le p x y : x <= y -> signed_power p x <= signed_power p y.
Proof.
rewrite /signed_power => xy; have [y0|y0] := ltrP y 0; last first.
  have [x0|x0] := lerP x 0.
    apply: (@le_trans _ _ 0).
      by apply: mulr_le0_ge0; rewrite ?sgr_le0 ?exprn_ge0.
    by rewrite mulr_ge0 ?exprn_ge0 // sgr_ge0.
  have y1 := lt_le_trans x0 xy; rewrite !gtr0_sg // !mul1r !gtr0_norm //.
  by apply: ler_expn2r; rewrite ?nnegrE // ltW.
have x0 := le_lt_trans xy y0; rewrite !ltr0_sg // !ltr0_norm // !mulN1r ler_opp2.
by apply: ler_expn2r; rewrite ?nnegrE ?oppr_ge0 ?ler_opp2 // ltW.
Qed.

Lemma norm_signed_power p x : (0 < p)%N -> `|signed_power p x| = `|x| ^+ p.
Proof.
move=> p0; rewrite normrM normr_sg normrX normr_id; have [->|_] := eqVneq x 0; last by rewrite mul1r.
by rewrite normr0 mul0r expr0n (negbTE (lt0n_neq0 p0)).
Qed.

(* the reverse of pi sorts by these gains *)
Definition rising c p (i : 'I_n) : R := signed_power p (c (rev_ord i) - c i).

Lemma reverse_sorts c p : falling c -> sorts (reverse n) (rising c p).
Proof.
move=> fc i j; rewrite !reverseE rev_ord_le => ji; apply: signed_power_le.
by rewrite ler_sub // falling_le // rev_ord_le.
Qed.

Lemma rising_error c p :
  DCG c (reverse n) (rising c p) - DCG c 1 (rising c p) = \sum_(i < n) `|c i - c (rev_ord i)| ^+ p.+1.
Proof.
rewrite !DCGE -sumrB; apply: eq_bigr => i _; rewrite perm1 reverseE -mulrBl /rising /signed_power.
by rewrite mulrA [_ * Num.sg _]mulrC -normrEsg -exprS distrC.
Qed.

(* cossock_zhang.thm2.variant-attained: for the exponent 1, the bound by the regression error is an equality *)
Theorem regression_error_attained_one c : falling c ->
  sorts (reverse n) (rising c 0) /\
  DCG c (reverse n) (rising c 0) - DCG c 1 (rising c 0)
  = norm One (fun i : 'I_n => c i - c (rev_ord i)) * norm Infinity (fun i => rising c 0 i - 0).
Proof.
move=> fc; split; [exact: reverse_sorts | rewrite rising_error /=].
have E x : `|signed_power 0 x| = (x != 0)%:R by rewrite /signed_power expr0 mulr1 normr_sg.
have [i|none] := pickP (fun i : 'I_n => c (rev_ord i) - c i != 0).
  move=> apart; have -> : largest (fun i => `|rising c 0 i - 0|) = 1; last by rewrite mulr1 /GRing.exp.
  apply/le_anti/andP; split.
    by apply: largest_le => [|j]; rewrite ?ler01 // subr0 E; case: eqP; rewrite ?lexx ?ler01.
  by apply: le_trans (largest_ge _ i); rewrite subr0 E apart.
by rewrite !big1 ?mul0r // => i _; rewrite distrC (eqP (negbFE (none i))) ?normr0 ?expr0n.
Qed.

(* cossock_zhang.thm2.variant-attained: so it is for every natural exponent p + 1 >= 2, 1/q = p / (p + 1); w_i is
   |z_i - f_i|^q, and a b is the right side *)
Theorem regression_error_attained c p a b (w : 'I_n -> R) : falling c -> (0 < p)%N ->
  is_root p.+1 (\sum_(i < n) `|c i - c (rev_ord i)| ^+ p.+1) a ->
  (forall i, is_root p (`|rising c p i - 0| ^+ p.+1) (w i)) -> is_root p.+1 ((\sum_i w i) ^+ p) b ->
  sorts (reverse n) (rising c p) /\ DCG c (reverse n) (rising c p) - DCG c 1 (rising c p) = a * b.
Proof.
move=> fc p0 ra rw rb; split; [exact: reverse_sorts | rewrite rising_error].
set D := \sum_i _; have D0 : 0 <= D by apply: sumr_ge0 => i _; exact: exprn_ge0.
have wE : \sum_i w i = D.
  apply: eq_bigr => i _; apply: (root_unique p0 (rw i)); apply/andP; split; first exact: exprn_ge0.
  by rewrite subr0 norm_signed_power // distrC -!exprM mulnC.
case/andP: ra => a0 /eqP ra; case/andP: rb => b0 /eqP rb.
have rD : is_root p.+1 (D ^+ p.+1) D by rewrite /is_root D0 /=.
apply: (root_unique (ltn0Sn p) rD); rewrite /is_root mulr_ge0 //=.
by rewrite exprMn ra rb wE exprS.
Qed.
End Attained.
