(* What the other false rows about DCG and NDCG claim: thresholds, class probabilities, pairs and expected gains. *)
From Refrank Require Import Claims.
Import ListNotations.
Open Scope Q_scope.

(* the documents that are under-rated and over-rated at grade t, and what m swaps gain, S(m) *)
Definition count (f : nat * nat -> bool) (y yhat : list nat) : nat := length (filter f (combine y yhat)).
Definition underrated (y yhat : list nat) (t : nat) : nat := count (fun d => Nat.leb t (fst d) && Nat.ltb (snd d) t) y yhat.
Definition overrated (y yhat : list nat) (t : nat) : nat := count (fun d => Nat.ltb (fst d) t && Nat.leb t (snd d)) y yhat.
Definition swap_gain (c : list Q) (m : nat) : Q := sum (firstn (Nat.min m (Nat.div2 (length c))) (minus c (rev c))).
Definition thresholds (c : list Q) (y yhat : list nat) : Q :=
  sum_of (fun t => mulQ (powerQ 2 (t - 1)) (swap_gain c (Nat.max (underrated y yhat t) (overrated y yhat t)))) (seq 1 4).
Definition step_discounts (n : nat) : list (list Q) := map (fun l => repeat 1 l ++ repeat 0 (n - l)) (seq 1 (n - 1)).
Fixpoint label_vectors (n : nat) : list (list nat) :=
  match n with 0%nat => [[]] | S m => flat_map (fun a => map (cons a) (label_vectors m)) (seq 0 5) end.

(* new.dcg_threshold.variant-attained-always: attained for every U_t, O_t <= n/2 that occur together, for all c at once.
   The gap is the least sum, over the step discounts, of what the bound exceeds the error by: 0 if an instance attains it *)
Definition claim_attained_always (u o : list nat) (n : nat) (gap : Q) : Q * Q :=
  let occur y yhat := forallb (fun t => Nat.eqb (nth (t - 1) u 0%nat) (underrated y yhat t) &&
                                        Nat.eqb (nth (t - 1) o 0%nat) (overrated y yhat t)) (seq 1 4) in
  let all_yhat y := filter (fun yhat => falling_grades yhat && occur y yhat) (label_vectors n) in
  let gap_of y yhat := sum_of (fun c => subQ (thresholds c y yhat) (dcg_error c y)) (step_discounts n) in
  let gaps := flat_map (fun y => map (gap_of y) (all_yhat y)) (label_vectors n) in
  given (forallb (fun m => Nat.leb (2 * m) n) (u ++ o) && eqQ gap (least gaps)) (least gaps, 0).

(* losses.class_proba.variant-expected-relevance-15: DCG_g - DCG_pi <= 15 (c_1 - c_n) sum (1 - p_{i,y_i}), by expected
   relevance; 15 is 2^K - 1, the probabilities are those of the grades 0 to K *)
Definition claim_expected_relevance_15 (y : list nat) (p : list (list Q)) (c : list Q) : Q * Q :=
  let left_over := sum_of (fun d => subQ 1 (nth (fst d) (snd d) 0)) (combine y p) in
  given (forallb (fun q => eqQ (sum q) 1 && inside 0 1 q) p && falling (map (expectedQ of_natQ 0) p) && falling c)
    (dcg_error c y, mulQ (mulQ (gainQ (length (hd [] p) - 1)) (subQ (hd 0 c) (last c 0))) left_over).

(* ndcg.by_ideal.variant-negative: 1 - NDCG <= 1 - c_n/c_1 if there is an error, with c_n < 0, where DCG_g > 0; times c_1 DCG_g *)
Definition claim_by_ideal_negative (y yhat g : list nat) (c : list Q) : Q * Q :=
  let best := dcg c (map gainQ (by_label y)) in
  given (falling c && ltQ 0 best && perfect y yhat g && ltQ 0 (errors y yhat))
    (mulQ (hd 0 c) (dcg_error c y), mulQ (subQ (hd 0 c) (last c 0)) best).

(* regret.ndcg.variant-by-gain: E NDCG is largest when documents are ranked by E z_i; times 6 and both ideals *)
Definition claim_by_gain (y x : list nat) (p : Q) (c : list Q) : Q * Q :=
  let best l := dcg c (map gainQ (by_label l)) in
  let value labels := let of (part : nat * nat -> nat) := dcg c (map (fun d => gainQ (part d)) labels) in
    addQ (divQ (mulQ p (of fst)) (best y)) (divQ (mulQ (subQ 1 p) (of snd)) (best x)) in
  let unit := mulQ 6 (mulQ (best y) (best x)) in
  let mean d := addQ (mulQ p (gainQ (fst d))) (mulQ (subQ 1 p) (gainQ (snd d))) in
  given (inside 0 1 [p] && falling (map mean (combine y x)))
    (mulQ unit (largest (map value (orders (combine y x)))), mulQ unit (value (combine y x))).

(* regret.pairwise.variant-factor-1: max_tau E DCG_tau - E DCG_pi <= max (c_i - c_{i+1}) sum_{wrong} |v_i - v_j|, pi by wins *)
Definition claim_factor_1 (v : list Q) (beats : list (list Q)) (c : list Q) : Q * Q :=
  let n := length v in
  let lost i j := mulQ (nth j (nth i beats []) 0) (larger 0 (subQ (nth j v 0) (nth i v 0))) in
  let answered i j := eqQ (addQ (nth j (nth i beats []) 0) (nth i (nth j beats []) 0)) (if Nat.eqb i j then 0 else 1) in
  given (falling (map sum beats) && forallb (fun i => forallb (answered i) (seq 0 n)) (seq 0 n))
    (subQ (largest (map (dcg c) (orders v))) (dcg c v),
     mulQ (largest (minus c (tl c))) (sum_of (fun i => sum_of (lost i) (seq 0 n)) (seq 0 n))).
