(* DCG, ERR, COCR's costs and McRank's leaf, as they are computed: one number after the other.
   The operations are parameters. The theorems put those of any ordered field, and are about these very functions;
   Vectors.v puts those of the rational numbers, and computes what refrank computes. Places count from 0. *)
From Coq Require Import List.

Section Metrics.
Variable T : Type.
Variables (zero one : T) (add sub mul div : T -> T -> T).

Fixpoint power (x : T) (n : nat) : T :=
  match n with
  | 0 => one
  | S m => mul x (power x m)
  end.

Fixpoint of_nat (n : nat) : T :=
  match n with
  | 0 => zero
  | S m => add one (of_nat m)
  end.

Definition two : T := add one one.

(* McRank Eq. 1: 2^y - 1 *)
Definition gain (y : nat) : T := sub (power two y) one.

(* iGBRT Sec. 2.2: R = (2^y - 1) / 2^K, K the highest grade *)
Definition relevance (K y : nat) : T := div (gain y) (power two K).

(* McRank Eq. 1: sum_i c_i z_i for gains z in ranked order, the first of them at place i *)
Fixpoint dcg (c : nat -> T) (i : nat) (z : list T) : T :=
  match z with
  | nil => zero
  | x :: rest => add (mul (c i) x) (dcg c (S i) rest)
  end.

(* iGBRT Eq. 1: sum_i c_i R_i prod_{j < i} (1 - R_j), c_i = 1 / (i + 1) *)
Fixpoint err (c : nat -> T) (i : nat) (r : list T) : T :=
  match r with
  | nil => zero
  | x :: rest => add (mul (c i) x) (mul (sub one x) (err c (S i) rest))
  end.

Definition reciprocal (i : nat) : T := div one (of_nat (S i)).

(* COCR Eq. 3, 4 and 13: the cost of the grade k for a document of grade y *)
Definition absolute (y k : nat) : T := of_nat ((y - k) + (k - y)).
Definition squared (y k : nat) : T := power (of_nat ((y - k) + (k - y))) 2.
Definition oerr (y k : nat) : T := power (sub (power two y) (power two k)) 2.

(* McRank Sec. 3.3: sum_k p_k T(k), the first of the p for the grade k *)
Fixpoint expected (t : nat -> T) (k : nat) (p : list T) : T :=
  match p with
  | nil => zero
  | x :: rest => add (mul x (t k)) (expected t (S k) rest)
  end.

(* McRank Alg. 1, line 5: (K-1)/K sum (y - p) / sum p (1 - p) over the documents (y, p) of a leaf *)
Definition newton_leaf (K : nat) (documents : list (T * T)) : T :=
  mul (div (of_nat (K - 1)) (of_nat K))
      (div (fold_right (fun d rest => add (sub (fst d) (snd d)) rest) zero documents)
           (fold_right (fun d rest => add (mul (snd d) (sub one (snd d))) rest) zero documents)).
End Metrics.
