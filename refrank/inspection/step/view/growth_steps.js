// The order in which the nodes of a tree are searched and cut.

/** The cuts of a tree in order: each node is examined when it is made, and the best of those that wait is cut. */
export function* growthSteps(growth) {
  const examine = function* (number, upTo) {
    const node = growth.nodes[number];
    if (node?.best && node.slots) yield { kind: "examine", node: number, upTo };
  };
  yield* examine(0, 0);
  for (const [i, number] of growth.cutNodes.entries()) {
    yield { kind: "cut", node: number, upTo: i + 1 };
    const { left, right } = growth.nodes[number];
    yield* examine(left, i + 1);
    yield* examine(right, i + 1);
  }
}
