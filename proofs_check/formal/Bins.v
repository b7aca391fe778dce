(* McRank App. I: bins of equal length. A bin holds [start, start + length), where start is the lowest value that no bin
   before it holds. The length is 1e-8, and doubles until at most B bins are needed. *)
From Coq Require Import List Arith.
From Refrank Require Import Rationals Growth.
Import ListNotations.
Local Open Scope Q_scope.

(* the starts of the bins of ascending values, after a bin that ends before `covered` *)
Fixpoint starts (length covered : Q) (values : list Q) : list Q :=
  match values with
  | [] => []
  | v :: rest => if ltQ v covered then starts length covered rest else v :: starts length (addQ v length) rest
  end.

Fixpoint bin_starts (doublings n_bins : nat) (bin_length : Q) (values : list Q) : list Q :=
  let s := starts bin_length (hd 0 values) values in
  match doublings with
  | S more => if Nat.leb (length s) n_bins then s else bin_starts more n_bins (mulQ 2 bin_length) values
  | 0%nat => s
  end.

(* the number of the bin of each value: how many bins start at or below it, less 1 *)
Definition bins (n_bins : nat) (values : list Q) : list Q :=
  let s := bin_starts 64 n_bins (1 # 100000000) (distinct values) in
  map (fun v => of_natQ (length (filter (fun b => leQ b v) s) - 1)) values.

(* one bin per value *)
Definition ranks (values : list Q) : list Q :=
  map (fun v => of_natQ (length (filter (fun b => ltQ b v) (distinct values)))) values.

(* one feature as a table of bins *)
Definition column (codes : list Q) : list (list Q) := map (fun v => [v]) codes.
