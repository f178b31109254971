// The first thing on the page: sentences that say why it is late.
import {ofTask, to} from './address.js';
import {badge, el, keyed, show, text} from './dom.js';

const KINDS = {ERROR: ['failing', 'error'], WARNING: ['warning', 'warning'], INFO: ['info', 'note']};

const STATES = ['overdue', 'failing', 'paused', 'running'];

const [section, list, none, more, voice] =
  ['findings', 'findings-list', 'findings-none', 'findings-more', 'announce'].map(id => document.getElementById(id));

let known = null;

const keyOf = finding => [finding.rule, finding.scheduler, finding.group, finding.task].join('\n');

/** Shows what has been found; undefined if the server does not look. */
export function showFindings(findings) {
  show(section, findings);
  if (findings) {
    show(none, findings.length === 0);
    keyed(list, findings, keyOf, makeFinding);
    show(more, findings.length > 1);
    text(more, `and ${findings.length - 1} more`);
    more.href = to({});
    announce(findings);
  }
}

export const countOf = (findings = []) => findings.filter(finding => finding.severity !== 'INFO').length;

function makeFinding({severity}) {
  const [kind, word] = KINDS[severity];
  const [said, where, link] = [el('span'), el('span.where'), el('a')];
  return {
    node: el(`li.finding.${kind}`, {}, badge(kind, word), said, where, link),
    update(now) {
      text(said, now.text);
      text(where, now.group ?? (now.task ? '' : now.scheduler));
      const address = addressOf(now);
      show(link, address);
      link.href = address ?? '';
      text(link, now.task ? 'Show the task' : 'Show them');
    }
  };
}

function addressOf({rule, task, scheduler}) {
  if (rule.startsWith('durable')) {
    return to({view: 'durable'});
  }
  const state = STATES.find(one => rule.startsWith(one));
  return task ? ofTask({id: task, scheduler}) : state && to({view: 'tasks', state, scheduler});
}

/** Says aloud which findings come and go; not the numbers in them, which change every second. */
function announce(findings) {
  const fresh = findings.filter(finding => known && !known.includes(keyOf(finding)));
  if (fresh.length > 0 || (known?.length > 0 && findings.length === 0)) {
    voice.textContent = findings.length === 0 ? none.textContent : fresh.map(finding => finding.text).join('. ');
  }
  known = findings.map(keyOf);
}
