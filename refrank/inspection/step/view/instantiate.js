// The port's functions from its source, which the page holds as text: right, or with a line replaced (faults.js).

/** Replace the line of a fault, which its module has once. */
function plant(source, fault) {
  const parts = source.split(fault.line);
  if (parts.length !== 2)
    throw new Error(`fault ${fault.name}: its line occurs ${parts.length - 1} times: it must occur once`);
  return parts.join(fault.broken);
}

/** The names that a source without imports and exports declares on its top level. */
const topLevelNames = (source) =>
  [...source.matchAll(/^(?:async )?(?:function\*? |const |let |class )(\w+)/gm)].map((match) => match[1]);

/** All that the source declares, by name. */
export function instantiate(source, fault = null) {
  const text = fault ? plant(source, fault) : source;
  return new Function(`"use strict";\n${text}\nreturn { ${topLevelNames(text).join(", ")} };`)();
}
