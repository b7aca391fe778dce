// The port as one text without imports and exports, as the page holds it; and its functions, from such a text.
import { readFileSync } from "node:fs";

export const STEP = new URL("../../refrank/inspection/step/", import.meta.url);
export const { ORDER } = await import(new URL("port/index.js", STEP));
const NOT_SHARED = /^import\b[^;]*;\n|^export (?:default )?/gm;

export const readModule = (name) => readFileSync(new URL(`port/${name}`, STEP), "utf8");

/** The text of all modules; `change` may change that of each, given its name. */
export const joinPort = (change = (text) => text) =>
  ORDER.map((name) => change(readModule(name), name).replaceAll(NOT_SHARED, "")).join("");

/** The functions of a text, by name. */
export function makePort(text) {
  const names = [...text.matchAll(/^(?:function\*? |const |let )(\w+)/gm)].map((declared) => declared[1]);
  return new Function(`"use strict";\n${text}\nreturn { ${names.join(", ")} };`)();
}
