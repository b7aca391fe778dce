(* COCR, Sec. 4.3: the optimistic ERR cost, where the products of both rankings agree; and what this takes: only the
   last document of both may be misrated. Documents are numbered in the order of pi; P_i(rho, y) is `look rho r i`. *)
From Refrank Require Import Rankings Bounds Norms Err McRank Grades.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* Two rankings, each by its own relevances, along which the user looks at each document with one probability. *)
Section Agreement.
Variables (R : realFieldType) (n : nat).
Implicit Types (g h : 'S_n) (r u : 'I_n -> R) (i j k : 'I_n).

Lemma look_gt0 g r i : (forall j, r j < 1) -> 0 < look g r i.
Proof. by move=> r1; apply: prodr_gt0 => j _; rewrite subr_gt0. Qed.

Lemma look_sorts g r : relevances r -> sorts g (look g r).
Proof.
move=> rr; apply: sorts_neighbours => i j next; rewrite (look_second next).
by rewrite ler_pimull ?look_ge0 // ler_subl_addr ler_addl; case/andP: (rr i).
Qed.

(* the documents at one place of g and of h have the same look *)
Lemma same_places g h (f : 'I_n -> R) (p : 'I_n) : sorts g f -> sorts h f -> f ((g^-1)%g p) = f ((h^-1)%g p).
Proof. by move=> sg sh; rewrite -!nth_in_order (in_order_unique sg sh). Qed.

Lemma factor_one (x l : R) : 0 < l -> l = (1 - x) * l -> x = 0.
Proof.
move=> l0 E; apply: (mulIf (lt0r_neq0 l0)).
have H : x * l = l - (1 - x) * l by ring.
by rewrite mul0r H -E subrr.
Qed.

(* a document that comes earlier in g than in h satisfies nobody *)
Lemma agreement_zero g h r u i : relevances r -> relevances u -> (forall j, r j < 1) -> sorts h u ->
  (forall j, look g r j = look h u j) -> (g i < h i)%N -> r i = 0 /\ u i = 0.
Proof.
move=> rr uu r1 hu agree lt; pose L := look g r; have L0 : 0 < L i := look_gt0 g i r1.
have sg : sorts g L := look_sorts rr.
have sh : sorts h L by move=> j k jk; rewrite /L !agree; exact: look_sorts.
have LE (p : 'I_n) : (g i <= p <= h i)%N -> L ((g^-1)%g p) = L i.
  case/andP=> ip pi; apply/le_anti; rewrite (sg i) ?permKV //= (same_places p sg sh).
  by rewrite (sh _ i) // permKV.
split.
  have pn : ((g i).+1 < n)%N by exact: leq_ltn_trans lt _.
  pose j := (g^-1)%g (Ordinal pn); have gj : g j = (g i).+1 :> nat by rewrite permKV.
  by apply: factor_one L0 _; rewrite -[RHS](look_second gj) -/(L j) LE //= leqnSn.
have qn : ((h i).-1 < n)%N by rewrite (leq_ltn_trans (leq_pred _)).
pose k := (h^-1)%g (Ordinal qn); have hk : h i = (h k).+1 :> nat by rewrite permKV /= (ltn_predK lt).
have Lk : L k = L i by rewrite /k -(same_places _ sg sh) LE //= leq_pred -ltnS (ltn_predK lt) lt.
have uk : u k = 0 by apply: factor_one L0 _; have := look_second hk u; rewrite -!agree -/(L i) -/(L k) Lk.
by apply/le_anti; have /andP[-> _] := uu i; rewrite andbT -uk hu // hk.
Qed.

Lemma agreement g h r u i : relevances r -> relevances u -> (forall j, r j < 1) -> (forall j, u j < 1) ->
  sorts g r -> sorts h u -> (forall j, look g r j = look h u j) -> r i <> u i -> g i = h i /\ (g i).+1 = n.
Proof.
move=> rr uu r1 u1 gr hu agree ne; have eq : g i = h i :> nat.
  case: (ltngtP (g i) (h i)) => // lt; case: ne.
    by have [-> ->] := agreement_zero rr uu r1 hu agree lt.
  by have [-> ->] := agreement_zero uu rr u1 gr (fun j => esym (agree j)) lt.
split; first exact: val_inj.
apply/eqP; rewrite eqn_leq ltn_ord /= leqNgt; apply/negP => lt; apply: ne.
pose L := look g r; have L0 : 0 < L i := look_gt0 g i r1.
have sg : sorts g L := look_sorts rr.
have sh : sorts h L by move=> j k jk; rewrite /L !agree; exact: look_sorts.
have := same_places (Ordinal lt) sg sh; set j := (g^-1)%g _; set k := (h^-1)%g _ => Ljk.
have gj : g j = (g i).+1 :> nat by rewrite permKV.
have hk : h k = (h i).+1 :> nat by rewrite permKV /= eq.
have := look_second gj r; rewrite -!/(L _) Ljk /L (agree k) (look_second hk) -(agree i) -/(L i).
by move/(mulIf (lt0r_neq0 L0))/addrI/oppr_inj.
Qed.
End Agreement.

Section Costs.
Variables (R : realFieldType) (n K : nat).
Implicit Types (rho : 'S_n) (y w : 'I_n -> nat) (i j : 'I_n).
Notation r y := (rels R K y).

(* optimism: all P_i(rho, y) are P_i(pi, yhat), for labels y and predicted grades w *)
Definition optimistic rho y w := forall i, look rho (r y) i = look 1 (r w) i.

(* cocr.oerr: line 2 of the derivation with the exponent k, for a document for which the products agree *)
Theorem stops_differ_by_cost rho y w i : look rho (r y) i = look 1 (r w) i ->
  (stop rho (r y) i - stop 1 (r w) i) ^+ 2 = (look 1 (r w) i / 2%:R ^+ K) ^+ 2 * oerr (y i) (w i).
Proof.
move=> same; rewrite /stop same oerrE !relsE; set P := look _ _ _; set a := 2%:R ^+ y i; set b := 2%:R ^+ w i.
by have n0 := lt0r_neq0 (power_gt0 R K); field.
Qed.

(* cocr.oerr.variant-optimism-last: only the last document of both orderings may be misrated *)
Theorem misrated_is_last rho y w i :
  grades K y -> grades K w -> sorts_grades rho y -> graded w -> optimistic rho y w ->
  y i <> w i -> (rho i).+1 = n /\ i.+1 = n.
Proof.
move=> yK wK ry rw opt ne.
have rr := rels_relevances R; have r1 := fun y (yK : grades K y) j => rels_lt1 R j yK.
have [same last] := agreement (rr _ _ _ yK) (rr _ _ _ wK) (r1 y yK) (r1 w wK) (rels_sorts R K ry)
  (noninc_sorts (rels_noninc R K rw)) opt (fun e => ne (rels_inj e)).
by split=> //; move: last; rewrite same perm1.
Qed.

(* cocr.oerr.variant-optimism: at most one document is misrated *)
Theorem at_most_one_misrated rho y w :
  grades K y -> grades K w -> sorts_grades rho y -> graded w -> optimistic rho y w ->
  (#|[pred i | y i != w i]| <= 1)%N.
Proof.
move=> yK wK ry rw opt; apply/card_le1P => i /eqP yi j; rewrite !inE.
have [_ li] := misrated_is_last yK wK ry rw opt yi.
apply/idP/idP => [/eqP yj|/eqP->]; last exact/eqP.
have [_ lj] := misrated_is_last yK wK ry rw opt yj.
by apply/eqP/val_inj/succn_inj; rewrite lj.
Qed.

(* cocr.oerr.variant-upper-bound: as P_i <= 1, the costs are an upper bound where the products agree *)
Theorem stops_below_costs rho y w : grades K w -> optimistic rho y w ->
  4%:R ^+ K * (\sum_i (stop rho (r y) i - stop 1 (r w) i) ^+ 2) <= \sum_i oerr (y i) (w i).
Proof.
move=> wK opt; rewrite mulr_sumr; apply: ler_sum => i _; rewrite stops_differ_by_cost // oerrE.
have -> : 4%:R ^+ K = (2%:R ^+ K) ^+ 2 :> R by rewrite -exprM mulnC exprM expr2 -natrM.
set P := look _ _ _; set d := (_ - _) ^+ 2; move: (2%:R ^+ K) (lt0r_neq0 (power_gt0 R K)) => A n0.
have -> : A ^+ 2 * ((P / A) ^+ 2 * d) = P ^+ 2 * d by field.
have rr := rels_relevances R wK; by rewrite ler_pimull ?sqr_ge0 // expr_le1 ?look_ge0 ?look_le1.
Qed.

(* cocr.oerr.variant-ties-kept: costs of 0 are stops without an error, where rho breaks ties as pi does *)
Theorem no_cost_no_error rho y w : sorts_grades rho y -> graded w ->
  (forall i j, y i = y j -> (rho i < rho j)%N = (i < j)%N) -> \sum_i oerr (y i) (w i) = 0 :> R ->
  \sum_i (stop rho (r y) i - stop 1 (r w) i) ^+ 2 = 0.
Proof.
move=> ry rw ties no_cost; have yw i : y i = w i.
  have c0 j : true -> 0 <= oerr (y j) (w j) :> R by rewrite oerrE sqr_ge0.
  have /eqP := psumr_eq0P c0 no_cost (i := i) isT.
  rewrite oerrE sqrf_eq0 subr_eq0 => /eqP; apply: ieexprIn; rewrite ?ltr0n //; by rewrite pnatr_eq1.
have before i j : (rho i < rho j)%N = (i < j)%N.
  case: (ltngtP (y i) (y j)) => [lt|lt|]; last exact: ties.
    by apply/idP/idP => /ltnW; [move/ry | move/rw; rewrite -!yw]; rewrite leqNgt lt.
  rewrite !ltnNge; congr (~~ _).
  by apply/idP/idP; [move/ry | move/rw; rewrite -!yw]; rewrite leqNgt lt.
rewrite big1 // => i _; apply/eqP; rewrite sqrf_eq0 subr_eq0 /stop /look /rels yw; apply/eqP; congr (_ * _).
by apply: eq_big => j; rewrite ?before ?perm1 // => _; rewrite yw.
Qed.

(* cocr.oerr.variant-ndcg: the sum of the costs is the second factor of McRank, Lemma 1, line 5, squared *)
Theorem costs_of_gains y w : \sum_i oerr (y i) (w i) = \sum_i (2%:R ^+ y i - 2%:R ^+ w i) ^+ 2 :> R.
Proof. by apply: eq_bigr => i _; rewrite oerrE. Qed.
End Costs.

(* cocr.oerr.variant-dcg-bound: the sum of the costs bounds the DCG error of pi, too *)
Theorem dcg_error_below_costs (R : rcfType) n (c : nat -> R) (g : 'S_n) (y w : 'I_n -> nat) :
  falling c -> graded w -> DCG c g (gains y) - DCG c 1 (gains y) <=
  Num.sqrt (\sum_(i < n) (c (g i) - c i) ^+ 2) * Num.sqrt (\sum_i oerr (y i) (w i)).
Proof.
move=> fc gw; apply: le_trans (dcg_error_below_misses g (gains y) fc (graded_noninc R gw)) _.
apply: le_trans (hoelder Two _ _) _; rewrite /= costs_of_gains.
by rewrite (eq_bigr _ (fun i _ => congr1 (fun x : R => x ^+ 2) (gain_apart_powers R (y i) (w i)))).
Qed.
