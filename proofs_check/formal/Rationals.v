(* The functions of Metrics.v over the rational numbers: what is computed, by Eval or vm_compute.
   A rational number is reduced after each operation, so that numbers stay short. Bridge.v shows that these are the
   numbers that the theorems speak of. No library beside Coq's own is read: a file that only computes loads fast. *)
From Coq Require Export QArith.
From Refrank Require Metrics.

Definition addQ (a b : Q) : Q := Qred (a + b).
Definition subQ (a b : Q) : Q := Qred (a - b).
Definition mulQ (a b : Q) : Q := Qred (a * b).
Definition divQ (a b : Q) : Q := Qred (a / b).

Notation powerQ := (Metrics.power Q 1%Q mulQ).
Notation of_natQ := (Metrics.of_nat Q 0%Q 1%Q addQ).
Notation gainQ := (Metrics.gain Q 1%Q addQ subQ mulQ).
Notation relevanceQ := (Metrics.relevance Q 1%Q addQ subQ mulQ divQ).
Notation dcgQ := (Metrics.dcg Q 0%Q addQ mulQ).
Notation errQ := (Metrics.err Q 0%Q 1%Q addQ subQ mulQ).
Notation reciprocalQ := (Metrics.reciprocal Q 0%Q 1%Q addQ divQ).
Notation absoluteQ := (Metrics.absolute Q 0%Q 1%Q addQ).
Notation squaredQ := (Metrics.squared Q 0%Q 1%Q addQ mulQ).
Notation oerrQ := (Metrics.oerr Q 1%Q addQ subQ mulQ).
Notation expectedQ := (Metrics.expected Q 0%Q addQ mulQ).
Notation leafQ := (Metrics.newton_leaf Q 0%Q 1%Q addQ subQ mulQ divQ).

(* what Examples compare: at most, equal, and equal but for a distance *)
Definition leQ (a b : Q) : bool := Qle_bool a b.
Definition ltQ (a b : Q) : bool := negb (Qle_bool b a).
Definition eqQ (a b : Q) : bool := Qeq_bool a b.
Definition close (distance a b : Q) : bool := leQ (subQ a b) distance && leQ (subQ b a) distance.
