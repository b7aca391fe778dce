// The places of a tree's nodes.
export const NODE_WIDTH = 112,
  NODE_HEIGHT = 72;
const NODE_GAP = 8, LEVEL = 96;
const MOST_CUTS = 12; // of a tree that is drawn whole

/**
 * Places of the nodes that there are after the first cuts: leaves side by side, the others above their children.
 * Of a tree with many cuts, those that part no documents are passed over.
 */
export function layOut(nodes, upTo) {
  const places = new Map();
  let nextX = 0,
    depth = 0;
  const open = (node) => node.cutBy !== null && node.cutBy < upTo,
    brief = nodes.filter(open).length > MOST_CUTS,
    childrenOf = (number) => [nodes[number].left, nodes[number].right];
  const visit = (first, level, side) => {
    let number = first,
      passed = 0;
    for (; brief && open(nodes[number]); passed++) {
      const reached = childrenOf(number).filter((child) => nodes[child].rows.length);
      if (reached.length > 1) break;
      [number] = reached;
    }
    depth = Math.max(depth, level);
    const place = { y: level * LEVEL, open: open(nodes[number]), passed, side };
    if (place.open) {
      place.children = childrenOf(number).map((child, of) => visit(child, level + 1, of));
      place.x = (places.get(place.children[0]).x + places.get(place.children[1]).x) / 2;
    } else {
      place.x = nextX;
      nextX += NODE_WIDTH + NODE_GAP;
    }
    places.set(number, place);
    return number;
  };
  visit(0, 0, 0);
  return { places, width: nextX - NODE_GAP, height: depth * LEVEL + NODE_HEIGHT, brief };
}
