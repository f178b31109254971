// A task as a row, as lists of tasks show it, and how they are searched.
import {changed, go, ofTask, read} from './address.js';
import {attribute, badge, cell, el, refill, table, text} from './dom.js';
import {clock, inWords, joined, lasting, plural, relative, seconds, written} from './format.js';
import {copyButton} from './steer.js';
import {runs} from './strips.js';

const TYPING_MILLIS = 150;

export const COLUMNS = [['State'], ['Task', 'id'], ['Schedule'], ['Next run', 'next'], ['Late', 'lateness'],
  ['Last run', 'lastFailure'], ['Recent runs']];

export const keyOf = task => `${task.scheduler}\n${task.id}`;

export function taskTable(caption, test, heads = COLUMNS.map(([head]) => head)) {
  const made = table(caption, heads, test);
  made.node.classList.add('tasks');
  return made;
}

/** While one types, the address is replaced, so that one step back leaves the search. */
export function searchField(id) {
  let typing = 0;
  const input = el('input', {type: 'search', id, autocomplete: 'off', placeholder: 'a part of the id',
    oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(() => go(changed({offset: '', text: input.value}), Boolean(read().text)), TYPING_MILLIS);
    }});
  return {
    node: [el('label', {for: id}, 'Search'), input],
    set(value = '') {
      if (document.activeElement !== input) {
        input.value = value;
      }
    },
    close: () => clearTimeout(typing)
  };
}

const isFailing = task => task.last?.outcome === 'FAILURE';

export const needsALook = task => task.overdue || isFailing(task);

/** State, and what is wrong beside it: each an icon, a word and a colour. */
export function showState(node, task) {
  const inARow = Number(task.failuresInARow);
  refill(node, [task.state, task.overdue, isFailing(task), inARow, task.pausedAfterFailures].join(), () => [
    task.overdue && badge('overdue', 'overdue'),
    isFailing(task) && badge('failing', inARow > 1 ? `failing, ${inARow} in a row` : 'failing'),
    badge(task.state.toLowerCase(), task.state.toLowerCase() + (task.pausedAfterFailures ? ' after failures' : ''))]);
}

/** An id that may break after its dots. */
export function idParts(id) {
  const [, before, rest] = /^((?:[a-z]\w*\.)*)(.*)$/s.exec(id);
  const breaking = part => part.split(/(?<=[./])/).flatMap(word => [word, el('wbr')]);
  return [el('span.package', {}, breaking(before)), ...breaking(rest)];
}

export function taskRow(now) {
  let shown = null;
  const id = el('a.id', {'data-test': 'task-link'});
  const [where, code, nextAt, lastMore] = ['', '.code', '', ''].map(more => el(`span.sub${more}`));
  const [words, next, last] = [0, 0, 0].map(() => el('span'));
  const [state, late, strip] = [cell('State'), cell('Late'), runs()];
  const node = el('tr', {'data-test': 'task'}, state,
    cell('Task', el('div.named', {}, id, copyButton('the id', () => shown.id)), where),
    cell('Schedule', words, code), cell('Next run', next, nextAt), late,
    cell('Last run', last, lastMore), cell('Recent runs', strip.node));
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
      text(code, task.schedule.words && written(task.schedule));
      text(next, task.runningSince ? `runs for ${since(task.runningSince, now())}` : relative(task.next, now()));
      text(nextAt, task.next && clock(task.next, now()));
      text(late, seconds(task.lateBy) > 0 ? lasting(task.lateBy) : '–');
      text(last, task.last ? `${isFailing(task) ? 'failed' : 'ended well'} ${relative(task.last.start, now())}`
        : 'none yet');
      text(lastMore, task.last && `took ${lasting(task.last.duration)}, ${lasting(task.last.lateness)} late`);
      attribute(last, 'title', isFailing(task) && `${task.last.exception}: ${task.last.message}`);
      strip.update(task.recent);
    }
  };
}

export const since = (instantThen, now) => relative(instantThen, now).replace(/ ago$/, '');

export const filterWords = ({state, text: part, scheduler, group}, total) => joined([plural(total, 'task'),
  state?.split(',').join(' or '), part && `with “${part}” in the id`, group && `in the group ${group}`,
  scheduler && `of ${scheduler}`]);
