/* A port in C: `cc -o port port.c -lm`, asked by `refrank conform run ./port` (docs/port/another_language.md). */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a list of an argument, "values" in C order or "shape", without parsing JSON: a line has no spaces, and each
 * array is written as "name":{"dtype":"float64","shape":[2],"values":[0.5,"inf"]}. Returns NULL for null. strtod reads
 * every number; for those of uint64 take strtoull. */
static double *read_numbers(const char *line, const char *name, const char *list, size_t *n) {
    char key[80];
    snprintf(key, sizeof key, "\"%s\":{\"dtype\":", name);
    const char *at = strstr(line, key);
    if (!at) return NULL;
    snprintf(key, sizeof key, "\"%s\":[", list);
    at = strstr(at, key) + strlen(key);
    double *numbers = malloc((strcspn(at, "]") + 1) * sizeof *numbers);
    for (*n = 0; *at != ']'; at += strspn(at, "\",")) {
        char *end;
        numbers[(*n)++] = strtod(at += *at == '"', &end);
        at = end;
    }
    return numbers;
}

static void quantize(const char *line) {
    size_t n, n_cuts;
    double *x = read_numbers(line, "x", "values", &n), *cuts = read_numbers(line, "cuts", "values", &n_cuts);
    printf("{\"value\":[");
    for (size_t i = 0, code; i < n; i++) {
        for (code = 0; code < n_cuts && cuts[code] <= x[i]; code++) continue;
        printf("%s%zu", i ? "," : "", code);
    }
    printf("]}\n");
    free(x), free(cuts);
}

static void ls(const char *line) {
    if (!strstr(line, "\"weight\":null") || !strstr(line, "\"target\":\"2^k-1\"")) {
        puts("{\"not offered\":\"weights, and other targets\"}");
        return;
    }
    size_t n;
    double *y = read_numbers(line, "y", "values", &n), sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += exp2(y[i]) - 1.0;
    printf("{\"stage\":\"start\",\"at\":{},\"fields\":{\"values\":[\"%a\"]}}\n{\"value\":null}\n", sum / (double)n);
    free(y);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    puts("{\"name\":\"a port in C\",\"offers\":[\"function quantize\",\"training ls\"]}");
    for (fflush(stdout); getline(&line, &size, stdin) > 0; fflush(stdout)) {
        if (strstr(line, "\"call\":\"function quantize\"")) quantize(line);
        else if (strstr(line, "\"call\":\"training ls\"")) ls(line);
        else puts("{\"not offered\":\"\"}");
    }
}
