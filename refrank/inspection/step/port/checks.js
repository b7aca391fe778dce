// What is refused: an error names the argument, its value, and the rule (refrank/checks.py).

export function refuse(name, value, rule) {
  throw new RangeError(`${name} is ${value}: it must be ${rule}`);
}

export function checkInteger(name, value, atLeast, atMost = Number.MAX_SAFE_INTEGER) {
  const range = atMost === Number.MAX_SAFE_INTEGER ? `at least ${atLeast}` : `from ${atLeast} to ${atMost}`;
  if (!(Number.isInteger(value) && value >= atLeast && value <= atMost)) refuse(name, value, `an integer, ${range}`);
}
