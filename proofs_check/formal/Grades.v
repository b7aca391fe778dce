(* The relevances (2^y - 1) / 2^K of documents with grades y of at most K. *)
From Refrank Require Import Rankings Probabilities McRank.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Grades.
Variables (R : realFieldType) (n K : nat).
Implicit Types (g : 'S_n) (y : 'I_n -> nat) (i j : 'I_n) (k : nat).

Definition rels y i : R := relevance K (y i).

Lemma relsE y i : rels y i = (2%:R ^+ y i - 1) / 2%:R ^+ K.
Proof. exact: relevanceE. Qed.

Lemma power_gt0 k : 0 < 2%:R ^+ k :> R. Proof. by rewrite exprn_gt0 ?ltr0n. Qed.

Lemma rels_le y i j : (y j <= y i)%N -> rels y j <= rels y i.
Proof. exact: relevance_le. Qed.

Lemma rels_sorts g y : sorts_grades g y -> sorts g (rels y).
Proof. by move=> gy i j /gy; exact: rels_le. Qed.

Lemma rels_noninc y : graded y -> noninc (rels y).
Proof. by move=> gy i j ij; exact/rels_le/gy. Qed.

Lemma rels_ge0 y i : 0 <= rels y i.
Proof. by rewrite relsE divr_ge0 ?(ltW (power_gt0 _)) // subr_ge0 exprn_ege1 ?ler1n. Qed.

Lemma rels_lt1 y i : grades K y -> rels y i < 1.
Proof.
move=> yK; rewrite relsE ltr_pdivr_mulr ?power_gt0 // mul1r ltr_subl_addr.
by apply: (le_lt_trans (ler_weexpn2l (ler1n _ 2) (yK i))); rewrite ltr_addl ltr01.
Qed.

Lemma rels_relevances y : grades K y -> relevances (rels y).
Proof. by move=> yK i; rewrite rels_ge0 ltW ?rels_lt1. Qed.

Lemma rels_inj y w i : rels y i = rels w i -> y i = w i.
Proof.
rewrite !relsE => /(divIf (lt0r_neq0 (power_gt0 K)))/addIr; apply: ieexprIn; first by rewrite ltr0n.
by rewrite pnatr_eq1.
Qed.
End Grades.
