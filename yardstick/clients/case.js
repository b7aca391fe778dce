// The smallest case in which a port differs from refrank: `node $name.js` ends with 0 once it agrees.
// $parameters
"use strict";

const nSamples = $n_samples, nFeatures = $n_features;
const X = $X; // (nSamples, nFeatures) in C order
const y = $y, qid = $qid; // (nSamples)
const weight = $weight; // (nSamples); null: there are no weights
const expected = $expected; // $shape in C order

function compute() { // here, call your port: return $field of stage $stage$at
    return [];
}

require("node:assert").deepStrictEqual([...compute()], [...expected]);
