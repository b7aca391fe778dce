(* What the false rows about McRank's Alg. 1 claim that are rational: the first round with nu = log 2 and scores in units of nu,
   where exp(F) = 2^F is rational as long as F is an integer. Documents are at x = 1..N; a tree makes the best cut of them. *)
From Coq Require Import List Arith ZArith.
From Refrank Require Import Rationals Growth.
Import ListNotations.
Local Open Scope Q_scope.

(* None where a power is irrational *)
Definition power_of_two (f : Q) : option Q :=
  match Qred f with
  | Qmake z 1 => Some (if (0 <=? z)%Z then inject_Z (2 ^ z) else 1 / inject_Z (2 ^ - z))
  | _ => None
  end.

Definition add_all (l : list Q) : Q := fold_right addQ 0 l.
Definition indicator (y k : nat) : Q := if Nat.eqb y k then 1 else 0.

(* the leaf values of class k, lines 4 to 6: for each document, the powers exp(F) of its classes *)
Definition betas (K k : nat) (y : list nat) (powers : list (list Q)) : list Q :=
  let p := map (fun row => divQ (nth k row 0) (add_all row)) powers in
  let documents := combine (map (fun l => indicator l k) y) p in
  let r := map (fun d => subQ (fst d) (snd d)) documents in
  let t := best_first (map (fun i => [of_natQ i]) (seq 1 (length y))) r (ones r) 1 2 in
  let leaf_of i := hd [] (filter (existsb (Nat.eqb i)) (leaves t)) in
  map (fun i => leafQ K (map (fun j => nth j documents (0, 0)) (leaf_of i))) (seq 0 (length y)).

(* Alg. 1 as printed: class k sees the scores that the classes before it changed. The sums of F over classes *)
Fixpoint sequential (K k classes : nat) (y : list nat) (powers : list (list (option Q))) (sums : list Q) : option (list Q) :=
  match classes with
  | 0%nat => Some sums
  | S more =>
      if forallb (forallb (fun p => match p with Some _ => true | None => false end)) powers then
        let rational := map (map (fun p => match p with Some a => a | None => 0 end)) powers in
        let b := betas K k y rational in
        let put d := firstn k (snd d) ++ power_of_two (fst d) :: skipn (S k) (snd d) in
        sequential K (S k) more y (map put (combine b powers)) (map (fun d => addQ (fst d) (snd d)) (combine b sums))
      else None
  end.

Definition first_sums (K : nat) (y : list nat) : option (list Q) :=
  sequential K 0 K y (map (fun _ => repeat (Some 1) K) y) (map (fun _ => 0) y).

Definition zeros (sums : option (list Q)) : bool := match sums with Some l => forallb (eqQ 0) l | None => true end.

(* mcrank.sum_of_scores: sum_k F_{i,k} = 0 is kept by Alg. 1 as printed (p inside the class loop) *)
Definition claim_sum_of_scores (K : nat) (y : list nat) : bool := zeros (first_sums K y).

(* mcrank.sum_of_scores.variant-sequential-K2: the statement for K = 2 *)
Definition claim_sequential_k2 (K : nat) (y : list nat) : bool := negb (Nat.eqb K 2) || zeros (first_sums K y).

(* mcrank.sum_of_scores.variant-simultaneous: kept when all p of a round come first, K > 2 *)
Definition claim_simultaneous (K : nat) (y : list nat) : bool :=
  let all := map (fun k => betas K k y (map (fun _ => repeat 1 K) y)) (seq 0 K) in
  forallb (fun i => eqQ 0 (add_all (map (fun b => nth i b 0) all))) (seq 0 (length y)).
