// A box is given new contents, and keeps the elements that it has: the focus stays, and so does a click that has begun.

function patchNode(node, wanted) {
  if (node.nodeName !== wanted.nodeName) return node.replaceWith(wanted);
  if (node.nodeType === Node.TEXT_NODE) return (node.data = wanted.data);
  for (const { name } of [...node.attributes]) if (!wanted.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of wanted.attributes) node.setAttribute(name, value);
  if (node.matches("input")) node.value = wanted.value;
  if (node.matches("option")) node.selected = wanted.selected;
  patchChildren(node, wanted);
}

function patchChildren(node, wanted) {
  const own = [...node.childNodes],
    others = [...wanted.childNodes];
  for (const [i, other] of others.entries())
    if (own[i]) patchNode(own[i], other);
    else node.append(other);
  for (const rest of own.slice(others.length)) rest.remove();
}

export function redraw(box, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  patchChildren(box, template.content);
}
