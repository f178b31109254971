// The first thing on the page: sentences that say why it is late.
import {to, ofTask} from './address.js';
import {badge, el, keyed, show, text} from './dom.js';
import {plural} from './format.js';

const KINDS = {ERROR: ['failing', 'error'], WARNING: ['warning', 'warning'], INFO: ['info', 'note']};

/** Words in the names of rules that tell which tasks are meant. */
const STATES = ['overdue', 'failing', 'paused', 'running'];

const ANNOUNCED_APART_MILLIS = 5000;

const list = document.getElementById('findings-list');
const none = document.getElementById('findings-none');
const more = document.getElementById('findings-more');

let known = null;
let announcedMillis = 0;

const keyOf = finding => [finding.rule, finding.scheduler, finding.group, finding.task].join('\n');

/** Shows what has been found; undefined if the server does not look. */
export function showFindings(findings) {
  show(document.getElementById('findings'), findings !== undefined);
  if (findings === undefined) {
    return;
  }
  show(none, findings.length === 0);
  keyed(list, findings, keyOf, makeFinding);
  show(more, findings.length > 1);
  text(more, `and ${plural(findings.length - 1, 'more', 'more')}`);
  more.href = to({});
  announce(findings);
}

/** How many of them are more than notes. */
export function countOf(findings) {
  return (findings ?? []).filter(finding => finding.severity !== 'INFO').length;
}

function makeFinding(finding) {
  const [kind, word] = KINDS[finding.severity] ?? KINDS.INFO;
  const said = el('span.said');
  const where = el('span.where');
  const link = el('a', {'data-test': 'finding-link'});
  const node = el(`li.finding.${kind}`, {'data-test': 'finding', 'data-rule': finding.rule},
    badge(kind, word), said, where, link);
  return {
    node,
    update(now) {
      text(said, now.text);
      text(where, now.group ?? (now.task ? '' : now.scheduler));
      const address = addressOf(now);
      show(link, address);
      if (address) {
        link.href = address;
        text(link, now.task ? 'Show the task' : 'Show them');
      }
    }
  };
}

function addressOf(finding) {
  if (finding.task) {
    return finding.rule.startsWith('durable')
      ? to({view: 'durable'})
      : ofTask({id: finding.task, scheduler: finding.scheduler});
  }
  const rule = finding.rule.toLowerCase();
  if (rule.startsWith('durable')) {
    return to({view: 'durable'});
  }
  const state = STATES.find(one => rule.includes(one) && rule.includes('task'));
  return state && to({view: 'tasks', state, scheduler: finding.scheduler});
}

/** Tells those who hear the page of findings that come and go, not of numbers in them that change every second. */
function announce(findings) {
  const keys = findings.map(keyOf);
  const isFirst = known === null;
  const fresh = findings.filter(finding => !known?.includes(keyOf(finding)));
  const isOver = known?.length > 0 && keys.length === 0;
  if (!isFirst && (fresh.length > 0 || isOver)) {
    if (Date.now() - announcedMillis < ANNOUNCED_APART_MILLIS) {
      return;
    }
    announcedMillis = Date.now();
    document.getElementById('announce').textContent =
      isOver ? none.textContent : fresh.map(finding => finding.text).join('. ');
  }
  known = keys;
}
