(* A certificate of the errors of a ranking, what it claims, and the function that checks it by computing.
   refrank bounds --certify writes certificates; Certificates.v proves that the claim of each one that is certified holds.
   All numbers are rational, and a discount is the float that refrank reads, which is a rational number. *)
From Coq Require Export Zpower.
From Refrank Require Export Rationals.
From mathcomp Require Export ssreflect ssrfun ssrbool eqtype ssrnat seq path.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* the functions of refrank.bounds *)
Inductive bound :=
  dcg_by_errors | min_pairing | dcg_threshold | regression_error | err_rr_dcg | err_oerr | err_threshold.

Record certificate := Certificate {
  highest : nat;             (* K, the highest grade *)
  discounts : seq Q;         (* of the places from the first on; the last one is that of all further places *)
  labels : seq nat;          (* in the order of the ranking, as all that follows *)
  grades : seq nat;          (* predicted, and falling *)
  predictions : seq Q;       (* of the gains, and falling *)
  dcg_error : Q;             (* of the best order of these labels, less that of the ranking *)
  err_error : Q;
  bounds : seq (bound * Q)
}.

Definition discount c p := nth (last 0%Q (discounts c)) (discounts c) p.
Definition dcg_of c y := dcgQ (discount c) 0 (map gainQ y).
Definition err_of c y := errQ reciprocalQ 0 (map (relevanceQ (highest c)) y).
Definition error_below c (b : bound) :=
  match b with err_rr_dcg | err_oerr | err_threshold => err_error c | _ => dcg_error c end.

(* no order of these labels has an error beyond the two, one order has both of them, and the bounds hold *)
Definition holds c : Prop :=
  [/\ forall y, perm_eq y (labels c) ->
        dcg_of c y - dcg_of c (labels c) <= dcg_error c /\ err_of c y - err_of c (labels c) <= err_error c,
      exists2 y, perm_eq y (labels c) &
        dcg_of c y - dcg_of c (labels c) == dcg_error c /\ err_of c y - err_of c (labels c) == err_error c &
      forall b x, List.In (b, x) (bounds c) -> error_below c b <= x]%Q.

(* ERR as a numerator and a denominator, which are not reduced: that would take longer than the longer numbers do *)
Definition numerator (K i k : nat) (a : Z) (b : positive) : Z :=
  let gain := Z.sub (Zpos (shift_nat k 1)) 1 in
  Z.add (Z.mul gain (Zpos b)) (Z.mul (Z.sub (Zpos (shift_nat K 1)) gain) (Z.mul (Zpos (Pos.of_succ_nat i)) a)).
Definition denominator (K i : nat) (b : positive) : positive := Pos.mul (shift_nat K 1) (Pos.mul (Pos.of_succ_nat i) b).

Fixpoint fast_err (K i : nat) (y : seq nat) : Z * positive :=
  if y is k :: rest then
    let (a, b) := fast_err K i.+1 rest in (numerator K i k a b, denominator K i b)
  else (Z0, 1%positive).

(* the difference of two of them, which have one denominator if the lists are equally long *)
Definition fast_error (K : nat) (y y' : seq nat) : Q :=
  let (a, b) := fast_err K 0 y in let (a', b') := fast_err K 0 y' in
  if Pos.eqb b b' then Qmake (Z.sub a a') b else Qminus (Qmake a b) (Qmake a' b').

(* a sum, each term rounded up to a multiple of 2^-64 *)
Definition round_up (x : Q) : Z := Z.opp (Z.div (Z.opp (Qnum x) * Zpos (shift_nat 64 1)) (Zpos (Qden x))).
Definition sum_up (l : seq Q) : Q := Qmake (foldr (fun x a => Z.add (round_up x) a) 0%Z l) (shift_nat 64 1).

Definition best c := sort geq (labels c).
Definition falls (l : seq Q) := sorted (fun a b => leQ b a) l.

(* the squares of c_p less those of the reverse order, and of what predictions miss *)
Definition pairs (d : nat -> Q) (n : nat) : Q :=
  sum_up [seq mulQ x x | x <- [seq subQ (d p) (d (n - p.+1)%N) | p <- iota 0 n]].
Definition misses (z f : nat -> Q) (n : nat) : Q :=
  sum_up [seq mulQ x x | x <- [seq subQ (z p) (f p) | p <- iota 0 n]].

(* the largest gain of m swaps of documents from the two ends *)
Definition swaps_up (d : nat -> Q) (n m : nat) : Q :=
  sum_up [seq subQ (d p) (d (n - p.+1)%N) | p <- iota 0 (minn m n./2)].

(* the documents that are under-rated or over-rated at a grade, whichever are more, and those with a wrong grade *)
Definition rated_above (y : seq nat) (t p : nat) := (t < nth 0%N y p)%N.
Definition crossings_at c (t : nat) : nat :=
  let places := iota 0 (size (labels c)) in
  maxn (count (fun p => ~~ rated_above (grades c) t p && rated_above (labels c) t p) places)
       (count (fun p => ~~ rated_above (labels c) t p && rated_above (grades c) t p) places).
Definition wrong_grades c : nat :=
  count (fun p => nth 0%N (labels c) p != nth 0%N (grades c) p) (iota 0 (size (labels c))).
Definition thresholds_up c (d : nat -> Q) : Q :=
  sum_up [seq mulQ (powerQ 2 t) (swaps_up d (size (labels c)) (crossings_at c t)) | t <- iota 0 (highest c)].

(* a bound, or its square *)
Definition by_root (b : bound) := match b with min_pairing | regression_error | err_oerr => true | _ => false end.
Definition bound_of c (b : bound) : Q :=
  let n := size (labels c) in
  let gain_of y p := gainQ (nth 0%N y p) in
  let relevance_of y p := relevanceQ (highest c) (nth 0%N y p) in
  match b with
  | dcg_by_errors => mulQ (gainQ (highest c)) (swaps_up (discount c) n (wrong_grades c))
  | dcg_threshold => thresholds_up c (discount c)
  | err_threshold => divQ (thresholds_up c reciprocalQ) (powerQ 2 (highest c))
  | min_pairing => mulQ (pairs (discount c) n) (misses (gain_of (labels c)) (gain_of (grades c)) n)
  | regression_error => mulQ (pairs (discount c) n) (misses (gain_of (labels c)) (nth 0%Q (predictions c)) n)
  | err_rr_dcg => sum_up [seq mulQ (reciprocalQ p) (subQ (relevance_of (best c) p) (relevance_of (labels c) p)) | p <- iota 0 n]
  | err_oerr => mulQ (pairs reciprocalQ n) (misses (relevance_of (labels c)) (relevance_of (grades c)) n)
  end.

Definition checks_bound c (b : bound) (x : Q) : bool :=
  if by_root b then leQ 0 x && leQ (bound_of c b) (mulQ x x) else leQ (bound_of c b) x.

(* predictions that sort the documents as the ranking does *)
Definition predicts c : bool :=
  [&& size (grades c) == size (labels c), sorted geq (grades c),
      size (predictions c) == size (labels c) & falls (predictions c)].
Definition well_formed c : bool := [&& all (fun y => y <= highest c)%N (labels c), falls (discounts c) & predicts c].

Definition certified c : bool :=
  [&& well_formed c,
      eqQ (subQ (dcg_of c (best c)) (dcg_of c (labels c))) (dcg_error c),
      eqQ (fast_error (highest c) (best c) (labels c)) (err_error c) &
      all (fun b => checks_bound c b.1 b.2) (bounds c)].
