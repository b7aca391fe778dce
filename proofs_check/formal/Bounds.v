(* The best rankings, and the ERR error below the error of a DCG: bubble sort, exchange by exchange. *)
From Refrank Require Import Rankings.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Exchanges.
Variable R : realFieldType.
Implicit Types (c : nat -> R) (l : seq R) (x y : R).

(* l becomes l' by exchanges of neighbours of which the second is the larger *)
Inductive bubbles : seq R -> seq R -> Prop :=
| bubbles_none l : bubbles l l
| bubbles_behind x l l' : bubbles l l' -> bubbles (x :: l) (x :: l')
| bubbles_exchange x y l : x <= y -> bubbles (x :: y :: l) (y :: x :: l)
| bubbles_then l1 l2 l3 : bubbles l1 l2 -> bubbles l2 l3 -> bubbles l1 l3.

Lemma bubbles_perm l l' : bubbles l l' -> perm_eq l l'.
Proof.
elim=> {l l'} [l|x l l' _ IH|x y l _|l1 l2 l3 _ IH1 _ IH2] //.
- by rewrite perm_cons.
- by rewrite -[x :: y :: l]/([:: x] ++ [:: y] ++ l) perm_catCA.
- exact: perm_trans IH1 IH2.
Qed.

Lemma bubbles_front x l1 l2 : all (>=%O x) l1 -> bubbles (l1 ++ x :: l2) (x :: l1 ++ l2).
Proof.
elim: l1 => [|y l1 IH] /=; first by move=> _; exact: bubbles_none.
by case/andP=> le_yx /IH H; apply: bubbles_then (bubbles_behind y H) _; exact: bubbles_exchange.
Qed.

(* bubble sort: any order becomes the perfect one by such exchanges *)
Lemma bubbles_sort l g : perm_eq l g -> sorted >=%O g -> bubbles l g.
Proof.
elim: g l => [|x g IH] l; first by move/perm_nilP=> -> _; exact: bubbles_none.
move=> pl srt.
have xl : x \in l by rewrite (perm_mem pl) inE eqxx.
case/splitPr: xl pl => l1 l2 pl.
have pl' : perm_eq (l1 ++ l2) g by move: pl; rewrite -[x :: l2]cat1s perm_catCA /= perm_cons.
apply: bubbles_then (bubbles_front l2 _) (bubbles_behind x (IH _ pl' (path_sorted srt))).
have /allP min_x : all (>=%O x) g by exact: order_path_min (@ge_trans _ _) srt.
by apply/allP=> y y_l1; apply: min_x; rewrite -(perm_mem pl') mem_cat y_l1.
Qed.

Lemma bubbles_dcg c l l' : falling c -> bubbles l l' -> forall p, dcg c p l <= dcg c p l'.
Proof.
move=> fc; elim=> {l l'} [//|x l l' _ IH p|x y l le_xy p|l1 l2 l3 _ IH1 _ IH2 p].
- by rewrite /= ler_add2l.
- rewrite -subr_ge0 /=.
  have -> : c p * y + (c p.+1 * x + dcg c p.+2 l) - (c p * x + (c p.+1 * y + dcg c p.+2 l))
          = (c p - c p.+1) * (y - x) by ring.
  by rewrite mulr_ge0 ?subr_ge0.
- exact: le_trans (IH1 p) (IH2 p).
Qed.

(* an exchange raises ERR, and DCG at least as much *)
Lemma bubbles_err c l l' : falling c -> bubbles l l' -> all (fun x => 0 <= x <= 1) l -> forall p,
  0 <= err c p l' - err c p l <= dcg c p l' - dcg c p l.
Proof.
move=> fc; elim=> {l l'} [l|x l l' _ IH|x y l le_xy|l1 l2 l3 u12 IH1 _ IH2].
- by move=> _ p; rewrite !subrr lexx.
- case/andP=> /andP[x0 x1] rl p; have /andP[ge0 le_dcg] := IH rl p.+1; rewrite /=.
  set e := err c p.+1 l in ge0 le_dcg *; set e' := err c p.+1 l' in ge0 le_dcg *.
  set d := dcg c p.+1 l in le_dcg *; set d' := dcg c p.+1 l' in le_dcg *.
  have -> : c p * x + (1 - x) * e' - (c p * x + (1 - x) * e) = (1 - x) * (e' - e) by ring.
  have -> : c p * x + d' - (c p * x + d) = d' - d by ring.
  rewrite mulr_ge0 // ?subr_ge0 //=; apply: le_trans le_dcg.
  by rewrite ler_pimull // ler_subl_addr ler_addl.
- move=> _ p; rewrite /=.
  have -> : c p * y + (1 - y) * (c p.+1 * x + (1 - x) * err c p.+2 l)
            - (c p * x + (1 - x) * (c p.+1 * y + (1 - y) * err c p.+2 l))
          = (c p - c p.+1) * (y - x) by ring.
  have -> : c p * y + (c p.+1 * x + dcg c p.+2 l) - (c p * x + (c p.+1 * y + dcg c p.+2 l))
          = (c p - c p.+1) * (y - x) by ring.
  by rewrite lexx mulr_ge0 ?subr_ge0.
- move=> r1 p; have r2 : all (fun x => 0 <= x <= 1) l2 by rewrite -(perm_all _ (bubbles_perm u12)).
  have /andP[a1 b1] := IH1 r1 p; have /andP[a2 b2] := IH2 r2 p.
  have E : err c p l3 - err c p l1 = (err c p l3 - err c p l2) + (err c p l2 - err c p l1) by ring.
  have D : dcg c p l3 - dcg c p l1 = (dcg c p l3 - dcg c p l2) + (dcg c p l2 - dcg c p l1) by ring.
  by rewrite E D addr_ge0 //= ler_add.
Qed.
End Exchanges.

Section Theorems.
Variables (R : realFieldType) (n : nat).
Implicit Types (c : nat -> R) (g h : 'S_n) (z r : 'I_n -> R).

(* mcrank.lemma1.step2, cossock_zhang.thm2.step1, new.err_oerr.step2: DCG is largest when documents are ranked by
   what it adds up *)
Theorem dcg_perfect c g h z : falling c -> sorts g z -> DCG c h z <= DCG c g z.
Proof. by move=> fc sg; apply: bubbles_dcg fc (bubbles_sort (perm_in_order g h z) (in_order_sorted sg)) 0%N. Qed.

Lemma err_error c g h r : falling c -> sorts g r -> relevances r ->
  0 <= ERR c g r - ERR c h r <= DCG c g r - DCG c h r.
Proof.
move=> fc sg rr; apply: bubbles_err fc (bubbles_sort (perm_in_order g h r) (in_order_sorted sg)) _ 0%N.
by apply/allP=> x /mapP[i _ ->]; exact: rr.
Qed.

(* igbrt.perfect_ranker, igbrt.perfect_ranker.variant-any-R, igbrt.perfect_ranker.variant-cut-off,
   new.err_below_rr_dcg.variant-not-negative: ERR is largest when documents are ranked by relevance *)
Theorem err_perfect c g h r : falling c -> sorts g r -> relevances r -> ERR c h r <= ERR c g r.
Proof. by move=> fc sg rr; have /andP[] := err_error h fc sg rr; rewrite subr_ge0. Qed.

(* new.err_below_rr_dcg, new.err_below_rr_dcg.variant-any-relevance, new.err_below_rr_dcg.variant-any-discount,
   new.err_oerr.step1: the ERR error is at most the error of the DCG with gains R *)
Theorem err_below_rr_dcg c g h r : falling c -> sorts g r -> relevances r ->
  ERR c g r - ERR c h r <= DCG c g r - DCG c h r.
Proof. by move=> fc sg rr; have /andP[] := err_error h fc sg rr. Qed.

(* mcrank.lemma1.step4, cossock_zhang.thm2.step2: from the rearrangement to the gains that f misses *)
Theorem dcg_error_below_misses c g z f : falling c -> noninc f ->
  DCG c g z - DCG c 1 z <= \sum_i (c (g i) - c i) * (z i - f i).
Proof.
move=> fc nf; have := dcg_perfect g fc (noninc_sorts nf); rewrite !DCGE -!(subr_ge0 (\sum_i c (g i) * f i)) => H.
rewrite -subr_ge0; apply: le_trans H _; rewrite le_eqVlt; apply/orP; left; apply/eqP.
rewrite -!sumrB; apply: eq_bigr => i _; rewrite perm1; ring.
Qed.
End Theorems.
