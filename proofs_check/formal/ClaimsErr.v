(* What the false rows about ERR claim: the printed proofs of iGBRT's Theorem 1 and COCR's Theorem 2, line by line, and
   bounds without their premises. Labels are 0 to 4. *)
From Refrank Require Import Claims.
Import ListNotations.
Open Scope Q_scope.

(* C(i) of iGBRT App. A at each place, and D_i = C_pi(pi_i) - C_g(g_i) *)
Definition discounted_looks (r : list Q) : list Q := times (places (length r)) (looks r).
Definition apart (y : list nat) (g : list nat) : list Q :=
  minus (discounted_looks (relevances y)) (of_documents discounted_looks (relevances y) g).
Definition squares_apart (y g : list nat) : Q := sum_of square (apart y g).
Definition sum_of_squares (n : nat) : Q := sum_of square (places n).  (* 1 + 1/4 + ... + 1/n^2 *)

(* igbrt.theorem1.step6: ERR_g - ERR_pi <= (1/16) sum (C_pi(pi_i)-C_g(g_i))(2^y-2^yhat) *)
Definition claim_consequently (y yhat g : list nat) : Q * Q :=
  given (perfect y yhat g) (err_error y, divQ (sum (times (apart y g) (misses y yhat))) 16).

(* igbrt.theorem1.step8: sum (C_pi(pi_i)-C_g(g_i))^2 <= sum 1/i^2 *)
Definition claim_the_fact (y yhat g : list nat) : Q * Q :=
  given (perfect y yhat g) (squares_apart y g, sum_of_squares (length y)).

(* igbrt.theorem1.step10: (sum (C_pi-C_g)^2 sum (2^y-2^yhat)^2)^(1/2) <= (15 pi/sqrt 6) errors^(1/2); squares over 16^2.
   pi^2/6 is the sum of all 1/i^2, and 1/i^2 < 1/(i - 1/2) - 1/(i + 1/2): those from i = 21 on add up to less than 1/20.5 *)
Definition claim_final_constant (y yhat g : list nat) : Q * Q :=
  let pi2_over_6 := addQ (sum_of_squares 20) (divQ 1 20.5) in
  given (perfect y yhat g)
    (divQ (mulQ (squares_apart y g) (sum_of square (misses y yhat))) 256,
     divQ (mulQ (mulQ 225 (errors y yhat)) pi2_over_6) 256).

(* igbrt.theorem1.variant-rearrangement: C_g(i) = C_pi(i) at every position i *)
Definition claim_rearrangement (y yhat g : list nat) : Q * Q :=
  given (perfect y yhat g)
    (first_different (discounted_looks (relevances (by_label y))) (discounted_looks (relevances y))).

(* igbrt.theorem1.variant-same-ties: sum (C_pi(pi_i)-C_g(g_i))^2 <= sum 1/i^2 if g orders equal labels as pi does *)
Definition claim_same_ties (y yhat g : list nat) : Q * Q :=
  let earlier (d e : nat * nat) := Nat.ltb (snd e) (snd d) && Nat.eqb (fst d) (fst e) in
  let fix alike (l : list (nat * nat)) : bool :=
    match l with d :: rest => negb (existsb (earlier d) rest) && alike rest | [] => true end in
  given (perfect y yhat g && alike (combine y g)) (squares_apart y g, sum_of_squares (length y)).

(* F_i(rho,y) - F_i(pi,yhat), and where P_i(rho,y) = P_i(pi,yhat) *)
Definition stops_apart (y yhat g : list nat) : list Q :=
  minus (of_documents stops (relevances y) g) (stops (relevances yhat)).
Definition agree (y yhat g : list nat) : list bool :=
  map (eqQ 0) (minus (of_documents looks (relevances y) g) (looks (relevances yhat))).
Definition sum_of_costs (y yhat : list nat) : Q := sum_of (fun d => oerrQ (fst d) (snd d)) (combine y yhat).
Definition stops_and_costs (y yhat g : list nat) : Q * Q :=
  (sum_of square (stops_apart y yhat g), divQ (sum_of_costs y yhat) 256).

(* cocr.oerr.step1: pi = rho gives P_i(rho,y) = P_i(pi,yhat) *)
Definition claim_equal_orders (y yhat g : list nat) (i : nat) : Q * Q :=
  given (perfect y yhat g && same (map of_natQ g) (map of_natQ (seq 1 (length g))))
    (at_document i (of_documents looks (relevances y) g), at_document i (looks (relevances yhat))).

(* cocr.oerr.step2: (F_i(rho,y)-F_i(pi,yhat))^2 = (P_i/2^K)^2 (2^y_i - 2^(2^K))^2 where P_i(rho,y) = P_i(pi,yhat); roots *)
Definition claim_exponent (y yhat g : list nat) : Q * Q :=
  let gains := map (fun a => divQ (size (subQ (gainQ a) (gainQ 16))) 16) y in
  let kept l := map (fun d : bool * Q => if fst d then snd d else 0) (combine (agree y yhat g) l) in
  given (perfect y yhat g)
    (first_different (kept (map size (stops_apart y yhat g))) (kept (times gains (looks (relevances yhat))))).

(* cocr.oerr.step3: 4^K sum (F_i(rho,y)-F_i(pi,yhat))^2 = sum (2^y_i - 2^k)^2, given optimism; over 4^K *)
Definition claim_one_factor (y yhat g : list nat) : Q * Q :=
  given (perfect y yhat g && forallb (fun b => b) (agree y yhat g)) (stops_and_costs y yhat g).

(* cocr.oerr.step4: sum oERR = 0 gives sum (F_i(rho,y)-F_i(pi,yhat))^2 = 0 *)
Definition claim_no_cost (y yhat g : list nat) : Q * Q :=
  given (perfect y yhat g && eqQ (sum_of_costs y yhat) 0) (stops_and_costs y yhat g).

(* cocr.oerr.variant-unoptimistic: 4^K sum (F_i(rho,y)-F_i(pi,yhat))^2 <= sum oERR; over 4^K *)
Definition claim_unoptimistic (y yhat g : list nat) : Q * Q := given (perfect y yhat g) (stops_and_costs y yhat g).

(* cocr.theorem2.step4: F_i(pi,y) >= F_i(rho,y) for all i *)
Definition claim_eq12 (y yhat g : list nat) (i : nat) : Q * Q :=
  given (perfect y yhat g)
    (at_document i (of_documents stops (relevances y) g), at_document i (stops (relevances y))).

(* ERR(pi) - ERR(rho), and beta[pi(i)] - beta[rho(i)] *)
Definition lost (y g : list nat) : Q := subQ (err (relevances y)) (err (along_g g (relevances y))).
Definition places_apart (g : list nat) : list Q := minus (places (length g)) (at_places g (places (length g))).

(* cocr.theorem2.step8: ERR(pi) - ERR(rho) <= sum (beta[pi]-beta[rho]) (F(rho,y)-F(pi,yhat)) *)
Definition claim_then (y yhat g : list nat) : Q * Q :=
  given (perfect y yhat g) (lost y g, sum (times (places_apart g) (stops_apart y yhat g))).

(* cocr.theorem2.variant-position: F_i(rho,y) is the probability of stopping at position i *)
Definition claim_position (y yhat g : list nat) (i : nat) : Q * Q :=
  given (perfect y yhat g)
    (at_document i (of_documents stops (relevances y) g), at_document i (stops (relevances (by_label y)))).

(* the documents of pi have the indices `index`; the label of index rho(i), i = 1, 2, ..., with rho(i) the place of index i *)
Definition labels_at_rho (y g index : list nat) : list nat :=
  let of_index i l := nth (find_place i index) l 0%nat in
  map (fun i => of_index (of_index i g) y) (seq 1 (length y)).

(* cocr.theorem2.variant-literal: ERR(pi) - ERR(rho) <= (sum (beta[rho]-beta[pi])^2)^(1/2) (sum (F(rho,y)-F(pi,yhat))^2)^(1/2),
   y_rho(i) non-increasing for some indices of the documents; squares *)
Definition claim_literal (y yhat g : list nat) : Q * Q :=
  let to_the_letter := existsb (fun index => falling_grades (labels_at_rho y g index)) (orders (seq 1 (length y))) in
  given (falling_grades yhat && is_ranking y g && to_the_letter)
    (mulQ (lost y g) (size (lost y g)),
     mulQ (sum_of square (places_apart g)) (sum_of square (stops_apart y yhat g))).

(* cocr.theorem2.variant-overshoot: Eq. 11 with predictions up to 6 while K = 4: sum beta[rho] F(pi,yhat) is at most
   sum beta[pi] F(pi,yhat) *)
Definition claim_overshoot (y yhat g : list nat) : Q * Q :=
  let (beta, predicted) := (places (length g), stops (relevances yhat)) in
  given (perfect y yhat g) (sum (times (at_places g beta) predicted), sum (times beta predicted)).

(* new.err_below_rr_dcg.variant-any-pair: the statement with any ordering instead of g *)
Definition claim_any_pair (y yhat g : list nat) : Q * Q :=
  given (falling_grades yhat && is_ranking y g) (subQ 0 (lost y g), sum (times (map (subQ 0) (places_apart g)) (relevances y))).

(* the labels with two documents exchanged *)
Definition with_exchanged (i j : nat) (y : list nat) : list nat :=
  map (fun k => nth (if Nat.eqb k i then j else if Nat.eqb k j then i else k) y 0%nat) (seq 0 (length y)).

(* losses.lambdarank.variant-err-reverse: sum D_ij <= (n - 1) (ERR_g - ERR_pi) *)
Definition claim_err_reverse (y yhat g : list nat) : Q * Q :=
  let pairs := flat_map (fun j => map (fun i => (i, j)) (seq 0 j)) (seq 0 (length y)) in
  let wrong := filter (fun d => Nat.ltb (nth (fst d) y 0%nat) (nth (snd d) y 0%nat)) pairs in
  let increase d := subQ (err (relevances (with_exchanged (fst d) (snd d) y))) (err (relevances y)) in
  given (perfect y yhat g) (sum_of increase wrong, mulQ (of_natQ (length y - 1)) (err_error y)).

(* labels y with probability p, and x otherwise; both are at most K *)
Definition mixed (p a b : Q) : Q := addQ (mulQ p a) (mulQ (subQ 1 p) b).
Definition mean_relevances (y x : list nat) (p : Q) (k : nat) : list Q :=
  map (fun d => mixed p (relevanceQ k (fst d)) (relevanceQ k (snd d))) (combine y x).
Definition mean_err (p : Q) (k : nat) (labels : list (nat * nat)) : Q :=
  mixed p (err (map (fun d => relevanceQ k (fst d)) labels)) (err (map (fun d => relevanceQ k (snd d)) labels)).

Definition lawful (y x : list nat) (p : Q) (k : nat) : bool := inside 0 1 [p] && forallb (fun a => Nat.leb a k) (y ++ x).

(* regret.err.variant-dependent: any labels: E ERR_pi = ERR_pi(E R) *)
Definition claim_dependent (y x : list nat) (p : Q) (k : nat) : Q * Q :=
  given (lawful y x p k) (mean_err p k (combine y x), err (mean_relevances y x p k)).

(* regret.err.variant-dependent-regret: any labels: max_tau E ERR_tau - E ERR_pi <= sum (1/g_i - 1/pi_i) E R_i *)
Definition claim_dependent_regret (y x : list nat) (p : Q) (k : nat) : Q * Q :=
  let labels := combine y x in
  let r := mean_relevances y x p k in
  given (lawful y x p k) (subQ (largest (map (mean_err p k) (orders labels))) (mean_err p k labels),
    subQ (dcg (places (length r)) (by_number r)) (dcg (places (length r)) r)).
