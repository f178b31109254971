// Asks, steers, and says what came of it.
import {explain, nodes, post} from './api.js';
import {button, el, icon} from './dom.js';

const SHOWN_MILLIS = 8000;
const MOST = 4;

/** What is under way, and is not done twice. */
const busy = new Set();

function note(kind, title, text, extra) {
  const notes = document.getElementById('notes');
  const node = el(`div.note.${kind}`, {'data-test': `note-${kind}`}, icon(kind),
    el('div', {}, el('strong', {}, title), ` ${text} `, extra),
    button('×', 'note-close', () => node.remove(), {'aria-label': 'Dismiss', class: 'plain'}));
  notes.append(node);
  [...notes.children].slice(0, -MOST).forEach(old => old.remove());
  if (kind === 'ok') {
    setTimeout(() => node.remove(), SHOWN_MILLIS);
  }
}

/** A link that opens this page anew, on whose way one signs in. */
export const signIn = problem =>
  problem.kind === 'login' && el('a.signin', {href: location.href, 'data-test': 'sign-in', 'data-reload': true},
    'Sign in');

/**
 * Opens a dialog. Returns `{body, row, closed}`: its inside, its buttons, and whether it was confirmed. The focus is on
 * the button that changes nothing, unless a field takes it.
 */
export function dialog(title, test, action, kind = 'primary', keep = 'Cancel') {
  const body = el('div.dialog-body');
  const row = el('div.actions', {}, button(action ? keep : 'Close', 'cancel', () => node.close(''),
    {autofocus: true}),
    action && button(action, 'confirm', () => node.close('yes'), {class: kind}));
  const node = el('dialog', {'aria-label': title, 'data-test': test}, el('h2', {}, title), body, row);
  const closed = new Promise(resolve => {
    node.addEventListener('close', () => {
      node.remove();
      resolve(node.returnValue === 'yes');
    });
  });
  document.body.append(node);
  node.showModal();
  return {body, row, closed};
}

/**
 * Steers once, and says `done`, a text or a function that returns it, or what went wrong. If there is a `question`, `{title, lines, label, kind, keep}`, or several
 * nodes might do it, it asks before. Returns the answer, or null if there is none.
 */
export async function act({path, body, done, question}) {
  const key = path + JSON.stringify(body);
  if (busy.has(key)) {
    return null;
  }
  busy.add(key);
  try {
    const lines = [...(question?.lines ?? []), ...(nodes.other === null ? [] : [
      `Both ${nodes.nameOf(nodes.shown)}, which is shown, and ${nodes.nameOf(nodes.other)} answer at this address. `
        + 'One of them will do this; the page cannot choose which.'])];
    if (lines.length > 0) {
      const asked = dialog(question?.title ?? 'Which node?', 'ask', question?.label ?? 'Do it anyway',
        question?.kind, question?.keep);
      asked.body.append(...lines.map(line => el('p', {}, line)));
      if (!await asked.closed) {
        return null;
      }
    }
    const {json, node} = await post(path, body);
    if (done) {
      note('ok', `${done.call ? await done(json) : done}.`, nodes.other === null ? '' : `Done by node ${node}.`);
    }
    return json;
  } catch (problem) {
    note('failing', ...explain(problem, true), signIn(problem));
    return null;
  } finally {
    busy.delete(key);
    if (done) {
      dispatchEvent(new Event('wheel-look'));
    }
  }
}

/** Copies a text; over plain HTTP, without a clipboard, by execCommand. */
export async function copy(value, source) {
  const isCopied = navigator.clipboard
    ? await navigator.clipboard.writeText(value).then(() => true, () => copySelected(value))
    : copySelected(value);
  source.dataset.copied = isCopied ? 'copied' : 'not copied';
  document.getElementById('announce').textContent = isCopied ? `Copied ${value}`
    : 'The browser refused to copy it';
  setTimeout(() => delete source.dataset.copied, 1500);
}

function copySelected(value) {
  const focused = document.activeElement;
  const area = el('textarea.unseen', {readonly: true, 'aria-hidden': 'true', tabindex: -1});
  area.value = value;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  focused?.focus({preventScroll: true});
  return isCopied;
}

export const copyButton = (what, value) => button(icon('copy'), 'copy', event => copy(value(), event.currentTarget),
  {class: 'copy', 'aria-label': `Copy ${what}`});

/** The id of a trace, as a link where its address is known. */
export const traceLink = ({traceId: id, traceUrl: url}) =>
  (url ? el('a', {href: url, target: '_blank', rel: 'noopener noreferrer'}, id) : el('code', {}, id));

export const traceId = one => ['trace id ', traceLink(one), copyButton('the trace id', () => one.traceId)];

export const copied = id => el('span.named', {}, el('span.id', {}, id), copyButton('the id', () => id));

/** Why all that steers is off. */
export const READ_ONLY = 'Read-only: steering needs management.endpoint.wheelscheduler.access=unrestricted';

const LABELS = {reset: 'Restore configured schedule', retry: 'Retry'};

/** The name of an action on its button. */
export const label = action => LABELS[action] ?? action[0].toUpperCase() + action.slice(1);

/**
 * A button that steers; dots on it say that it asks before. Its `title` says what it does, and `why` it is off, if it
 * is. What `more` has goes into the request.
 */
export const steerButton = (path, action, done, {test = action, question, title, why, ...more} = {}) =>
  button(label(action) + (question ? '…' : ''), test, () => act({path, body: {action, ...more}, done, question}),
    {title: why || title, disabled: Boolean(why)});
