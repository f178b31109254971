// A task as a row, as lists of tasks show it.
import {ofTask} from './address.js';
import {attribute, badge, cell, el, refill, table, text} from './dom.js';
import {clock, inWords, instant, lasting, plural, relative, seconds, written} from './format.js';
import {copyButton} from './steer.js';
import {runs} from './strips.js';

const WORDS = {PENDING: 'pending', RUNNING: 'running', PAUSED: 'paused', DISABLED: 'disabled', OVER: 'over'};

/** The heads of the columns, and what the server sorts by where it can. */
export const COLUMNS = [
  ['State'], ['Task', 'id'], ['Schedule'], ['Next run', 'next'], ['Late', 'lateness'], ['Last run', 'lastFailure'], ['Recent runs']
];

/** A table of tasks; `heads` replaces the texts of its columns. */
export function taskTable(caption, test, heads = COLUMNS.map(([head]) => head)) {
  const made = table(caption, heads, test);
  made.node.classList.add('tasks');
  return made;
}

/** Whether the run of a task that ended last failed. */
export const isFailing = task => task.last?.outcome === 'FAILURE';

/** State, and what is wrong beside it: each an icon, a word and a colour. */
export function showState(node, task) {
  const signature = [task.state, task.overdue, isFailing(task), task.failuresInARow, task.pausedAfterFailures].join();
  refill(node, signature, () => [
    task.overdue && badge('overdue', 'overdue'),
    isFailing(task) && badge('failing', Number(task.failuresInARow) > 1 ? `failing, ${task.failuresInARow} in a row` : 'failing'),
    badge(task.state.toLowerCase(), task.pausedAfterFailures ? 'paused after failures' : WORDS[task.state])
  ]);
}

/** An id, of which the package stands back. */
export function idParts(id) {
  const [, before, rest] = /^((?:[a-z][\w]*\.)*)(.*)$/s.exec(id) ?? ['', '', '', id];
  return [el('span.package', {}, before), rest];
}

/** Makes a row for {@link keyed}; `now()` is the instant of the answer. */
export function taskRow(now) {
  let shown = null;
  const state = cell('State');
  const id = el('a.id', {'data-test': 'task-link'});
  const where = el('span.sub');
  const words = el('span');
  const code = el('span.sub.code');
  const next = el('span');
  const nextAt = el('span.sub');
  const late = cell('Late');
  const last = el('span');
  const lastMore = el('span.sub');
  const strip = runs();
  const node = el('tr', {role: 'row', 'data-test': 'task'},
    state,
    cell('Task', el('div.named', {}, id, copyButton('the id', () => shown.id)), where),
    cell('Schedule', words, code),
    cell('Next run', next, nextAt),
    late,
    cell('Last run', last, lastMore),
    cell('Recent runs', strip.node));
  return {
    node,
    update(task) {
      shown = task;
      attribute(node, 'data-id', task.id);
      attribute(node, 'data-scheduler', task.scheduler);
      showState(state, task);
      refill(id, task.id, () => idParts(task.id));
      id.href = ofTask(task);
      text(where, task.scheduler);
      text(words, inWords(task.schedule));
      text(code, task.schedule.words ? written(task.schedule) : '');
      text(next, task.runningSince ? `runs for ${since(task.runningSince, now())}` : relative(task.next, now()));
      text(nextAt, task.next ? clock(task.next, now()) : '');
      attribute(next, 'title', task.next && instant(task.next));
      text(late, seconds(task.lateBy) > 0 ? lasting(task.lateBy) : '–');
      text(last, task.last ? `${isFailing(task) ? 'failed' : 'ended well'} ${relative(task.last.start, now())}` : 'none yet');
      text(lastMore, task.last ? `took ${lasting(task.last.duration)}, ${lasting(task.last.lateness)} late` : '');
      attribute(last, 'title', isFailing(task) ? `${task.last.exception}: ${task.last.message}` : null);
      strip.update(task.recent ?? []);
    }
  };
}

/** "3 s" for an instant 3 s ago. */
export function since(since, now) {
  return relative(since, now).replace(/ ago$/, '');
}

/** "5,000 tasks, failing or overdue, with “import” in the id". */
export function filterWords({state, text: part, scheduler, group}, total) {
  return [plural(total, 'task'), state && state.split(',').join(' or '), part && `with “${part}” in the id`,
    group && `in the group ${group}`, scheduler && `of ${scheduler}`].filter(Boolean).join(', ');
}
