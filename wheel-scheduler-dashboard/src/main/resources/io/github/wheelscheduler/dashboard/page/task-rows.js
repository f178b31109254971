// A task as a row, as lists of tasks show it, and how they are searched.
import {changed, go, ofTask, read} from './address.js';
import {attribute, badge, cell, el, refill, table, text} from './dom.js';
import {ago, clock, inWords, joined, lasting, plural, relative, seconds, since, written} from './format.js';
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

/** Typing replaces the address, so that one step back leaves the search. */
export function searchField(id) {
  let typing = 0;
  const input = el('input', {type: 'search', id, autocomplete: 'off', placeholder: 'words in id or error',
    'aria-keyshortcuts': '/',
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

/** Fields whose values go into the address, each a `[id, key, label, placeholder or options]`: `{nodes, set(state)}`. */
export function filterFields(...fields) {
  const made = fields.map(([id, key, label, hint]) => {
    const edited = is => () => {
      field.isEdited = is;
    };
    const on = {oninput: edited(true), onblur: edited(false), onchange() {
      field.isEdited = false;
      go(changed({[key]: input.value.trim(), after: '', audit: ''}));
    }};
    const input = typeof hint === 'string'
      ? el('input', {id, ...on, type: 'search', autocomplete: 'off', placeholder: hint})
      : el('select', {id, ...on}, Object.entries(hint).map(([value, name]) => el('option', {value}, name)));
    const field = {key, input, isEdited: false, node: [el('label', {for: id}, label), input]};
    return field;
  });
  return {
    nodes: made.map(({node}) => node),
    set: state => made.filter(({isEdited}) => !isEdited).forEach(({key, input}) => {
      input.value = state[key] ?? '';
    })
  };
}

/** The badge of what has failed so often in a row, and since when, if that is known. */
export const failing = (inARow, since) => badge('failing',
  joined([`failing${since ? ` ${since}` : ''}`, Number(inARow) > 1 && `${inARow} in a row`]));

const isFailing = task => task.last?.outcome === 'FAILURE';

export const needsALook = task => task.overdue || isFailing(task);

/** How a state is said; its name stays as it is in addresses. */
export const wordOf = state => (state === 'over' || state === 'ended' ? 'finished' : state);

/** Since when a task has failed, as far as its last runs show: the first failure may be earlier. */
export function failingSince({recent, failuresInARow}, now) {
  const count = Number(failuresInARow);
  const first = recent[Math.min(count, recent.length) - 1];
  return first && `${count > recent.length ? 'at least ' : ''}since ${clock(first.start, now)}`;
}

/** State, and what is wrong beside it: each an icon, a word and a colour. */
export function showState(node, task, held, now) {
  const begin = isFailing(task) && failingSince(task, now);
  refill(node, [held, task.state, task.overdue, begin, task.failuresInARow, task.pausedAfterFailures].join(), () => [
    task.overdue && badge('overdue', 'overdue'),
    isFailing(task) && failing(task.failuresInARow, begin),
    held && badge('paused', `scheduler ${held}`),
    badge(task.state.toLowerCase(),
      wordOf(task.state.toLowerCase()) + (task.pausedAfterFailures ? ' after failures' : ''))]);
}

/** An id that may break after its dots. */
export function idParts(id) {
  const [, before, rest] = /^((?:[a-z]\w*\.)*)(.*)$/s.exec(id);
  const breaking = part => part.split(/(?<=[./])/).flatMap(word => [word, el('wbr')]);
  return [el('span.package', {}, breaking(before)), ...breaking(rest)];
}

export function taskRow(context, now) {
  let shown = null;
  const id = el('a.id', {'data-test': 'task-link'});
  const [where, code, nextAt, lastMore] = ['', '.code', '', ''].map(more => el(`span.sub${more}`));
  const [words, next, last] = [0, 0, 0].map(() => el('span'));
  const [state, late, strip] = [cell('State'), cell('Late'), runs()];
  const nextCell = cell('Next run', next, nextAt);
  const node = el('tr', {'data-test': 'task'}, state,
    cell('Task', el('div.named', {}, id, copyButton('the id', () => shown.id)), where),
    cell('Schedule', words, code), nextCell, late,
    cell('Last run', last, lastMore), cell('Recent runs', strip.node));
  return {
    node,
    update(task) {
      shown = task;
      const held = context.heldBy(task);
      attribute(node, 'data-id', task.id);
      attribute(node, 'data-scheduler', task.scheduler);
      showState(state, task, held, now());
      refill(id, task.id, () => idParts(task.id));
      id.href = ofTask(task);
      text(where, task.scheduler);
      text(words, inWords(task.schedule));
      text(code, task.schedule.words && written(task.schedule));
      text(next, task.runningSince ? `running for ${since(task.runningSince, now())}` : nextRun(task, held, now()));
      attribute(nextCell, 'data-label', task.runningSince ? 'Now' : 'Next run');
      text(nextAt, task.next && clock(task.next, now()));
      text(late, !held && seconds(task.lateBy) > 0 && lasting(task.lateBy));
      text(last, task.last ? `${isFailing(task) ? 'failed' : 'succeeded'} ${ago(task.last.start, now())}`
        : `none ${context.sinceStart(now())}`);
      text(lastMore, task.last && `took ${lasting(task.last.duration)}, ${lasting(task.last.lateness)} late`);
      attribute(last, 'title', isFailing(task) && `${task.last.exception}: ${task.last.message}`);
      strip.update(task.recent);
    }
  };
}

const WAITS = {paused: 'when its scheduler is resumed', 'shut down': 'never'};

/** When it runs next; what its scheduler holds back has no time. */
export const nextRun = ({next}, held, now) => (held && next && (held === 'shut down' || Date.parse(next) <= Date.parse(now))
  ? WAITS[held] ?? 'when its scheduler runs again' : relative(next, now));

export const filterWords = ({state, text: part, scheduler, group}, total) => joined([plural(total, 'task'),
  state?.split(',').map(wordOf).join(' or '), part && `matching “${part}”`, group && `in group ${group}`,
  scheduler && `of ${scheduler}`]);
