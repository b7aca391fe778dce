(* How a tree is grown over any ordered field: the best cut of a node, the first of equals by feature and bin; best first, up to
   a number of leaves, or depth first, up to a depth. A point is the list of its bins. Growth.v takes the same steps in numbers. *)
From Refrank Require Import Fields Leaves Trees.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Best.
Variables (R : realFieldType) (C : Type).
Implicit Types (g : C -> R) (c : C) (l : seq C) (o : option C).

(* the first of those that gain most; none if nothing gains *)
Definition better g o c := if (if o is Some a then g a else 0) < g c then Some c else o.
Definition best g l := foldl (better g) None l.

Lemma best_ext g g' l : g =1 g' -> best g l = best g' l.
Proof. by move=> E; rewrite /best; elim: l None => //= c l IH o; rewrite IH /better E; case: o => [a|] //; rewrite E. Qed.

Lemma best_scale g k l : 0 < k -> best (fun c => k * g c) l = best g l.
Proof.
move=> k0; rewrite /best; elim: l None => //= c l IH o; rewrite IH /better.
by case: o => [a|]; rewrite ?ltr_pmul2l // pmulr_rgt0.
Qed.

Lemma best_gains g l c : best g l = Some c -> 0 < g c.
Proof.
rewrite /best; have : forall a, None = Some a -> 0 < g a by [].
elim: l None => [|b l IH] o /= ok; first exact: ok.
apply: IH => a; rewrite /better; case: ifP => [gb [<-]|_]; last exact: ok.
by case: o ok gb => [u|] // ok; apply: lt_trans; exact: ok.
Qed.
End Best.

(* a tree whose leaves have the numbers in which they were made, the root 0 *)
Inductive numbered (C : Type) := Leaf of nat | Node of C & numbered C & numbered C.
Arguments Leaf {C}.

Section Grown.
Variables (R : realFieldType) (d B : nat).
Notation point := ('I_d -> nat).
Notation cut := ('I_d * nat)%type.

(* the cuts: feature f at most bin b, by feature, then by bin *)
Definition places : seq cut := [seq (f, b) | f <- enum 'I_d, b <- iota 0 B].
Definition asks (c : cut) : pred point := fun p => (p c.1 <= c.2)%N.

Section Data.
Variables (I : finType) (x : I -> point) (w r : I -> R) (enough : pred {set I}).  (* enough: whether a side may be a leaf *)
Implicit Types (A : {set I}) (c : cut) (t : numbered cut).

Definition low c A := left x (asks c) A.
Definition high c A := right x (asks c) A.
Definition gain_of A c := if enough (low c A) && enough (high c A) then split_gain w r (low c A) (high c A) else 0.
Definition best_cut A := best (gain_of A) places.

(* depth first *)
Fixpoint deep depth A : tree point :=
  if depth is less.+1 then
    if best_cut A is Some c then Cut (asks c) (deep less (low c A)) (deep less (high c A)) else Stop
  else Stop.

(* the leaves that a cut improves: their numbers, best cuts and gains *)
Fixpoint waiting t A : seq (nat * cut * R) :=
  match t with
  | Leaf k => if best_cut A is Some c then [:: (k, c, gain_of A c)] else [::]
  | Node c t1 t2 => waiting t1 (low c A) ++ waiting t2 (high c A)
  end.
End Data.

(* the one that gains most, and of equals the one that was made first *)
Definition sooner (a b : nat * cut * R) := (b.2 < a.2) || (a.2 == b.2) && (a.1.1 < b.1.1)%N.
Fixpoint soonest (l : seq (nat * cut * R)) : option (nat * cut) :=
  if l is a :: rest then
    if has (fun b => sooner b a) rest then soonest rest else Some a.1
  else None.

Fixpoint replace k next c (t : numbered cut) : numbered cut :=
  match t with
  | Leaf j => if j == k then Node c (Leaf next) (Leaf next.+1) else t
  | Node a t1 t2 => Node a (replace k next c t1) (replace k next c t2)
  end.
Fixpoint n_leaves (t : numbered cut) : nat := if t is Node _ t1 t2 then (n_leaves t1 + n_leaves t2)%N else 1%N.

(* up to so many cuts more, best first *)
Fixpoint grow (I : finType) x w r enough cuts t (A : {set I}) : numbered cut :=
  if cuts is more.+1 then
    if soonest (waiting x w r enough t A) is Some (k, c) then
      grow x w r enough more (replace k (2 * n_leaves t).-1 c t) A
    else t
  else t.

(* the tree without the numbers, to be read *)
Fixpoint shape (t : numbered cut) : tree point := if t is Node c t1 t2 then Cut (asks c) (shape t1) (shape t2) else Stop.

Definition best_first (I : finType) (x : I -> point) w r enough J := grow x w r enough J.-1 (Leaf 0) [set: I].

(* a side may be a leaf if it has rows *)
Definition rows (I : finType) : pred {set I} := fun A => A != set0.
End Grown.
