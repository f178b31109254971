// Makes elements and changes them in place. Every value becomes text or an attribute, never markup.

const SVG = 'http://www.w3.org/2000/svg';

/** Makes an element: `el('td.wide', {title: 'x', onclick: f}, 'text', node)`. What is null or false is left out. */
export function el(name, attributes, ...children) {
  return fill(document.createElement(name.split('.')[0]), name, attributes, children);
}

/** Makes an element of a drawing. */
export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(SVG, name.split('.')[0]), name, attributes, children);
}

function fill(node, name, attributes, children) {
  const [, ...classes] = name.split('.');
  node.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') {
      node.addEventListener(key.slice(2), value);
    } else {
      attribute(node, key, value);
    }
  }
  node.append(...children.flat().filter(child => child != null && child !== false));
  return node;
}

/** Sets an attribute, or takes it away if the value is null or false; does nothing where it is so already. */
export function attribute(node, key, value) {
  if (value == null || value === false) {
    if (node.hasAttribute(key)) {
      node.removeAttribute(key);
    }
  } else if (node.getAttribute(key) !== (value === true ? '' : String(value))) {
    node.setAttribute(key, value === true ? '' : String(value));
  }
}

/** Sets a text; one that is the same stays untouched, so that what is selected in it stays selected. */
export function text(node, value) {
  const wanted = value == null ? '' : String(value);
  if (node.textContent !== wanted) {
    node.textContent = wanted;
  }
}

/** Shows or hides. */
export function show(node, isShown) {
  if (node.hidden === Boolean(isShown)) {
    node.hidden = !isShown;
  }
}

/** Replaces children, unless they are the same as last time by that signature. */
export function refill(node, signature, make) {
  if (signatures.get(node) !== signature) {
    signatures.set(node, signature);
    node.replaceChildren(...[make()].flat().filter(child => child != null && child !== false));
  }
}

const signatures = new WeakMap();
const rowsOf = new WeakMap();

/**
 * Makes the children of a node those of the items, in their order. A child that has been there stays the same node, and keeps its
 * focus. `make(item)` returns `{node, update(item)}`.
 */
export function keyed(parent, items, keyOf, make) {
  const rows = rowsOf.get(parent) ?? new Map();
  rowsOf.set(parent, rows);
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const wanted = new Map(items.map(item => [keyOf(item), item]));
  for (const [key, row] of rows) {
    if (!wanted.has(key)) {
      row.node.remove();
      row.close?.();
      rows.delete(key);
    }
  }
  let place = parent.firstChild;
  for (const [key, item] of wanted) {
    let row = rows.get(key);
    if (!row) {
      row = make(item);
      rows.set(key, row);
    }
    row.update(item);
    if (row.node === place) {
      place = place.nextSibling;
    } else {
      parent.insertBefore(row.node, place);
    }
  }
  if (focused?.isConnected && focused !== document.activeElement) {
    focused.focus({preventScroll: true});
  }
}

/** The keys of the children that are there now, in their order. */
export function keysOf(parent) {
  return [...(rowsOf.get(parent)?.keys() ?? [])];
}

const ICONS = {
  ok: 'M3 8.5l3.2 3.2L13 5',
  failing: 'M4 4l8 8M12 4l-8 8',
  overdue: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.4l2.4 1.6',
  pending: 'M4 2.5h8M4 13.5h8M5 2.5c0 5 6 6 6 11M11 2.5c0 5-6 6-6 11',
  running: 'M5 3l8 5-8 5z',
  paused: 'M5.5 3v10M10.5 3v10',
  disabled: 'M8 2.5a5.5 5.5 0 1 0 .01 0M4.2 4.2l7.6 7.6',
  over: 'M4 14V2.5h8l-2 3 2 3H4',
  warning: 'M8 2.2L14.3 13.5H1.7zM8 6.5v3.2M8 11.4v.6',
  info: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 7.2v4M8 4.9v.5',
  copy: 'M6 5.5h7v8H6zM10 5.5v-3H3v8h3'
};

/** A small drawing that stands beside a word. */
export function icon(name) {
  return svg('svg.icon', {viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false'},
    svg('path', {d: ICONS[name]}));
}

/** An icon, a word and a colour, which say the same. */
export function badge(kind, word) {
  return el(`span.badge.${kind}`, {'data-test': `badge-${kind}`}, icon(kind), word);
}

/** A button, by default one that stands beside others. */
export function button(label, test, onclick, attributes) {
  return el('button', {type: 'button', 'data-test': test, onclick, ...attributes}, label);
}

/** A part of the page with a heading, and what else stands in its head. */
export function panel(title, head, ...children) {
  return el('section.panel', {'aria-label': title}, el('header', {}, el('h2', {}, title), head), ...children);
}

/** A table with a caption for those who hear it; the body is returned, too. */
export function table(caption, heads, test) {
  const body = el('tbody', {role: 'rowgroup'});
  const node = el('table', {role: 'table', 'data-test': test},
    el('caption.unseen', {}, caption),
    el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'}, heads.map(head =>
      head instanceof Node ? head : el('th', {scope: 'col', role: 'columnheader'}, head)))),
    body);
  return {node, body};
}

/** A cell, which carries the head of its column for screens on which rows are cards. */
export function cell(label, ...children) {
  return el('td', {role: 'cell', 'data-label': label}, ...children);
}

/** A row of texts for {@link keyed}: `values(item)` returns one text or node for each head. */
export function plainRow(heads, values, test) {
  return () => {
    const cells = heads.map(head => cell(head));
    return {
      node: el('tr', {role: 'row', 'data-test': test}, cells),
      update: item => values(item).forEach((value, at) => {
        if (value instanceof Node) {
          refill(cells[at], value.outerHTML, () => value);
        } else {
          text(cells[at], value);
        }
      })
    };
  };
}
