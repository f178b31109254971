// Asks, steers, and says what came of it.
import {explain, nodes, post} from './api.js';
import {button, el, icon} from './dom.js';

const SHOWN_MILLIS = 8000;
const MOST_NOTES = 4;

const notes = document.getElementById('notes');

/** What is under way, so that a second click does not do it twice. */
const busy = new Set();

/** Says something that stays until it is read, or for some seconds if all is well. */
export function note(kind, title, text, extra) {
  const node = el(`div.note.${kind}`, {'data-test': `note-${kind}`}, icon(kind),
    el('div', {}, el('strong', {}, title), text ? ` ${text}` : '', extra),
    button('×', 'note-close', () => node.remove(), {'aria-label': 'Dismiss', class: 'plain'}));
  notes.append(node);
  while (notes.children.length > MOST_NOTES) {
    notes.firstChild.remove();
  }
  if (kind === 'ok' && !extra) {
    setTimeout(() => node.remove(), SHOWN_MILLIS);
  }
}

/** Says what went wrong with something that was to be done. */
export function noteProblem(problem) {
  const {title, text, canSignIn} = explain(problem, true);
  note('failing', `${title}.`, text, canSignIn && signIn());
}

/** A link that opens this page anew: on its way, the application asks to sign in. */
export function signIn() {
  return el('a.signin', {href: location.href, 'data-test': 'sign-in', 'data-reload': true}, 'Sign in');
}

/**
 * Opens a dialog over the page. It closes by its buttons or the Escape key, and gives the focus back.
 * Returns `{body, closed}`: where to put what it says, and what has been chosen, or null.
 */
export function dialog(title, test, choices) {
  const heading = el('h2', {id: 'dialog-title'}, title);
  const body = el('div.dialog-body');
  const row = el('div.actions');
  const node = el('dialog', {'aria-labelledby': 'dialog-title', 'data-test': test}, heading, body, row);
  const closed = new Promise(resolve => {
    node.addEventListener('close', () => {
      node.remove();
      resolve(node.returnValue || null);
    });
  });
  // The way back comes first, and has the focus.
  row.append(button(choices ? 'Cancel' : 'Close', 'cancel', () => node.close(''), {autofocus: true}));
  for (const {label, value, kind} of choices ?? []) {
    row.append(button(label, `confirm`, () => node.close(value), {class: kind ?? 'primary'}));
  }
  document.body.append(node);
  node.showModal();
  return {node, body, row, closed};
}

/** Asks whether something is to be done. */
export async function ask(title, lines, label, kind) {
  const asked = dialog(title, 'ask', [{label, value: 'yes', kind}]);
  asked.body.append(...lines.map(line => el('p', {}, line)));
  return await asked.closed === 'yes';
}

/** What is to be known before anything is steered while several nodes answer. */
export function nodesInQuestion() {
  return nodes.areSeveral
    ? [`Several nodes answer at this address: ${nodes.nameOf(nodes.shown)}, which is shown, and `
      + `${nodes.nameOf(nodes.other)}. One of them will do this, and the page cannot choose which.`]
    : [];
}

/**
 * Steers once, after having asked where that is wanted. Returns the answer, or null if there is none; problems are said.
 *
 * @param todo `path` and `body` of the request, `done` what to say afterwards, and `question`, `{title, lines, label}`,
 *     if it is to be asked first
 */
export async function act({path, body, done, question, quiet}) {
  const key = path + JSON.stringify(body);
  if (busy.has(key)) {
    return null;
  }
  busy.add(key);
  try {
    const lines = [...(question?.lines ?? []), ...nodesInQuestion()];
    if (lines.length > 0) {
      const isWanted = await ask(question?.title ?? 'Which node?', lines, question?.label ?? 'Do it all the same',
        question?.kind);
      if (!isWanted) {
        return null;
      }
    }
    const {json, node} = await post(path, body);
    if (!quiet) {
      note('ok', `${done}.`, nodes.areSeveral ? `Node ${node} has done it.` : '');
    }
    return json;
  } catch (problem) {
    if (!problem.kind) {
      throw problem;
    }
    noteProblem(problem);
    return null;
  } finally {
    busy.delete(key);
    if (!quiet) {
      dispatchEvent(new Event('wheel-look'));
    }
  }
}

/** Copies a text; over plain HTTP, where there is no clipboard, as browsers have always done. */
export async function copy(value, source) {
  let isCopied;
  if (navigator.clipboard && isSecureContext) {
    isCopied = await navigator.clipboard.writeText(value).then(() => true, () => copyBySelection(value));
  } else {
    isCopied = copyBySelection(value);
  }
  source.dataset.copied = isCopied ? 'yes' : 'no';
  document.getElementById('announce').textContent = isCopied ? `Copied ${value}` : 'The browser does not let it be copied';
  setTimeout(() => delete source.dataset.copied, 1500);
}

function copyBySelection(value) {
  const focused = document.activeElement;
  const area = el('textarea.unseen', {readonly: true, 'aria-hidden': 'true', tabindex: '-1'});
  area.value = value;
  // Inside of an open dialog, as nothing outside of it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  focused?.focus({preventScroll: true});
  return isCopied;
}

/** A button that copies what `value()` returns. */
export function copyButton(what, value) {
  return button(icon('copy'), 'copy', event => copy(value(), event.currentTarget),
    {class: 'copy', 'aria-label': `Copy ${what}`});
}
