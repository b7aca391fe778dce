// A port in JavaScript, asked by `refrank conform run "node port.js"` (docs/port/another_language.md). The table is
// yours: what is here is an example of each kind. What throws NOT_OFFERED is not offered for these arguments.
"use strict";
console.log = console.error; // the standard output carries the messages
const NOT_OFFERED = new Error("not offered");

const answers = {
    "function quantize": ({ x, cuts }) => x.map((value) => cuts.filter((cut) => cut <= value).length),
    "lemma dcg": ({ y, score }) => {
        const order = [...y.keys()].sort((a, b) => score[b] - score[a]);
        return order.reduce((sum, document, i) => sum + (2 ** y[document] - 1) / Math.log(2 + i), 0);
    },
    "training ls": ({ y, weight, parameters }) => {
        if (weight !== null || parameters.target !== "2^k-1") throw NOT_OFFERED;
        tell("start", {}, { values: [y.reduce((sum, label) => sum + 2 ** label - 1, 0) / y.length] });
    },
};

function readArray({ dtype, shape, values, text }) { // numbers; BigInts of uint64, and where an integer exceeds 2^53
    const big = dtype === "uint64" || text !== undefined;
    const read = (v) => (big ? BigInt(v) : typeof v === "string" ? Number(v.replace("inf", "Infinity")) : v);
    const numbers = (text ?? values).map(read);
    if (shape.length < 2) return shape.length === 1 ? numbers : numbers[0];
    return Array.from({ length: shape[0] }, (_, i) => numbers.slice(i * shape[1], (i + 1) * shape[1]));
}

function writeNumber(_, v) { // JSON has no BigInt, NaN, Infinity and -0 in JavaScript: these are texts
    if (typeof v === "bigint" || (typeof v === "number" && !Number.isFinite(v))) return String(v);
    return Object.is(v, -0) ? "-0.0" : v;
}

const say = (message) => process.stdout.write(JSON.stringify(message, writeNumber) + "\n");
const tell = (stage, at, fields) => say({ stage, at, fields });

say({ name: "a port in JavaScript", offers: Object.keys(answers) });
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const question = JSON.parse(line, (_, v) => (v !== null && v.dtype ? readArray(v) : v));
    try {
        const answer = answers[question.call];
        if (answer === undefined) throw NOT_OFFERED;
        say({ value: answer(question.arguments) ?? null });
    } catch (fault) {
        say(fault === NOT_OFFERED ? { "not offered": fault.message } : { fault: String(fault) });
    }
});
