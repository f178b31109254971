// The first thing on the page: sentences that say why it is late.
import {ofTask, to} from './address.js';
import {badge, el, keyed, show, text} from './dom.js';
import {count, unbroken} from './format.js';

const KINDS = {ERROR: ['failing', 'error'], WARNING: ['warning', 'warning'], INFO: ['info', 'note']};

const DURABLE_STATES = {durableFailed: 'failed', durableUnreadable: 'unreadable'};

const STATES = {overdue: 'overdue', failing: 'failing', pausedAfterFailures: 'paused', overruns: 'overrunning',
  longRun: 'running'};

const [section, list, none, more, voice] =
  ['findings', 'findings-list', 'findings-none', 'findings-more', 'announce'].map(id => document.getElementById(id));

let known = null;

/** A check that failed is named by its text alone. */
const keyOf = ({rule, severity, scheduler, group, task, text: said}) =>
  [rule, severity, scheduler, group, task, rule === 'findings' && said].join('\n');

/** Shows the findings of all schedulers. Without a scheduler, nothing is on time. */
export function showFindings({findings, schedulers}) {
  const isWell = findings.length === 0 && schedulers.length > 0;
  show(section, findings.length > 0 || isWell);
  show(none, isWell);
  keyed(list, findings, keyOf, makeFinding);
  show(more, findings.length > 1);
  text(more, `and ${findings.length - 1} more`);
  more.href = to({});
  announce(findings);
}

export const countOf = (findings = []) => findings.filter(finding => finding.severity !== 'INFO').length;

function makeFinding({rule, severity}) {
  const [kind, word] = rule === 'state' ? ['paused', 'on hold'] : KINDS[severity];
  const [said, where, link] = [el('span'), el('span.where'), el('a')];
  const trace = el('a', {target: '_blank', rel: 'noopener noreferrer'}, 'Show trace');
  return {
    node: el(`li.finding.${kind}`, {}, badge(kind, word), said, where, link, trace),
    update(now) {
      text(said, unbroken(now.text));
      text(where, now.group ?? (now.task ? '' : now.scheduler));
      const address = addressOf(now);
      show(trace, now.traceUrl);
      trace.href = now.traceUrl ?? '';
      show(link, address);
      link.href = address ?? '';
      text(link, now.task && !(now.tasks > 1) ? 'Show task' : now.tasks > 1 ? `Show all ${count(now.tasks)}` : 'Show');
    }
  };
}

function addressOf({rule, task, tasks, scheduler}) {
  if (rule.startsWith('durable')) {
    return to({view: 'durable', state: DURABLE_STATES[rule]});
  }
  const state = STATES[rule];
  return state && tasks > 1 ? to({view: 'tasks', state, scheduler}) : task && ofTask({id: task, scheduler});
}

/** Announces findings that come and go; not their numbers, which change every second. */
function announce(findings) {
  const fresh = findings.filter(finding => known && !known.includes(keyOf(finding)));
  if (fresh.length > 0 || (known?.length > 0 && findings.length === 0)) {
    voice.textContent = findings.length === 0 ? none.textContent : fresh.map(finding => finding.text).join('. ');
  }
  known = findings.map(keyOf);
}
