// Asks, steers, and says what came of it.
import {explain, nodes, post} from './api.js';
import {button, el, icon} from './dom.js';
import {joined} from './format.js';

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

/** What the server says of steering. */
export const rules = {reasonRequired: false};

/**
 * A field for the reason. Enter confirms only if there is one: a key pressed twice must do nothing dangerous. Enter that
 * ends the composition of a word confirms nothing; Safari says so only by the code.
 */
function reasonField(confirm) {
  const {reasonRequired} = rules;
  const input = el('input', {id: 'reason', autocomplete: 'off', maxlength: 200, autofocus: true,
    required: reasonRequired, onkeydown: ({key, isComposing, keyCode}) =>
      key === 'Enter' && !isComposing && keyCode !== 229 && input.value.trim() && confirm.click()});
  return {
    node: el('div.field', {}, el('label', {for: 'reason'}, `Reason (${reasonRequired ? 'required' : 'optional'})`),
      input),
    trim() {
      input.value = input.value.trim();
    },
    value: () => input.value || undefined
  };
}

/**
 * Opens a dialog. Returns `{body, row, closed, reason}`: its inside, its buttons, whether it was confirmed, and the
 * reason by then. It asks for no reason without an action, or if that has one. The focus is on a field, if there is one.
 */
export function dialog(title, test, action, kind = 'primary', keep = 'Cancel', hasReason = false) {
  const body = el('div.dialog-body');
  const confirm = action && button(action, 'confirm', () => {
    asked?.trim();
    // The browser says what is missing.
    return node.querySelector(':invalid')?.reportValidity() ?? node.close('yes');
  }, {class: kind});
  const asked = action && !hasReason ? reasonField(confirm) : null;
  const row = el('div.actions', {},
    button(action ? keep : 'Close', 'cancel', () => node.close(''), {autofocus: !asked}), confirm);
  const node = el('dialog', {'aria-label': title, 'data-test': test}, el('h2', {}, title), body, asked?.node, row);
  const closed = new Promise(resolve => {
    node.addEventListener('close', () => {
      node.remove();
      resolve(node.returnValue === 'yes');
    });
  });
  document.body.append(node);
  node.showModal();
  return {body, row, closed, reason: asked?.value};
}

/**
 * Steers once, and says `done`, a text or a function that returns it, or what went wrong. It asks before if there is a
 * `question`, `{title, lines, label, kind, keep}`, if several nodes might do it, or if the body has no reason and one is
 * required; then the title has the `name` of the target. Returns the answer, or null if there is none.
 */
export async function act({path, body, done, question, name}) {
  const key = path + JSON.stringify(body);
  if (busy.has(key)) {
    return null;
  }
  busy.add(key);
  try {
    const many = nodes.other === null ? [] : [
      `Both ${nodes.nameOf(nodes.shown)}, which is shown, and ${nodes.nameOf(nodes.other)} answer at this address. `
        + 'One of them will do this; the page cannot choose which.'];
    // What changes nothing, and so has nothing to say when it is done, needs no reason.
    const hasReason = !done || 'reason' in body;
    let reason;
    if (question || many.length > 0 || (rules.reasonRequired && !hasReason)) {
      const {title, lines = [], label: yes, kind, keep} = question ?? (many.length > 0
        ? {title: 'Which node?', label: 'Do it anyway'}
        : {title: `${label(body.action)} ${name}?`, label: label(body.action)});
      const asked = dialog(title, 'ask', yes, kind, keep, hasReason);
      asked.body.append(...[...lines, ...many].map(line => el('p', {}, line)));
      if (!await asked.closed) {
        return null;
      }
      reason = asked.reason?.();
    }
    const {json, node} = await post(path, {reason, ...body});
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
const traceLink = ({traceId: id, traceUrl: url}) =>
  (url ? el('a', {href: url, target: '_blank', rel: 'noopener noreferrer'}, id) : el('code', {}, id));

export const withTrace = (said, one) =>
  (one.traceId ? el('span', {}, joined([said, 'trace '], ' · '), traceLink(one)) : said);

export const traceId = one => ['trace id ', traceLink(one), copyButton('the trace id', () => one.traceId)];

/** An id that leads to its view and can be copied. */
export const named = (id, href) => el('span.named', {}, el('a.id', {href}, id), copyButton('the id', () => id));

/** Why all that steers is off. */
export const READ_ONLY = 'Read-only: steering needs management.endpoint.wheelscheduler.access=unrestricted';

const LABELS = {reset: 'Restore configured schedule', retry: 'Retry'};

/** The name of an action on its button. */
export const label = action =>
  (Object.hasOwn(LABELS, action) ? LABELS[action] : action[0].toUpperCase() + action.slice(1));

/**
 * A button that steers; dots on it say that it asks before. Its `title` says what it does, and `why` it is off, if it
 * is. What `more` has goes into the request.
 */
export const steerButton = (path, action, done, {test = action, question, title, why, name, ...more} = {}) =>
  button(label(action) + (question || rules.reasonRequired ? '…' : ''), test,
    // The second click of two is none, also where the first was answered meanwhile.
    ({detail}) => detail < 2 && act({path, body: {action, ...more}, done, question, name}),
    {title: why || title, disabled: Boolean(why)});
