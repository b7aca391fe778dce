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
    port_tell *tell;
    uint8_t *codes; /* (n_groups, n_samples, 8): made by port_bin */
} port_training;

/* A node, and its best cut; feature is -1 where none gains, or none was looked for. */
typedef struct {
    int64_t start, stop, depth, left; /* left: number of the left child, 0 in a leaf; the right one follows it */
    int32_t looked, cut;
    refrank_split split;
    int64_t *sums; /* its histogram, (n_slots, 2) */
} port_node;

/* A tree that was grown. */
typedef struct {
    port_node *nodes;
    int64_t n_nodes, n_leaves;
    int32_t *rows;              /* (n_samples), leaf after leaf */
    int64_t *integers;          /* (n_samples), the residual on its grid */
    int32_t exponent;
    int64_t *starts;            /* (n_leaves + 1) */
    double *numerator, *values; /* (n_leaves): sums of the residual; and what the loss makes of them */
} port_tree;

/* growing.c */
int port_bin(port_training *t);
int32_t port_exponent(const double *value, int64_t n);
port_tree *port_grow(const port_training *t, int64_t round, int64_t output, const double *residual);
void port_step(
    const port_training *t, const port_tree *tree, int64_t round, int64_t output, double rate, double *scores);
void port_free(port_tree *tree);

/* boosting.c; each returns 0, or REFRANK_NO_MEMORY. scores and F are results: (n_samples), and (n_classes, n_samples). */
int port_ls(port_training *t, const double *target, double *scores);
int port_gbrt(port_training *t, const double *target, double *scores);
int port_softmax(port_training *t, const int64_t *y, int64_t n_classes, int32_t simultaneous, double *F);
int port_ordinal(port_training *t, const int64_t *y, int64_t n_classes, double *F);

/* forest.c; scores, a result, is the mean of the trees. */
int port_forest(port_training *t, const double *target, int64_t n_trees, int64_t n_candidates, uint64_t seed, double *scores);

/* ranking.c; queries: (n_queries + 1), where the rows of each begin; rows come query after query. */
void port_relevance(const double *proba, int64_t n_samples, int64_t n_classes, double *scores);
int port_rank(
    const double *scores, const int64_t *y, const int64_t *queries, int64_t n_queries, int64_t max_grade,
    port_tell *tell);

#endif
