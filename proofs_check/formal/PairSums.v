(* What the exchanges of all wrongly ordered pairs of a sequence would add to its DCG or ERR, one by one, and how bubble sort
   changes this sum: each exchange of neighbours takes off at least what it adds to DCG or ERR. *)
From Refrank Require Import Rankings Bounds.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* DCG is the case t = 0 of the sums c_0 x + (1 - t x) (c_1 y + (1 - t y) (...)), and ERR is the case t = 1 *)
Section Sequences.
Variables (R : realFieldType) (c : nat -> R) (t : R).
Implicit Types (l : seq R) (x y u : R) (p i j : nat).

Fixpoint value p l : R := if l is x :: rest then c p * x + (1 - t * x) * value p.+1 rest else 0.

Definition excess x y : R := if x < y then y - x else 0.
Definition total_excess x l := \sum_(y <- l) excess x y.

(* what the exchanges of x, at place p, with each larger number of l behind it add up to, if the user looks at x *)
Fixpoint head p x l : R :=
  if l is y :: rest then (c p - c p.+1) * total_excess x l + (1 - t * y) * head p.+1 x rest else 0.
Fixpoint pairs p l : R := if l is x :: rest then head p x rest + (1 - t * x) * pairs p.+1 rest else 0.

(* the difference between the discount of place p and that of the place at which the user stops, at the latest that of l_j,
   for a user who goes on from place p to the documents l *)
Fixpoint gap p l j : R :=
  c p - c p.+1 + (if j is k.+1 then if l is u :: rest then (1 - t * u) * gap p.+1 rest k else 0 else 0).

Definition swap l i j := set_nth 0 (set_nth 0 l i l`_j) j l`_i.

Lemma value_swap0 p x l j : (j < size l)%N ->
  value p (l`_j :: set_nth 0 l j x) - value p (x :: l) = (l`_j - x) * gap p l j.
Proof.
elim: l p j => [|u l IH] p [|j] //= lt; first by rewrite addr0; ring.
have := IH p.+1 j lt; rewrite /=; move: (l`_j) (value _ _) (value _ _) (gap _ _ _) => y a b G E.
have -> : (y - x) * (c p - c p.+1 + (1 - t * u) * G) = (y - x) * (c p - c p.+1) + (1 - t * u) * ((y - x) * G) by ring.
by rewrite -E; ring.
Qed.

Lemma head_sum p x l : head p x l = \sum_(j < size l) if x < l`_j then (l`_j - x) * gap p l j else 0.
Proof.
elim: l p => [|y l IH] p; first by rewrite big_ord0.
rewrite big_ord_recl /= IH addr0 /total_excess big_cons mulrDr -addrA; congr (_ + _).
  by rewrite /excess; case: ifP => _; rewrite ?mulr0 // mulrC.
rewrite (big_nth 0) big_mkord !mulr_sumr -big_split /=; apply: eq_bigr => j _.
by rewrite /excess; case: (x < _); rewrite ?mulr0 ?addr0 //; move: (gap _ _ _) (nth _ _ _) => G v; ring.
Qed.

(* the sum over the wrongly ordered pairs of what their exchange adds *)
Lemma pairs_sum p l : pairs p l =
  \sum_(i < size l) \sum_(j < size l | (i < j)%N && (l`_i < l`_j)) (value p (swap l i j) - value p l).
Proof.
elim: l p => [|x l IH] p; first by rewrite big_ord0.
rewrite big_ord_recl /= big_mkcond big_ord_recl /= add0r IH head_sum mulr_sumr; congr (_ + _).
  by apply: eq_bigr => j _; rewrite -(value_swap0 p x (ltn_ord j)).
apply: eq_bigr => i _; rewrite [RHS]big_mkcond big_ord_recl /= add0r -big_mkcond mulr_sumr /=.
by apply: eq_big => j //= _; rewrite /bump /= /swap /= opprD addrACA subrr add0r -mulrBr.
Qed.
End Sequences.

Section Bubbles.
Variables (R : realFieldType) (c : nat -> R) (t : R).
Hypotheses (fc : falling c) (t0 : 0 <= t).
Implicit Types (l : seq R) (x y u : R) (p : nat).

Notation value := (value c t).
Notation head := (head c t).
Notation pairs := (pairs c t).
Notation stays := (fun x : R => 0 <= 1 - t * x).

Lemma excess_ge0 x y : 0 <= excess x y.
Proof. by rewrite /excess; case: ifP => // /ltW; rewrite subr_ge0. Qed.

Lemma excess_le u x y : x <= y -> 0 <= excess u y - excess u x <= y - x.
Proof.
rewrite /excess => xy; case: (ltP u x) => [ux|xu]; last first.
  by rewrite subr0; case: ltP => [uy|_]; rewrite ?subr_ge0 ?(ltW uy) ?lexx ?xy //= ler_sub.
by rewrite (lt_le_trans ux xy) (_ : y - u - (x - u) = y - x) ?subr_ge0 ?xy ?lexx //; ring.
Qed.

Lemma excess_less x y u : x <= y -> 0 <= excess x u - excess y u <= y - x.
Proof.
rewrite /excess => xy; case: (ltP y u) => [yu|uy].
  by rewrite (le_lt_trans xy yu) (_ : u - x - (u - y) = y - x) ?subr_ge0 ?xy ?lexx //; ring.
by rewrite subr0; case: ltP => [xu|_]; rewrite ?subr_ge0 ?(ltW xu) ?lexx ?xy //= ler_sub.
Qed.

Lemma total_less x y l : x <= y ->
  0 <= total_excess x l - total_excess y l <= (size l)%:R * (y - x).
Proof.
move=> xy; elim: l => [|u l /andP[IH0 IH1]]; first by rewrite /total_excess !big_nil subrr mul0r lexx.
have /andP[e0 e1] := excess_less u xy.
rewrite /total_excess !big_cons opprD addrACA addr_ge0 //= [(size l).+1%:R]mulrS mulrDl mul1r.
exact: ler_add.
Qed.

Lemma total_perm x l l' : perm_eq l l' -> total_excess x l = total_excess x l'.
Proof. exact: perm_big. Qed.

Lemma total_ge0 x l : 0 <= total_excess x l.
Proof. by rewrite /total_excess sumr_ge0 // => y _; exact: excess_ge0. Qed.

Lemma head_ge0 p x l : all stays l -> 0 <= head p x l.
Proof.
elim: l p => //= y l IH p /andP[sy sl].
by rewrite addr_ge0 ?mulr_ge0 ?IH ?total_ge0 // subr_ge0.
Qed.

Lemma pairs_ge0 p l : all stays l -> 0 <= pairs p l.
Proof. by elim: l p => //= x l IH p /andP[sx sl]; rewrite addr_ge0 ?head_ge0 ?mulr_ge0 ?IH. Qed.

Lemma swap_head p x y l : x <= y -> let s := total_excess x l in let s' := total_excess y l in
  pairs p (x :: y :: l) - pairs p (y :: x :: l) = (c p - c p.+1) * (y - x) + (c p - c p.+1) * (s - s').
Proof.
move=> xy; rewrite /= /total_excess !big_cons /excess.
have -> : (y < x) = false by rewrite ltNge xy.
have -> : (if x < y then y - x else 0) = y - x.
  by case: ltP => // yx; rewrite (le_anti (introT andP (conj xy yx))) subrr.
by move: (head _ x l) (head _ y l) (pairs _ l) (\sum_(_ <- _) _) (\sum_(_ <- _) _) => a b e s s'; ring.
Qed.

Lemma bubbles_head l l' : bubbles l l' -> all stays l -> forall p x, head p x l' <= head p x l.
Proof.
elim=> {l l'} [//|u l l' b IH|u v l uv|l1 l2 l3 b12 IH1 _ IH2].
- move=> /= /andP[su sl] p x; rewrite (total_perm x (bubbles_perm (bubbles_behind u b))) ler_add2l.
  by rewrite ler_wpmul2l ?IH.
- move=> /= /and3P[su sv sl] p x.
  have pe : perm_eq (v :: u :: l) (u :: v :: l) by rewrite -[v :: u :: l]/([:: v] ++ [:: u] ++ l) perm_catCA.
  rewrite (total_perm x pe) ler_add2l -subr_ge0 /total_excess !big_cons.
  have /andP[e0 _] := excess_le x uv; have s0 := total_ge0 x l; have d0 : 0 <= c p.+1 - c p.+2 by rewrite subr_ge0.
  rewrite /total_excess in s0; move: (\sum_(_ <- _) _) (head _ x l) s0 => s h s0.
  set d := c p.+1 - c p.+2 in d0 *; set e := excess x v in e0 *; set e' := excess x u in e0 *.
  have -> : (1 - t * u) * (d * (e + s) + (1 - t * v) * h) - (1 - t * v) * (d * (e' + s) + (1 - t * u) * h)
     = d * ((1 - t * u) * (e - e') + t * (v - u) * (e' + s)) by ring.
  apply: mulr_ge0 d0 _; apply: addr_ge0; apply: mulr_ge0 => //; first by rewrite mulr_ge0 ?subr_ge0.
  by rewrite addr_ge0 ?excess_ge0.
move=> s1 p x; apply: le_trans (IH1 s1 p x); apply: IH2; by rewrite -(perm_all _ (bubbles_perm b12)).
Qed.

Lemma value_exchange p x y l : value p (y :: x :: l) - value p (x :: y :: l) = (c p - c p.+1) * (y - x).
Proof. by rewrite /=; ring. Qed.

(* bubble sort: each exchange of neighbours takes off the sum over the pairs at least what it adds *)
Lemma bubbles_pairs l l' : bubbles l l' -> all stays l -> forall p,
  value p l' - value p l <= pairs p l - pairs p l'.
Proof.
elim=> {l l'} [l|x l l' b IH|x y l xy|l1 l2 l3 b12 IH1 _ IH2].
- by move=> _ p; rewrite !subrr.
- move=> /andP[sx sl] p /=; have h0 : 0 <= head p x l - head p x l' by rewrite subr_ge0 bubbles_head.
  have d0 : 0 <= pairs p.+1 l - pairs p.+1 l' - (value p.+1 l' - value p.+1 l) by rewrite subr_ge0 IH.
  have w0 := addr_ge0 h0 (mulr_ge0 sx d0); rewrite -subr_ge0; apply: le_trans w0 _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
- move=> _ p; rewrite value_exchange swap_head // ler_addl mulr_ge0 ?subr_ge0 //.
  by have /andP[] := total_less l xy; rewrite subr_ge0.
move=> s1 p; have s2 : all stays l2 by rewrite -(perm_all _ (bubbles_perm b12)).
have := ler_add (IH2 s2 p) (IH1 s1 p); rewrite [X in X <= _]addrA subrK => H; apply: le_trans H _.
by rewrite addrC addrA subrK.
Qed.
End Bubbles.

(* DCG: each exchange of neighbours takes off at most size - 1 times what it adds *)
Section Reverse.
Variables (R : realFieldType) (c : nat -> R).
Hypothesis fc : falling c.
Implicit Types (l : seq R) (x y u : R) (p : nat).

Lemma sub_common (a b d : R) : a + b - (a + d) = b - d. Proof. by rewrite opprD addrACA subrr add0r. Qed.

Lemma value_dcg p l : value c 0 p l = dcg c p l.
Proof. by elim: l p => //= x l IH p; rewrite IH mul0r subr0 mul1r. Qed.

Lemma value_err p l : value c 1 p l = err c p l.
Proof. by elim: l p => //= x l IH p; rewrite IH mul1r. Qed.

Lemma bubbles_head_most l l' : bubbles l l' -> forall p x,
  head c 0 p x l - head c 0 p x l' <= dcg c p.+1 l' - dcg c p.+1 l.
Proof.
elim=> {l l'} [l p x|u l l' b IH p x|u v l uv p x|l1 l2 l3 _ IH1 _ IH2 p x]; first by rewrite !subrr.
- rewrite /= (total_perm x (bubbles_perm (bubbles_behind u b))) mul0r subr0 !mul1r.
  by rewrite !sub_common.
- have pe : perm_eq (v :: u :: l) (u :: v :: l) by rewrite -[v :: u :: l]/([:: v] ++ [:: u] ++ l) perm_catCA.
  rewrite -!value_dcg value_exchange /= (total_perm x pe) /total_excess !big_cons !mul0r !subr0 !mul1r.
  rewrite (_ : _ - _ = (c p.+1 - c p.+2) * (excess x v - excess x u)); last by ring.
  by have /andP[_ le_d] := excess_le x uv; rewrite ler_wpmul2l ?subr_ge0.
by have := ler_add (IH2 p x) (IH1 p x); rewrite addrC addrA subrK [X in _ <= X]addrA subrK.
Qed.

Lemma bubbles_pairs_most l l' : bubbles l l' -> forall p,
  pairs c 0 p l - pairs c 0 p l' <= ((size l)%:R - 1) * (dcg c p l' - dcg c p l).
Proof.
elim=> {l l'} [l p|x l l' b IH p|x y l xy p|l1 l2 l3 b12 IH1 _ IH2 p]; first by rewrite !subrr mulr0.
- rewrite /= mul0r subr0 !mul1r; have := ler_add (bubbles_head_most b p x) (IH p.+1).
  rewrite (_ : _ + _ * _ = ((size l).+1%:R - 1) * (dcg c p.+1 l' - dcg c p.+1 l)); last by rewrite mulrS; ring.
  by rewrite sub_common addrACA -opprD.
- rewrite swap_head // -!value_dcg value_exchange -mulrDr mulrCA ler_wpmul2l ?subr_ge0 //.
  rewrite (_ : _ * (y - x) = y - x + (size l)%:R * (y - x)); last by rewrite /= !mulrS; ring.
  by rewrite ler_add2l; have /andP[] := total_less l xy.
have := ler_add (IH2 p) (IH1 p); rewrite (perm_size (bubbles_perm b12)) -mulrDr.
by rewrite addrC addrA subrK [X in _ <= _ * X -> _]addrA subrK.
Qed.
End Reverse.

Lemma pairs_sorted (R : realFieldType) (c : nat -> R) t p l : sorted >=%O l -> pairs c t p l = 0.
Proof.
elim: l p => //= x l IH p srt; have /allP x_max := order_path_min (@ge_trans _ _) srt.
rewrite IH ?(path_sorted srt) // mulr0 addr0; elim: l p x_max {IH srt} => //= y l IH p x_max.
rewrite IH => [|u ul]; last by rewrite x_max // inE ul orbT.
rewrite mulr0 addr0 /total_excess big_seq big1 ?mulr0 // => u /x_max ux.
by rewrite /excess ltNge ux.
Qed.
