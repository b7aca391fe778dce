(* What the false rows about costs and binary answers claim; K is the number of answers. *)
From Refrank Require Import Claims.
Import ListNotations.
Open Scope Q_scope.

Definition steps (c : list Q) : list Q := minus (tl c) c.
Definition weights (c : list Q) : list Q := map size (steps c).  (* COCR Eq. 5 *)
Definition right_answers (y n : nat) : list Q := map (fun k => if Nat.leb k y then 1 else 0) (seq 1 n).  (* COCR Eq. 1 *)
Definition misses (y : nat) (h : list Q) : list Q := map size (minus h (right_answers y (length h))).
Definition weighted_errors (c : list Q) (y : nat) (h : list Q) : Q := sum (times (weights c) (misses y h)).
Definition cost_at (c : list Q) (r : Q) : Q := nth (Z.to_nat (Qnum r)) c 0.
Definition costs (cost : nat -> nat -> Q) (y n : nat) : list Q := map (cost y) (seq 0 (S n)).
Definition v_shaped (c : list Q) (y : nat) : bool := falling (firstn (S y) c) && falling (map (subQ 0) (skipn y c)).

Definition binary (g : list Q) : bool := forallb (fun a => among a [0; 1]) g.

(* c[r_g] <= sum_k w_k [b_k != g_k] for the costs of an equation, any g *)
Definition reduction (cost : nat -> nat -> Q) (y : nat) (c off g : list Q) : Q * Q :=
  given (same c (costs cost y (length g)) && same off (misses y g) && binary g) (cost_at c (sum g), weighted_errors c y g).

(* lin_li.reduction: c[r_g] <= sum_k w_k [b_k != g_k] for Eq. 3, 4 and 13, any g: the third is what fails *)
Definition claim_reduction (y : nat) (c off g : list Q) : Q * Q := reduction oerrQ y c off g.

(* lin_li.reduction.variant-oerr: c[r_g] <= sum_k w_k [b_k != g_k] for Eq. 13, any g *)
Definition claim_oerr (y : nat) (c off g : list Q) : Q * Q := reduction oerrQ y c off g.

(* lin_li.reduction.variant-v-shaped: c[r_g] <= sum_k w_k [b_k != g_k] for any V-shaped c, any g *)
Definition claim_v_shaped (y : nat) (c off g : list Q) : Q * Q :=
  given (v_shaped c y && eqQ (nth y c 0) 0 && same off (misses y g) && binary g) (cost_at c (sum g), weighted_errors c y g).

(* lin_li.reduction.variant-soft-squared-outside: c(r_h) <= sum_k w_k |h_k - b_k| for Eq. 4, any real h *)
Definition claim_soft_squared (y : nat) (c off g : list Q) : Q * Q :=
  given (same c (costs squaredQ y (length g)) && same off (misses y g))
    (square (subQ (of_natQ y) (sum g)), weighted_errors c y g).

(* lin_li.reduction.variant-soft-oerr: c(r_h) <= sum_k w_k |h_k - b_k| for Eq. 13, rank-monotone h in [0, 1].
   c(r_h) = (2^y - 2^r_h)^2; 4 r_h is an integer, and 2^r_h the fourth root of a power of 2, between two numbers of 8 digits *)
Definition claim_soft_oerr (y : nat) (c off g : list Q) : enclosed :=
  let fourths := mulQ 4 (sum g) in
  let root := Z.sqrt (Z.sqrt (2 ^ Qnum fourths * 10 ^ 32)) in
  let (a, b) := (root # 100000000, (root + 1) # 100000000) in
  let errors := weighted_errors c y g in
  if same c (costs oerrQ y (length g)) && same off (misses y g) && falling g && inside 0 1 g
     && eqQ fourths (inject_Z (Qnum fourths)) && ltQ b (powerQ 2 y)
  then ((square (subQ (powerQ 2 y) b), square (subQ (powerQ 2 y) a)), (errors, errors)) else nothing.

(* cocr.oerr.variant-convex: Eq. 13 is convex in k *)
Definition claim_convex (y : nat) (oerr : list Q) (k : nat) : Q * Q :=
  given (same oerr (costs oerrQ y (length oerr - 1)) && Nat.ltb 0 k && Nat.ltb (S k) (length oerr))
    (nth (k - 1) (steps oerr) 0, nth k (steps oerr) 0).

(* squared / its maximum <= oERR / its maximum, times both maxima *)
Definition normalised (y : nat) (oerr : list Q) (k : nat) : Q * Q :=
  let squared := costs squaredQ y (length oerr - 1) in
  given (same oerr (costs oerrQ y (length oerr - 1)))
    (mulQ (nth k squared 0) (largest oerr), mulQ (nth k oerr 0) (largest squared)).

(* cocr.oerr.variant-normalised: normalised by the largest entry, oERR >= squared at every k, K = 4, y = 3 *)
Definition claim_normalised (y : nat) (oerr : list Q) (k : nat) : Q * Q :=
  given (Nat.eqb y 3 && Nat.eqb (length oerr) 5) (normalised y oerr k).

(* cocr.oerr.variant-normalised-every-grade: the statement for every K and y *)
Definition claim_normalised_every_grade (y : nat) (oerr : list Q) (k : nat) : Q * Q := normalised y oerr k.

(* the least weighted errors of the answers, in parts, that count to r *)
Fixpoint vectors (values : list Q) (n : nat) : list (list Q) :=
  match n with 0%nat => [[]] | S m => flat_map (fun a => map (cons a) (vectors values m)) values end.
Definition least_errors (answers : list (list Q)) (y r : nat) : Q :=
  least (map (weighted_errors (costs oerrQ y 4) y) (filter (fun h => eqQ (sum h) (of_natQ r)) answers)).

(* K_n^2 = 2 sum 1/i^2 - 4 H_n/(n+1); ERR_g - ERR_pi <= (K_n/16) (errors)^(1/2), squares *)
Definition pairing (n : nat) : Q := sum_of square (minus (places n) (rev (places n))).
Definition end_to_end (answers : list (list Q)) (y yhat g : list nat) : Q * Q :=
  given (perfect y yhat g) (square (err_error y),
    divQ (mulQ (pairing (length y)) (sum_of (fun d => least_errors answers (fst d) (snd d)) (combine y yhat))) 256).

(* new.end_to_end.variant-any: the statement for any g *)
Definition claim_any_answers (y yhat g : list nat) : Q * Q := end_to_end (vectors [0; 1] 4) y yhat g.

(* new.end_to_end.variant-soft: ERR_g - ERR_pi <= (K_n/16) (sum_i sum_k w_ik |h_ik - b_ik|)^(1/2), rank-monotone h in [0, 1] *)
Definition claim_soft_answers (y yhat g : list nat) : Q * Q :=
  end_to_end (filter falling (vectors [0; 0.25; 0.5; 0.75; 1] 4)) y yhat g.

(* regret.lin_li.variant-any: C[r] - min C <= sum of the weighted regrets of any answers, oERR cost *)
Definition claim_any_regret (p c g : list Q) : Q * Q :=
  let n := length g in
  let expected (f : nat -> Q) := expectedQ f 0 p in
  let error h k := expected (fun y => mulQ (nth k (weights (costs oerrQ y n)) 0) (size (subQ h (nth k (right_answers y n) 0)))) in
  let excess k := subQ (error (nth k g 0) k) (least [error 0 k; error 1 k]) in
  given (eqQ (sum p) 1 && inside 0 1 p && binary g && same c (map (fun k => expected (fun y => oerrQ y k)) (seq 0 (S n))))
    (subQ (cost_at c (sum g)) (least c), sum_of excess (seq 0 n)).
