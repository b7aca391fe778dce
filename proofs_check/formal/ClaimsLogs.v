(* What the false rows with logarithms claim. A logarithm lies between two rational numbers, so both sides do. *)
From Refrank Require Import Claims.
Import ListNotations.
Open Scope Q_scope.

Definition interval : Type := Q * Q.
Definition down (a : Q) : Q := Qred ((Qnum a * 10 ^ 12 / Zpos (Qden a))%Z # 1000000000000).
Definition outward (i : interval) : interval := (down (fst i), subQ 0 (down (subQ 0 (snd i)))).

Definition plus (i j : interval) : interval := (addQ (fst i) (fst j), addQ (snd i) (snd j)).
Definition scaled (a : Q) (i : interval) : interval :=
  if leQ 0 a then (mulQ a (fst i), mulQ a (snd i)) else (mulQ a (snd i), mulQ a (fst i)).
(* of numbers from 0 on, the divisor positive *)
Definition over (i j : interval) : interval := outward (divQ (fst i) (snd j), divQ (snd i) (fst j)).
Definition product (i j : interval) : interval := outward (mulQ (fst i) (fst j), mulQ (snd i) (snd j)).
Definition weighted (a : list Q) (l : list interval) : interval :=
  fold_right (fun d rest => plus (scaled (fst d) (snd d)) rest) (0, 0) (combine a l).

(* the logarithm of q >= 1 is 2 z (1 + z^2/3 + z^4/5 + ...), z = (q - 1)/(q + 1), which is nested here: what follows the
   20th term, in brackets, is between 0 and 1 + z^2 + z^4 + ... = 1/(1 - z^2) *)
Definition log (q : Q) : interval :=
  let z := divQ (subQ q 1) (addQ q 1) in
  let rest := (0, divQ 1 (subQ 1 (square z))) in
  let add_term k := fun i => outward (plus (divQ 1 (of_natQ (2 * k + 1)), divQ 1 (of_natQ (2 * k + 1))) (scaled (square z) i)) in
  outward (scaled (mulQ 2 z) (fold_right add_term rest (seq 0 20))).
Definition log_between (i : interval) : interval := (fst (log (fst i)), snd (log (snd i))).
Definition log2 (q : Q) : interval := over (log q) (log 2).
Definition discounts (n : nat) : list interval := map (fun i => over (log 2) (log (of_natQ (S i)))) (seq 1 n).  (* 1/log2(1+i) *)

(* ndcg.lambda_loss.variant-cut-off: DCG_g - DCG_pi <= sum_{i < j, y_i < y_j} delta_{j-i} (z_j - z_i), delta_r = c_r - c_{r+1},
   with c_i = 1/log2(1+i) for i <= k, 0 behind it *)
Definition claim_lambda_cut_off (y yhat g : list nat) (k : nat) : enclosed :=
  let n := length y in
  let c := firstn k (discounts n) ++ repeat (0, 0) (n - k) in
  let delta r := plus (nth (r - 1) c (0, 0)) (scaled (-1) (nth r c (0, 0))) in
  let pairs := flat_map (fun j => map (fun i => (i, j)) (seq 0 j)) (seq 0 n) in
  let z i := gainQ (nth i y 0%nat) in
  let misordered := map (fun d => larger 0 (subQ (z (snd d)) (z (fst d)))) pairs in
  if perfect y yhat g
  then (weighted (minus (map gainQ (by_label y)) (map gainQ y)) c,
        weighted misordered (map (fun d => delta (snd d - fst d)%nat) pairs)) else nothing.

(* ndcg.at_cutoff.variant-minus-log: NDCG@k >= exp(sum w_i log rho_i). If all scores are equal, rho_i = 1/n, and sum w_i = 1 *)
Definition claim_minus_log (y yhat g : list nat) (k : nat) : enclosed :=
  let n := length y in
  let dcg_of l := weighted (map gainQ l) (firstn k (discounts n) ++ repeat (0, 0) (n - k)) in
  let rho := divQ 1 (of_natQ n) in
  if perfect y yhat g && falling_grades (rev yhat) && existsb (Nat.ltb 0) y
  then ((rho, rho), over (dcg_of y) (dcg_of (by_label y))) else nothing.

(* ndcg.xe_ndcg.variant-usual-gain: -log NDCG <= -kappa sum phi_i log rho_i, kappa = log2 log2 3, NDCG with the gains 2^y - 1;
   phi_i = x_i / sum x, x_i = 2^y_i - gamma_i, and rho_i = e^s_i / sum e^s *)
Definition claim_usual_gain (y : list nat) (gamma e_s : list Q) : enclosed :=
  let x := minus (map (powerQ 2) y) gamma in
  let dcg_of l := weighted (map gainQ l) (discounts (length y)) in
  let kappa := over (log_between (log2 3)) (log 2) in
  let loss := weighted (map (fun a => divQ a (sum x)) x) (map (fun e => log (divQ (sum e_s) e)) e_s) in
  if falling e_s && ltQ 0 (least e_s) && inside 0 1 gamma && existsb (Nat.ltb 0) y
  then (log_between (over (dcg_of (by_label y)) (dcg_of y)), product kappa loss) else nothing.
