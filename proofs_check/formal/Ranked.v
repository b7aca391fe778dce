(* What refrank-vectors call: metrics of scores and labels in the order of a file, weights of binary problems, and leaves
   whose documents have weights. Each is computed by the functions of Metrics.v, over the rational numbers. *)
From Coq Require Import List.
From Refrank Require Export Rationals.

(* documents (score, label) by falling score; equal scores keep their order *)
Fixpoint insert (d : Q * nat) (l : list (Q * nat)) : list (Q * nat) :=
  match l with
  | nil => d :: nil
  | e :: rest => if leQ (fst e) (fst d) then d :: l else e :: insert d rest
  end.
Definition rank (documents : list (Q * nat)) : list nat := map snd (fold_right insert nil documents).
Definition rank_by_label (documents : list (Q * nat)) : list nat :=
  rank (map (fun d => (of_natQ (snd d), snd d)) documents).

(* the metrics of the first k places; NDCG divides by the DCG of the best ranking, and x / 0 is 0 over Q *)
Definition cut_dcg (c : list Q) (k : nat) (labels : list nat) : Q :=
  dcgQ (fun i => nth i c 0%Q) 0 (map gainQ (firstn k labels)).
Definition dcg_of c k documents := cut_dcg c k (rank documents).
Definition ndcg_of c k documents := divQ (dcg_of c k documents) (cut_dcg c k (rank_by_label documents)).
Definition err_of (K k : nat) documents := errQ reciprocalQ 0 (map (relevanceQ K) (firstn k (rank documents))).

(* the costs of the grades 0 to K, and the weights of the binary problems 1 to K, COCR Eq. 5: |c[k] - c[k-1]| *)
Definition costs_of (cost : nat -> nat -> Q) (K y : nat) : list Q := map (cost y) (seq 0 (S K)).
Definition weights_of (cost : nat -> nat -> Q) (K y : nat) : list Q :=
  map (fun k => let step := subQ (cost y (S k)) (cost y k) in if leQ step 0 then subQ 0 step else step) (seq 0 K).

(* residuals y - p and probabilities p; a document of weight w counts w times *)
Definition leaf_of (K : nat) (documents : list (Q * Q * nat)) : Q :=
  leafQ K (flat_map (fun d => repeat (addQ (fst (fst d)) (snd (fst d)), snd (fst d)) (snd d)) documents).

(* as many numbers, each close to its own *)
Fixpoint all_close (distance : Q) (a b : list Q) : bool :=
  match a, b with
  | nil, nil => true
  | x :: xs, y :: ys => close distance x y && all_close distance xs ys
  | _, _ => false
  end.
