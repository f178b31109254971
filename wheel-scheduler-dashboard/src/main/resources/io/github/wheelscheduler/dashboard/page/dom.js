// Makes and changes elements. Every value becomes text or an attribute, never markup.
import {instant, TERMS} from './format.js';

/** Makes an element: `el('td.wide', {title: 'x', onclick: f}, 'text', node)`, without null and false. */
export const el = (name, ...rest) => fill(document.createElement(name.split('.')[0]), name, ...rest);

export const svg = (name, ...rest) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name.split('.')[0]), name, ...rest);

function fill(node, name, attributes = {}, ...children) {
  node.classList.add(...name.split('.').slice(1));
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      node.addEventListener(key.slice(2), value);
    } else {
      attribute(node, key, value);
    }
  }
  node.append(...present(children));
  return node;
}

const present = children => [children].flat(Infinity).filter(child => child != null && child !== false);

/** Sets an attribute, or removes it if the value is null or false. */
export function attribute(node, key, value) {
  if (value == null || value === false) {
    node.removeAttribute(key);
  } else if (node.getAttribute(key) !== String(value)) {
    node.setAttribute(key, value);
  }
}

const signatures = new WeakMap();

/** Sets a text; an equal one is left alone, so that a selection in it stays. */
export function text(node, value) {
  const wanted = value || value === 0 ? String(value) : '';
  if (signatures.delete(node) || node.textContent !== wanted) {
    node.textContent = wanted;
  }
}

export function show(node, isShown) {
  node.hidden = !isShown;
}

/** Replaces children, unless they are the same as last time by that signature. */
export function refill(node, signature, make) {
  if (signatures.get(node) !== signature) {
    signatures.set(node, signature);
    node.replaceChildren(...present(make()));
  }
}

const rowsOf = new WeakMap();

/** Makes a child of a node for each item, by `make(item, index)`: `{node, update(item)}`. */
export function keyed(parent, items, keyOf, make) {
  const rows = rowsOf.get(parent) ?? new Map();
  rowsOf.set(parent, rows);
  const focused = document.activeElement;
  const wanted = items.map(keyOf);
  const isWanted = new Set(wanted);
  for (const [key, row] of rows) {
    if (!isWanted.has(key)) {
      row.node.remove();
      row.close?.();
      rows.delete(key);
    }
  }
  let place = parent.firstChild;
  items.forEach((item, index) => {
    const row = rows.get(wanted[index]) ?? make(item, index);
    rows.set(wanted[index], row);
    row.update(item);
    if (row.node === place) {
      place = place.nextSibling;
    } else {
      parent.insertBefore(row.node, place);
    }
  });
  if (focused !== document.activeElement && focused.isConnected) {
    focused.focus({preventScroll: true});
  }
}

export const keysOf = parent => [...(rowsOf.get(parent)?.keys() ?? [])];

const ICONS = {
  ok: 'M3 8.5l3.2 3.2L13 5',
  failing: 'M4 4l8 8M12 4l-8 8',
  overdue: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.4l2.4 1.6',
  pending: 'M4 2.5h8M4 13.5h8M5 2.5c0 5 6 6 6 11M11 2.5c0 5-6 6-6 11',
  running: 'M5 3l8 5-8 5z',
  claimed: 'M3 3h10v10H3zM3 7h10',
  paused: 'M5.5 3v10M10.5 3v10',
  disabled: 'M8 2.5a5.5 5.5 0 1 0 .01 0M4.2 4.2l7.6 7.6',
  over: 'M4 14V2.5h8l-2 3 2 3H4',
  warning: 'M8 2.2L14.3 13.5H1.7zM8 6.5v3.2M8 11.4v.6',
  info: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 7.2v4M8 4.9v.5',
  copy: 'M6 5.5h7v8H6zM10 5.5v-3H3v8h3'
};

export const icon = name =>
  svg('svg.icon', {viewBox: '0 0 16 16', 'aria-hidden': 'true'}, svg('path', {d: ICONS[name]}));

export const badge = (kind, word) => el(`span.badge.${kind}`, {}, icon(kind), word);

export const button = (label, test, onclick, more) =>
  el('button', {type: 'button', 'data-test': test, onclick, ...more}, label);

/** An unchanged field keeps its instant: where clocks go back, its text means two. */
export function putInstant(input, iso) {
  input.value = instant(iso).replace(' ', 'T');
  input.given = {iso, value: input.value};
}

export const instantIn = ({given, value}) => (value === given.value ? given.iso : new Date(value).toISOString());

/** A part of the page with a heading, and what else stands in its head. */
export const panel = (title, head, ...children) =>
  el('section.panel', {'aria-label': title}, el('header', {}, el('h2', {}, title), head), children);

/** A table with a caption for screen readers; returns its body, too. A head is a text or a node. */
export function table(caption, heads, test) {
  const body = el('tbody');
  const node = el('table', {'data-test': test}, el('caption.unseen', {}, caption),
    el('thead', {}, el('tr', {}, heads.map(head =>
      (head.tagName ? head : el('th', {scope: 'col', title: TERMS[head]}, head))))), body);
  return {node, body};
}

export const cell = (label, ...children) => el('td', {'data-label': label}, children);

/**
 * A table of texts and nodes: `{node, set(items, keyOf, values)}`, where `values(item)` returns one for each head. The
 * words `none`, if they are given, stand in its place where there are no items.
 */
export function listing(caption, heads, test, none) {
  const {node, body} = table(caption, heads, test);
  const hint = none && el('p.hint', {}, none);
  const box = el('div', {}, hint, node);
  let valuesOf = null;
  const row = () => {
    const cells = heads.map(head => cell(head));
    return {
      node: el('tr', {}, cells),
      update: item => valuesOf(item).forEach((value, at) =>
        (value instanceof Node ? refill(cells[at], value.outerHTML, () => value) : text(cells[at], value)))
    };
  };
  return {
    node: box,
    set(items, keyOf, values) {
      valuesOf = values;
      keyed(body, items, keyOf, row);
      show(node, items.length);
      if (hint) {
        show(hint, items.length === 0);
      }
    }
  };
}

/** What is drawn by `draw` only while it is open: `{node, update}`. */
export function folded(summary, content, draw) {
  const update = () => node.open && draw();
  const node = el('details', {ontoggle: update}, el('summary', {}, summary), content);
  return {node, update};
}

/** A list of facts: `{node, set(facts)}`. A fact is `name: [value, line below]`. */
export function factsOf() {
  const node = el('dl.facts');
  return {
    node,
    set: facts => keyed(node, Object.entries(facts), ([name]) => name, ([name]) => {
      const [value, more] = [el('dd'), el('dd.more')];
      return {
        node: el('div', {}, el('dt', {title: TERMS[name]}, name), value, more),
        update([, [now, below]]) {
          text(value, now);
          text(more, below);
          show(more, below);
        }
      };
    })
  };
}
