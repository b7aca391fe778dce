/* The answers of a small tree's nodes for the rows of a block (predict.pxi): loops that compilers turn into vector
 * instructions on 16 or 32 rows of bytes. */
#ifndef REFRANK_ANSWERS_H
#define REFRANK_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

/* A cut of a small tree; all but the bin are columns of the table, (n_columns, n_rows). */
struct refrank_choice { int32_t answer, code, bin, left, right; };

/* answer = code > bin ? right : left. A mask of all bits or none stands in for a choice, of which compilers make a
 * branch. */
#define REFRANK_CHOOSE(label_t, n_rows) \
    do { \
        const label_t *code = table + choice->code * (n_rows), bin = (label_t)choice->bin; \
        const label_t *left = table + choice->left * (n_rows), *right = table + choice->right * (n_rows); \
        label_t *answer = table + choice->answer * (n_rows); \
        ptrdiff_t i; \
        for (i = 0; i < (n_rows); i++) \
            answer[i] = right[i] ^ ((left[i] ^ right[i]) & (label_t)((code[i] > bin) - 1)); \
    } while (0)

/* Answer by the nodes of a tree, children before parents; return the answers of the root. One row, whose loop is gone,
 * takes half the time of sixteen. */
#define REFRANK_ASK(name, label_t) \
    REFRANK_CLONES static const label_t *name( \
        const struct refrank_choice *first, const struct refrank_choice *stop, ptrdiff_t n_rows, label_t *table) { \
        const struct refrank_choice *choice = stop; \
        if (n_rows == 1) \
            while (choice-- != first) REFRANK_CHOOSE(label_t, 1); \
        else \
            while (choice-- != first) REFRANK_CHOOSE(label_t, n_rows); \
        return table + first->answer * n_rows; \
    }

REFRANK_ASK(refrank_ask_bytes, uint8_t)
REFRANK_ASK(refrank_ask_words, int32_t)

#endif
