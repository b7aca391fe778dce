/* The splitter's functions as a C library offers them: what a port of refrank's kernel implements.
 *
 * refrank/trees/splitting.py specifies each function, in NumPy, under its name without the prefix; rules 1 to 6 of
 * docs/reference/numerics.md say how it rounds. A port agrees with the specification in every bit. `refrank conform kernel LIB`
 * compares the two, function by function, and with REFRANK_SPLITTER=LIB all of refrank runs on the library.
 *
 * A library exports refrank_splitter_version and any of the other functions. refrank answers those that it lacks from
 * the specification.
 *
 *     what           in every function
 *     arrays         contiguous, in C order (the last index moves fastest) unless stated, and aligned to their items;
 *                    the comment of each gives its shape. Those without `const` are written to
 *     ownership      the caller allocates every array. A function may allocate memory of its own, frees it before it
 *                    returns, and keeps no pointer
 *     NULL           only where a comment allows it
 *     results        hold arbitrary values before the call; the function writes every entry. Arrays "in place" hold
 *                    their values
 *     sizes          at least 1, except n_rows, n_trees and the n of exp, which may be 0
 *     n_threads      how many threads the function may use, at least 1; no bit of a result depends on it
 *     thread safety  refrank calls from several threads at once, never with overlapping arrays that are written to
 *     result         0 or a count on success, else a negative code. After a code, results hold arbitrary values
 *
 * Names mean the same in every function:
 *
 *     symbol            in code          type and shape
 *     x                 X                float (float_bytes 4) or double (8): (n_samples, n_features)
 *     bin labels        codes            uint8_t (code_bytes 1) or uint16_t (2): (n_groups, n_samples, 8), with
 *                                        n_groups = (n_features + 7) / 8; feature f of row i is codes[f / 8][i][f % 8]
 *     slots of bins     offsets          (n_features + 1); feature f has slots offsets[f] .. offsets[f + 1] - 1
 *     number of slots   n_slots          offsets[n_features]
 *     rows of a node    rows             (n_rows), distinct numbers of rows, in any order
 *     residual          integers         (n_samples), on its grid; no sum of its absolute values exceeds 2^53
 *     w                 weights          (n_samples), not negative, on its grid; NULL where all rows weigh the same
 *     histogram         sums             (n_slots, n_columns): sum of residuals, count of rows and, with 3 columns, sum
 *                                        of weights; n_columns is 2 or 3
 *     exponent          exponent         e: a value is on the grid as rint(value * 2^e)
 */
#ifndef REFRANK_SPLITTER_H
#define REFRANK_SPLITTER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define REFRANK_SPLITTER_VERSION 1

#define REFRANK_NO_MEMORY (-1) /* memory of the function's own could not be allocated */
#define REFRANK_REFUSED (-2)   /* the library does not take arguments of this kind or size */

/* entries of `missing` */
#define REFRANK_PARTED 1    /* the last bin holds the rows that lack the feature; separating them is a cut */
#define REFRANK_NEEDS_CUT 2 /* the same; separating them is a cut only together with one among the others */

/* A cut, and the sums of the rows on its left, those with code <= bin. Where no cut gains: -1, -1 and zeros. */
typedef struct {
    int64_t feature;
    int64_t bin;
    double split_gain;
    int64_t left_sum;    /* of residuals */
    int64_t left_count;  /* of rows */
    int64_t left_weight; /* of weights; left_count where rows have none */
} refrank_split;

/* Return REFRANK_SPLITTER_VERSION, as the library was compiled with it. */
int32_t refrank_splitter_version(void);

/* --- bins ------------------------------------------------------------------------------------------------------ */

/* Cover ascending values with bins [start, start + length), in double; return how many, or 0 if n_bins do not suffice.
 *
 * values: float or double, (n_values). starts, a result with room for n_bins: the places of the starts among the
 * values, of equal ones the first. */
int64_t refrank_bin_starts(
    const void *values, int32_t float_bytes, int64_t n_values, double length, int64_t n_bins, int64_t *starts);

/* Write the bin of every entry of X into codes: bin b holds x where cuts[b - 1] <= x < cuts[b], NaN the last one.
 *
 * cuts: (n_slots - n_features), ascending in each feature; those of feature f begin at cuts[offsets[f] - f], one fewer
 * than its bins. Columns of the last group beyond n_features stay as they are. */
int64_t refrank_quantize(
    const void *X, int32_t float_bytes, int64_t n_samples, int64_t n_features, const double *cuts,
    const int64_t *offsets, void *codes, int32_t code_bytes, int32_t n_threads);

/* --- grids ----------------------------------------------------------------------------------------------------- */

/* Write max |value|, (n_samples), to *largest: any number that is not finite if one of the values is not. */
int64_t refrank_largest_magnitude(const double *value, int64_t n_samples, double *largest, int32_t n_threads);

/* integers = rint(value * 2^exponent), half to even; the size of the result is at most 2^53. */
int64_t refrank_round_to_grid(
    const double *value, int64_t n_samples, int32_t exponent, int64_t *integers, int32_t n_threads);

/* --- histograms ------------------------------------------------------------------------------------------------ */

/* Sum a node's rows in each bin of each feature: sums, a result, has 3 columns where there are weights, else 2. */
int64_t refrank_histogram(
    const void *codes, int32_t code_bytes, int64_t n_samples, const int64_t *offsets, int64_t n_features,
    const int32_t *rows, int64_t n_rows, const int64_t *integers, const int64_t *weights, int64_t *sums,
    int32_t n_threads);

/* Sum several quantities, (n_quantities, n_samples), of all rows: sums, a result, is (n_quantities, n_slots). */
int64_t refrank_root_sums(
    const void *codes, int32_t code_bytes, int64_t n_samples, const int64_t *offsets, int64_t n_features,
    const int64_t *quantities, int64_t n_quantities, int64_t *sums, int32_t n_threads);

/* --- cuts ------------------------------------------------------------------------------------------------------ */

/* Find the cut with the largest split_gain, by rules 3 and 6, among some features.
 *
 * features: (n_listed), ascending. missing: (n_features), or NULL where no feature may be missing. */
int64_t refrank_best_split(
    const int64_t *sums, int64_t n_columns, const int64_t *offsets, int64_t n_features, const int32_t *features,
    int64_t n_listed, int64_t min_samples_leaf, const int8_t *missing, refrank_split *split, int32_t n_threads);

/* Find the cut that refrank_best_split finds in the histogram of a node's rows.
 *
 * column_codes: (n_features, n_samples). A port may ignore the coarse bins, which only say where the cut cannot be
 * (refrank/trees/bins/coarse.py): feature f has coarse slots coarse_offsets[f] .. coarse_offsets[f + 1] - 1, ends holds the
 * last bin of each, and coarse_sums, (n_coarse_slots, 2 or 3), the node's histogram over them. */
int64_t refrank_best_split_inside(
    const void *column_codes, int32_t code_bytes, int64_t n_samples, const int64_t *offsets, int64_t n_features,
    const int64_t *coarse_offsets, const int64_t *ends, const int64_t *coarse_sums, const int32_t *rows, int64_t n_rows,
    const int64_t *integers, const int64_t *weights, const int32_t *features, int64_t n_listed,
    int64_t min_samples_leaf, const int8_t *missing, refrank_split *split, int32_t n_threads);

/* --- rows and leaves ------------------------------------------------------------------------------------------- */

/* Reorder rows in place, first those with code <= bin, each side in its order; return how many these are. */
int64_t refrank_partition(
    const void *codes, int32_t code_bytes, int64_t n_samples, int32_t *rows, int64_t n_rows, int64_t feature,
    int64_t bin, int32_t n_threads);

/* Sum values, (n_samples), each rounded to its grid first, over the rows of each leaf: sums, a result, is (n_leaves).
 *
 * starts: (n_leaves + 1); leaf j has rows[starts[j]] .. rows[starts[j + 1] - 1], at least one. */
int64_t refrank_leaf_sums(
    const double *value, int64_t n_samples, int32_t exponent, const int32_t *rows, const int64_t *starts,
    int64_t n_leaves, int64_t *sums, int32_t n_threads);

/* Add the value of each leaf, values (n_leaves), to the scores, (n_samples), of its rows, in place. */
int64_t refrank_add_to_leaves(
    double *scores, int64_t n_samples, const int32_t *rows, const int64_t *starts, int64_t n_leaves,
    const double *values, int32_t n_threads);

/* Add the value of the leaf that each row falls into to its score, (n_samples), tree after tree, in place.
 *
 * feature, cut, left, right, value: (n_nodes), the nodes of all trees. Tree t begins at node roots[t]; left and right
 * count from there; children come after their parent; feature is -1 in a leaf. A row goes left where x < cut, in
 * double. */
int64_t refrank_add_trees(
    const void *X, int32_t float_bytes, int64_t n_samples, int64_t n_features, const int64_t *roots, int64_t n_trees,
    const int32_t *feature, const double *cut, const int32_t *left, const int32_t *right, const double *value,
    int64_t n_nodes, double *scores, int32_t n_threads);

/* --- probabilities --------------------------------------------------------------------------------------------- */

/* result = exp(x), (n) each, by the operations of refrank/trees/numbers/exponential.py, for every double but NaN.
 *
 * refrank/kernel/exp.h has them in C. */
int64_t refrank_exp(const double *x, int64_t n, double *result);

/* Write columns first, first + 1, ... of the class probabilities: proba, a result, is (n_samples, n_columns).
 *
 * scores, (n_samples, n_classes), and proba are in Fortran order: column after column. */
int64_t refrank_softmax(
    const double *scores, int64_t n_samples, int64_t n_classes, int64_t first, int64_t n_columns, double *proba,
    int32_t n_threads);

/* --- deep trees ------------------------------------------------------------------------------------------------ */

/* Grow a whole tree, each cut the best among n_candidates features drawn for its node; return how many nodes it has.
 *
 * Row i counts as counts[i] rows of integers[i], and weights[i]; counts: (n_samples), at least 1 in rows. row_codes:
 * (n_samples, n_features). missing may be NULL; max_depth is -1 for no limit. key is the root's stream of draws
 * (refrank/trees/numbers/draws.py).
 * The results have room for `capacity` nodes, 2 * n_rows - 1 and at least 1; the function writes as many entries as
 * there are nodes. In a leaf, feature is -1, and bin, left, right and split_gain are 0. Where rows have no weights,
 * weight is count. */
int64_t refrank_grow_deep(
    const void *row_codes, int32_t code_bytes, int64_t n_samples, int64_t n_features, const int64_t *offsets,
    const int32_t *rows, int64_t n_rows, const int64_t *integers, const int64_t *counts, const int64_t *weights,
    const int8_t *missing, int64_t max_depth, int64_t min_samples_leaf, int64_t n_candidates, uint64_t key,
    int64_t capacity, int32_t *feature, int32_t *bin, int32_t *left, int32_t *right, double *split_gain, int64_t *sum,
    int64_t *count, int64_t *weight);

#ifdef __cplusplus
}
#endif

#endif
