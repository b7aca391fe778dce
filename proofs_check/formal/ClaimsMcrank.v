(* What the false rows about McRank claim: the cushion, Eq. 6, Eq. 8 and Lemma 1 without their premises. *)
From Refrank Require Import Claims.
Import ListNotations.
Open Scope Q_scope.

Definition cushion (classify : nat -> nat) (y yhat g : list nat) (c : list Q) : Q * Q :=
  given (perfect y yhat g && same (map of_natQ yhat) (map (fun a => of_natQ (classify a)) y) && falling c) (dcg_error c y, 0).

(* mcrank.cushion.variant-clipped: yhat = max(y - 1, 0), labels 0 allowed: DCG_pi = DCG_g *)
Definition claim_clipped (y yhat g : list nat) (c : list Q) : Q * Q := cushion (fun a => a - 1)%nat y yhat g c.

(* mcrank.cushion.variant-higher: yhat = min(y + 1, 4): DCG_pi = DCG_g *)
Definition claim_higher (y yhat g : list nat) (c : list Q) : Q * Q := cushion (fun a => Nat.min (a + 1) 4) y yhat g c.

(* Eq. 5, and which of two documents it ranks higher: 1, or -1 for the second, 0 for a tie *)
Definition score (t : nat -> Q) (p : list Q) : Q := expectedQ t 0 p.
Definition order (t : nat -> Q) (p r : list Q) : Q := sign (subQ (score t p) (score t r)).
Definition are_distributions (p r : list Q) : bool := eqQ (sum p) 1 && eqQ (sum r) 1 && inside 0 1 (p ++ r).

(* mcrank.eq6.variant-flat: a monotone transformation of S keeps the ranking, min(S, 1) *)
Definition claim_flat (p r : list Q) : Q * Q :=
  let cut q := if ltQ 1 (score of_natQ q) then 1 else score of_natQ q in
  given (are_distributions p r) (sign (subQ (cut p) (cut r)), order of_natQ p r).

(* mcrank.eq6.variant-sum: the ranking by T(k) + 1 is that by T(k) for vectors p of any sum *)
Definition claim_any_sum (p r : list Q) : Q * Q :=
  given (inside 0 1 (p ++ r)) (order (fun k => of_natQ (S k)) p r, order of_natQ p r).

(* mcrank.eq6.variant-nonlinear: T(k) = 2^k reverses no pair against T(k) = k *)
Definition claim_nonlinear (p r : list Q) : Q * Q :=
  given (are_distributions p r) (subQ 0 (mulQ (order (powerQ 2) p r) (order of_natQ p r)), 0).

(* mcrank.eq6.variant-expected-relevance: sorting by T(k) = k maximises the expected DCG, c = (1, 0) *)
Definition claim_expected_relevance (p r : list Q) : Q * Q :=
  let '(first, second) := (score gainQ p, score gainQ r) in
  let by_score := order of_natQ p r in
  given (are_distributions p r)
    (larger first second, if ltQ 0 by_score then first else if ltQ by_score 0 then second else least [first; second]).

(* McRank Eq. 8 *)
Definition class_probabilities (q : list Q) : list Q := minus (q ++ [1]) (0 :: q).
Definition relevance_of (p : list Q) : Q := expectedQ of_natQ 0 p.

(* mcrank.eq8.variant-separate: p_k >= 0 for separately learned Q_k *)
Definition claim_separate (q : list Q) (i : nat) : Q * Q := given (inside 0 1 q) (0, nth i (class_probabilities q) 0).

(* 1 if the score of a repaired Q reverses the pair *)
Definition reverses (repaired : list Q -> Q) (q r : list Q) : Q * Q :=
  let before := subQ (relevance_of (class_probabilities q)) (relevance_of (class_probabilities r)) in
  given (inside 0 1 (q ++ r)) (subQ 0 (mulQ (sign before) (sign (subQ (repaired q) (repaired r)))), 0).
Definition clipped (q : list Q) : list Q := map (larger 0) (class_probabilities q).
Fixpoint running_maximum (before : Q) (q : list Q) : list Q :=
  match q with [] => [] | a :: rest => larger before a :: running_maximum (larger before a) rest end.

(* mcrank.eq8.variant-clip: clipping p_k at 0 reverses no pair *)
Definition claim_clip (q r : list Q) : Q * Q := reverses (fun p => relevance_of (clipped p)) q r.

(* mcrank.eq8.variant-clip-normalise: clipping and dividing by the sum reverses no pair *)
Definition claim_clip_normalise (q r : list Q) : Q * Q :=
  reverses (fun p => divQ (relevance_of (clipped p)) (sum (clipped p))) q r.

(* mcrank.eq8.variant-running-maximum: Q_k := max(Q_0..Q_k) reverses no pair *)
Definition claim_running_maximum (q r : list Q) : Q * Q :=
  reverses (fun p => relevance_of (class_probabilities (running_maximum 0 p))) q r.

(* mcrank.lemma1.variant-negative: Eq. 4 for c non-increasing, of any sign; squares. If prod c^2 = 1, its n-th root is 1 *)
Definition claim_negative (y yhat g : list nat) (c : list Q) : Q * Q :=
  let distance := subQ (sum (map square c)) (of_natQ (length c)) in
  given (perfect y yhat g && falling c && eqQ (fold_right mulQ 1 (map square c)) 1)
    (square (dcg_error c y), mulQ (mulQ 225 (mulQ 2 distance)) (errors y yhat)).
