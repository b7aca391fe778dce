/* Whole trainings in C, which tell of every stage as they go: yardstick/traces/stages.py lists the stages. */
#ifndef TRAINING_H
#define TRAINING_H

#include "port.h"

enum { TYPE_DOUBLE, TYPE_INT64, TYPE_INT32 };

/* Receives one field of a record. round, tree and output are -1 where a stage has none; the array is (n, m, l), of n
 * entries where m is 0, and of n * m where l is 0; n is -1 for a single number. */
typedef void port_tell(
    const char *stage, const char *field, int64_t round, int64_t tree, int64_t output, int32_t type, const void *data,
    int64_t n, int64_t m, int64_t l);

/* What is trained on, and how. */
typedef struct {
    const double *X; /* (n_samples, n_features) */
    int64_t n_samples, n_features;
    const double *cuts;     /* of all features, as refrank_quantize takes them */
    const int64_t *offsets; /* (n_features + 1) */
    int64_t n_rounds;
    int64_t n_leaves;  /* 0: no limit */
    int64_t max_depth; /* -1: no limit */
    int64_t min_samples_leaf;
    double learning_rate;
    int64_t output;        /* of the records */
    int32_t code_bytes;    /* 1, or 2 where a feature has more than 256 bins */
    int32_t at_midpoints;  /* whether cuts lie midway between a node's own rows */
    int32_t holds;         /* whether each round holds y - residual within [0, 1] */
    int64_t n_unseen;      /* rows after the others in X, which are scored and not trained on */
    const double *weight;  /* (n_samples), or NULL */
    const int8_t *missing; /* (n_features): 1 where the last bin has the rows that lack the feature; or NULL */
    port_tell *tell;
    void *codes; /* (n_groups, n_samples + n_unseen, 8) of code_bytes each: made by port_bin */
} port_training;

/* A node, and its best cut; feature is -1 where none gains, or none was looked for. */
typedef struct {
    int64_t start, stop, depth, left; /* left: number of the left child, 0 in a leaf; the right one follows it */
    int32_t looked, cut;
    refrank_split split, best; /* of a node that was cut, `split` is its first cut in two, and `best` what was found */
    int64_t *sums; /* its histogram, (n_slots, n_columns) */
} port_node;

/* A tree that was grown. */
typedef struct {
    port_node *nodes;
    int64_t n_nodes, n_leaves;
    int32_t *rows;              /* (n_samples), leaf after leaf */
    int64_t *integers;          /* (n_samples), the residual times the weights, on its grid */
    int64_t *weights;           /* (n_samples), the weights on their grid; or NULL */
    int64_t n_columns;          /* of a histogram: 3 with weights, else 2 */
    int32_t exponent, weight_exponent;
    int64_t *starts;            /* (n_leaves + 1) */
    double *numerator, *denominator, *values; /* (n_leaves): sums of both; and what the loss makes of them */
} port_tree;

/* growing.c */
int port_bin(port_training *t);
int32_t port_exponent(const double *value, int64_t n);
int32_t port_to_grid(const double *value, int64_t n, int64_t *integers);
double port_sum(const double *value, int64_t n);
double *port_weigh(const port_training *t, const double *value);
port_tree *port_grow(const port_training *t, int64_t round, int64_t output, const double *residual);
void port_add(const port_training *t, const port_tree *tree, const double *values, double *scores);
void port_step(
    const port_training *t, const port_tree *tree, int64_t round, int64_t output, double rate, double *scores);
void port_free(port_tree *tree);

/* boosting.c; each returns 0, or REFRANK_NO_MEMORY. scores and F are results, with the unseen rows: (n_rows), and
 * (n_classes, n_rows). port_gbrt adds to the scores that it is given. */
double port_mean(const port_training *t, const double *target);
int port_ls(port_training *t, const double *target, double *scores);
int port_gbrt(port_training *t, const double *target, double *scores);
int port_softmax(port_training *t, const int64_t *y, int64_t n_classes, int32_t simultaneous, double *F);
int port_ordinal(port_training *t, const int64_t *y, int64_t n_classes, double *F);

/* forest.c; scores, a result, is the mean of the trees. */
int port_forest(port_training *t, const double *target, int64_t n_trees, int64_t n_candidates, uint64_t seed, double *scores);

/* ranking.c; queries: (n_queries + 1), where the rows of each begin; rows come query after query. */
void port_relevance(
    const double *proba, int64_t n_samples, int64_t n_classes, const double *relevance, double *scores);
int port_rank(
    const double *scores, const int64_t *y, const int64_t *queries, int64_t n_queries, int64_t max_grade,
    port_tell *tell);

#endif
