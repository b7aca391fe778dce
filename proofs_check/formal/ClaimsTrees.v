(* What the false rows of trees.* claim, as computations over the rational numbers; Growth.v says what a tree is.
   The arguments are those that a counterexample gives, in its order: x lists the features of each row. *)
From Refrank Require Import Claims Growth Bins Binary64.
Import ListNotations.
Local Open Scope Q_scope.

Definition same_parts (s t : tree) (n : nat) : bool := equal Nat.eqb (parts s n) (parts t n).
Definition grown (x : list (list Q)) (y : list Q) (n_leaves : nat) : tree := best_first x y (ones y) 1 n_leaves.
Definition all_rows (y : list Q) : list nat := seq 0 (length y).

(* trees.best_first_is_depth_first.variant-small-J: J = 4 and depth 2 make the same tree *)
Definition claim_small_j (x : list (list Q)) (y : list Q) : bool :=
  same_tree (grown x y 4) (to_depth x y (ones y) 1 2 (all_rows y)).

(* each value as often as its weight, a whole number, says *)
Definition copies {T : Type} (values : list T) (w : list nat) : list T :=
  flat_map (fun d => repeat (fst d) (snd d)) (combine values w).

(* trees.duplicated_rows.variant-min-samples-leaf: a row of weight 2 predicts as the row twice, with at least 2 rows in a leaf *)
Definition claim_min_samples_leaf (x : list (list Q)) (y : list Q) (w : list nat) : bool :=
  let weights := map of_natQ w in
  let once := at_rows x y weights (best_first x y weights 2 2) in
  let (x2, y2) := (copies x w, copies y w) in
  equal eqQ (copies once w) (at_rows x2 y2 (ones y2) (best_first x2 y2 (ones y2) 2 2)).

(* what the best cut of a table of bins gains *)
Definition most (x : list (list Q)) (y : list Q) : Q := largest (map gain (cuts x y (ones y) 1 (all_rows y))).

(* trees.histogram_is_exact_split.variant-two-bins-lossless: the best cut gains as much with B = 2 *)
Definition claim_two_bins_lossless (x : list (list Q)) (y : list Q) : Q * Q :=
  (most (column (bins 2 (map (hd 0) x))) y, most x y).

(* trees.histogram_is_exact_split.variant-printed-criterion: a cut with the least MSE left + MSE right gains the most *)
Definition claim_printed_criterion (x : list (list Q)) (y : list Q) : Q * Q :=
  let mse rows := divQ (error y (ones y) rows) (of_natQ (length rows)) in
  let printed c := addQ (mse (low c)) (mse (high c)) in
  let all := cuts x y (ones y) 1 (all_rows y) in
  let smallest c := forallb (fun d => leQ (printed c) (printed d)) all in
  (most x y, largest (map gain (filter smallest all))).

Definition sse_after (x : list (list Q)) (y : list Q) (nu : Q) (n_leaves m : nat) : Q :=
  squared_error y (fst (boost x y nu n_leaves [] m)).

(* trees.ls_training_error.variant-above-2: nu = 9/4, J = 2: SSE_m <= SSE_{m-1} *)
Definition claim_above_2 (x : list (list Q)) (y : list Q) (nu : Q) (round : nat) : Q * Q :=
  (sse_after x y nu 2 round, sse_after x y nu 2 (round - 1)).

(* trees.ls_training_error.variant-small-steps: nu = 1 does not reach the least SSE, that within equal x, in one round *)
Definition claim_small_steps (x : list (list Q)) (y : list Q) : bool :=
  let alike i := filter (fun j => equal eqQ (nth i x []) (nth j x [])) (all_rows y) in
  let apart := map (fun i => subQ (nth i y 0) (mean y (ones y) (alike i))) (all_rows y) in
  let least := fold_right (fun a rest => addQ (mulQ a a) rest) 0 apart in
  leQ (sse_after x y 1 2 0) least || negb (eqQ (sse_after x y 1 2 1) least).

(* trees.ls_training_error.variant-falls: all x different, SSE > 0, nu = 1: the SSE falls *)
Definition claim_falls (x : list (list Q)) (y : list Q) : bool :=
  let different := forallb (fun i => Nat.eqb 1 (length (filter (fun p => equal eqQ (nth i x []) p) x))) (all_rows y) in
  negb (different && ltQ 0 (sse_after x y 1 2 0)) || ltQ (sse_after x y 1 2 1) (sse_after x y 1 2 0).

(* trees.monotone_transforms.variant-app-I: App. I with B = 2: x and T(x) give the same leaves *)
Definition claim_app_i (x t_x y : list Q) : bool :=
  same_parts (grown (column (bins 2 x)) y 2) (grown (column (bins 2 t_x)) y 2) (length y).

(* trees.monotone_transforms.variant-app-I-small-scale: App. I with B = 256: x and x/10^9 give the same leaves *)
Definition claim_small_scale (x : list (list Q)) (y : list Q) : bool :=
  let leaves_of scale := grown (column (bins 256 (map (fun p => mulQ scale (hd 0 p)) x))) y 2 in
  same_parts (leaves_of 1) (leaves_of (1 # 1000000000)) (length y).

(* trees.monotone_transforms.variant-decreasing: rank bins: x and -x give the same leaves, J = 2 *)
Definition claim_decreasing (x : list (list Q)) (y : list Q) : bool :=
  let leaves_of sign := grown (column (ranks (map (fun p => mulQ sign (hd 0 p)) x))) y 2 in
  same_parts (leaves_of 1) (leaves_of (-1)) (length y).

(* trees.monotone_transforms.variant-unseen: two rows: an unseen u keeps its side of the middle *)
Definition claim_unseen (x : list Q) (u : Q) (t_x : list Q) (t_u : Q) : bool :=
  Bool.eqb (ltQ (fold_right addQ 0 x) (mulQ 2 u)) (ltQ (fold_right addQ 0 t_x) (mulQ 2 t_u)).

Definition exchanged (x : list (list Q)) : list (list Q) := map (@rev Q) x.
Definition order_keeps (n_leaves : nat) (x : list (list Q)) (y : list Q) : bool :=
  same_parts (grown x y n_leaves) (grown (exchanged x) y n_leaves) (length y).

(* trees.permuted_features: features in a different order: the same leaves, J = 2 *)
Definition claim_permuted_features (x : list (list Q)) (y : list Q) : bool := order_keeps 2 x y.

(* trees.permuted_features.variant-refrank: the statement for refrank, which compares gains as fractions, as Growth.v does *)
Definition claim_permuted_features_refrank (x : list (list Q)) (y : list Q) : bool := order_keeps 2 x y.

(* whether all candidates of a node separate its rows in the same way: of each feature, the first cut that gains the most *)
Definition alike (x : list (list Q)) (y : list Q) (rows : list nat) : bool :=
  let all := cuts x y (ones y) 1 rows in
  let top := filter (fun c => ltQ 0 (gain c) && eqQ (gain c) (largest (map gain all))) all in
  let of_feature f := filter (fun c => Nat.eqb (feature c) f) top in
  let candidates := flat_map (fun f => firstn 1 (of_feature f)) (seq 0 (length (hd [] x))) in
  let side c := if existsb (Nat.eqb (hd 0%nat rows)) (low c) then low c else high c in
  forallb (fun c => equal Nat.eqb (side c) (side (hd c candidates))) candidates.

Fixpoint nodes (t : tree) : list (list nat) :=
  match t with
  | Leaf _ rows => [rows]
  | Node c l u => (low c ++ high c) :: nodes l ++ nodes u
  end.
Definition alike_everywhere (x : list (list Q)) (y : list Q) : bool := forallb (alike x y) (nodes (grown x y (length y))).

(* trees.permuted_features.variant-no-ties-converse: no limit J: the same leaves only if all candidates of all nodes do so *)
Definition claim_no_ties_converse (x : list (list Q)) (y : list Q) : bool :=
  negb (order_keeps (length y) x y) || alike_everywhere x y.

(* trees.permuted_features.variant-no-ties-J: all candidates of all nodes separate in the same way, J = 3: the same leaves *)
Definition claim_no_ties_j (x : list (list Q)) (y : list Q) : bool := negb (alike_everywhere x y) || order_keeps 3 x y.

(* a point in every cell that cuts between the values of two features or one can make *)
Fixpoint everywhere (features : nat) (x : list (list Q)) : list (list Q) :=
  match features with
  | 0%nat => [[]]
  | S before =>
      flat_map (fun p => map (fun v => p ++ [v]) (distinct (map (fun q => nth before q 0) x))) (everywhere before x)
  end.
(* the least label above the least prediction, or the largest prediction above the largest label *)
Definition range (y predicted : list Q) : Q * Q :=
  if ltQ (least predicted) (least y) then (least y, least predicted) else (largest predicted, largest y).
Definition boosted_range (training_rows : bool) (n_leaves m : nat) (nu : Q) (x : list (list Q)) (y : list Q) : Q * Q :=
  let (scores, elsewhere) := boost x y nu n_leaves (everywhere (length (hd [] x)) x) m in
  range y (if training_rows then scores else elsewhere).

(* trees.predictions_in_range.variant-boosting: LS-boost (nu = 1, J = 2) stays in range for every x *)
Definition claim_boosting (x : list (list Q)) (y : list Q) (round : nat) : Q * Q := boosted_range false 2 round 1 x y.

(* trees.predictions_in_range.variant-boosting-small-nu: LS-boost (nu = 1/2, J = 2) stays in range for every x *)
Definition claim_boosting_small_nu (x : list (list Q)) (y : list Q) (round : nat) : Q * Q := boosted_range false 2 round (1 # 2) x y.

(* trees.predictions_in_range.variant-boosting-training-rows: LS-boost (nu = 1, J = 2) stays in range at the training rows *)
Definition claim_training_rows (x : list (list Q)) (y : list Q) (round : nat) : Q * Q := boosted_range true 2 round 1 x y.

(* trees.predictions_in_range.variant-boosting-training-rows-small-nu: LS-boost (nu = 1/2, J = 3) stays in range at the rows *)
Definition claim_training_rows_small_nu (x : list (list Q)) (y : list Q) (round : nat) : Q * Q :=
  boosted_range true 3 round (1 # 2) x y.

(* trees.predictions_in_range.variant-floats-any-labels: float64, labels y/10: tree and forest of 3 stay in range *)
Definition claim_floats_any_labels (x : list (list Q)) (y : list Q) : Q * Q :=
  range (map round y) (float_tree 1 x y ++ float_tree 2 x y ++ forest 0 3 x y).

(* trees.duplicated_rows.variant-any-labels: all rows twice: the same bits of the first row's prediction, labels y/10 *)
Definition claim_any_labels (x : list (list Q)) (y : list Q) : Q * Q :=
  let two := map (fun _ => 2%nat) y in
  (hd 0 (float_tree 3 x y), hd 0 (float_tree 3 (copies x two) (copies y two))).

(* trees.permuted_rows.variant-forest: permuted rows, a forest of one tree with the same seed: the same prediction of row 0 *)
Definition claim_permuted_forest (x : list (list Q)) (y : list Q) (order : list nat) : Q * Q :=
  let moved := forest 0 1 (map (fun i => nth i x []) order) (map (fun i => nth i y 0) order) in
  (hd 0 (forest 0 1 x y), nth 0 (map snd (filter (fun d => Nat.eqb (fst d) 0) (combine order moved))) 0).
