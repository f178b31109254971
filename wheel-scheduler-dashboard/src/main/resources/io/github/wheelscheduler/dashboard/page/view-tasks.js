// All tasks, those that need a look first: found, put in order and cut into pages by the server.
import {changed, go, read} from './address.js';
import {Problem, get} from './api.js';
import {attribute, button, el, keyed, keysOf, panel, plainRow, refill, show, table, text} from './dom.js';
import {count, plural} from './format.js';
import {act, dialog} from './steer.js';
import {COLUMNS, filterWords, taskRow, taskTable} from './task-rows.js';

const STATES = ['overdue', 'failing', 'running', 'paused', 'pending', 'disabled', 'over'];
const LIMIT = 50;
const FIRST = 20;
const TYPING_MILLIS = 150;

const SORTS = [
  ['', 'overdue and failing first'], ['next asc', 'next run, soonest first'], ['next desc', 'next run, last first'],
  ['lateness desc', 'lateness, most first'], ['lateness asc', 'lateness, least first'],
  ['lastFailure desc', 'last failure, newest first'], ['lastFailure asc', 'last failure, oldest first'],
  ['id asc', 'id, A to Z'], ['id desc', 'id, Z to A'], ['scheduler asc', 'scheduler and id']
];

const ACTIONS = [['trigger', 'Trigger'], ['pause', 'Pause'], ['resume', 'Resume'], ['reset', 'Reset'], ['interrupt', 'Interrupt']];

const keyOf = task => `${task.scheduler}\n${task.id}`;

/** What is asked for by default: it may need several pages, and only the first shows what needs a look apart. */
const isApart = state => !state.sort && !state.state && !state.offset;

export function tasks(context) {
  const search = el('input', {type: 'search', id: 'search', 'data-test': 'search', autocomplete: 'off', spellcheck: 'false',
    placeholder: 'a part of the id', oninput: () => later({text: search.value})});
  const states = new Map(STATES.map(name => [name, el('input', {type: 'checkbox', 'data-test': `state-${name}`,
    onchange: () => go(changed({offset: '', state: STATES.filter(one => states.get(one).checked).join()}))})]));
  const scheduler = el('select', {id: 'scheduler', 'data-test': 'scheduler-filter',
    onchange: () => go(changed({offset: '', ...chosen(scheduler.value)}))});
  const sort = el('select', {id: 'sort', 'data-test': 'sort', onchange: () => sortBy(sort.value)},
    SORTS.map(([value, label]) => el('option', {value}, label)));
  const found = el('p.found', {role: 'status', 'data-test': 'total'});
  const held = el('span.hint', {hidden: true}, 'The order is held while you are in the table.');
  const bulk = el('div.actions', {'data-test': 'bulk'});
  const heads = new Map(COLUMNS.map(([label, key]) => [label, el('th', {scope: 'col', role: 'columnheader'}, key
    ? button(label, `sort-${key}`, () => turn(key), {class: 'plain'})
    : label)]));
  const {node: tableNode, body} = taskTable('Tasks', 'tasks', [...heads.values()]);
  const first = el('tbody.first', {role: 'rowgroup', 'data-test': 'attention'});
  const others = el('tbody', {role: 'rowgroup'}, dividing('All others, the next to run first'));
  body.before(first, others);
  const nothing = el('p.none', {hidden: true, 'data-test': 'no-tasks'}, 'No task is like that.');
  const back = el('a.button', {'data-test': 'page-before'}, 'Previous');
  const on = el('a.button', {'data-test': 'page-after'}, 'Next');
  const place = el('span', {'data-test': 'page'});
  const pages = el('nav.pages', {'aria-label': 'Pages'}, back, place, on);
  let typing = 0;
  let last = null;

  const node = el('div', {'data-test': 'view-tasks'}, panel('Tasks', found,
    el('div.filters', {role: 'search'},
      el('label', {for: 'search'}, 'Search'), search,
      el('label', {for: 'scheduler'}, 'Scheduler'), scheduler,
      el('label', {for: 'sort'}, 'Order'), sort,
      el('fieldset.chips', {}, el('legend', {}, 'State'),
        STATES.map(name => el('label', {}, states.get(name), el('span', {}, name))))),
    el('div.bulk-row', {}, bulk, held),
    tableNode, nothing, pages));

  /** While one types, the address is replaced, so that one step back leaves the search. */
  function later(changes) {
    clearTimeout(typing);
    typing = setTimeout(() => go(changed({offset: '', ...changes}), Boolean(read().text)), TYPING_MILLIS);
  }

  function sortBy(value) {
    const [key, order] = value.split(' ');
    go(changed({offset: '', sort: key, order: order === 'desc' ? 'desc' : ''}));
  }

  function turn(key) {
    const state = read();
    const isDescending = state.sort === key ? state.order !== 'desc' : key !== 'id' && key !== 'next';
    sortBy(`${key} ${isDescending ? 'desc' : 'asc'}`);
  }

  function showFilters(state) {
    if (document.activeElement !== search) {
      search.value = state.text ?? '';
    }
    const wanted = state.state?.split(',') ?? [];
    states.forEach((input, name) => {
      input.checked = wanted.includes(name);
    });
    const names = context.schedulers.map(one => (one.group ? `group ${one.group.name}` : `scheduler ${one.name}`));
    const now = state.group ? `group ${state.group}` : state.scheduler ? `scheduler ${state.scheduler}` : '';
    const options = ['', ...new Set(now ? [...names, now] : names)];
    refill(scheduler, options.join('\n'), () => options.map(value => el('option', {value}, value || 'all')));
    scheduler.value = now;
    sort.value = state.sort ? `${state.sort} ${state.order ?? 'asc'}` : '';
    for (const [label, key] of COLUMNS) {
      const isSorted = key && state.sort === key;
      attribute(heads.get(label), 'aria-sort', isSorted && (state.order === 'desc' ? 'descending' : 'ascending'));
    }
  }

  /** While somebody is in the table, rows stay where they are, and new ones come last: a click hits what it aims at. */
  function inHeldOrder(rows, into) {
    const isIn = tableNode.matches(':hover') || tableNode.contains(document.activeElement)
      || (!getSelection().isCollapsed && tableNode.contains(getSelection().anchorNode));
    const isSame = last !== null && location.search === last.search;
    if (!isIn || !isSame) {
      return rows;
    }
    const before = keysOf(into);
    const rank = new Map(before.map((key, at) => [key, at]));
    const sorted = [...rows].sort((one, other) =>
      (rank.get(keyOf(one)) ?? before.length) - (rank.get(keyOf(other)) ?? before.length));
    if (sorted.some((task, at) => task !== rows[at])) {
      show(held, true);
    }
    return sorted;
  }

  return {
    node,
    title: () => 'Tasks',
    async load(state, signal) {
      showFilters(state);
      if (context.schedulers.length === 0 && (state.scheduler || state.group)) {
        context.schedulers = (await get(context.path(), {limit: 0}, signal)).schedulers;
      }
      const filter = {scheduler: state.scheduler, group: state.group, text: state.text, state: state.state};
      const apart = isApart(state)
        ? await context.list({...filter, state: 'overdue,failing', sort: 'lateness', order: 'desc', limit: FIRST}, signal)
        : null;
      const list = await context.list({
        ...filter,
        show: 'findings',
        sort: state.sort ?? 'next',
        order: state.order,
        offset: state.offset,
        limit: state.limit ?? LIMIT
      }, signal);
      return {list, apart, state, filter, search: location.search};
    },
    show(data) {
      const {list, apart, state, filter} = data;
      showFilters(state);
      show(held, false);
      const now = () => last.list.now;
      const isFirst = apart !== null && apart.total > 0;
      const shownApart = new Set(isFirst ? apart.tasks.map(keyOf) : []);
      const urgent = inHeldOrder(isFirst ? apart.tasks : [], first);
      const rest = inHeldOrder(list.tasks.filter(task => !shownApart.has(keyOf(task))), body);
      last = data;
      show(first, isFirst);
      show(others, isFirst);
      keyed(first, urgent, keyOf, () => taskRow(now));
      keyed(body, rest, keyOf, () => taskRow(now));
      show(tableNode, list.total > 0);
      show(nothing, list.total === 0);
      text(found, filterWords(filter, list.total)
        + (isFirst ? `; ${count(apart.total)} overdue or failing${apart.total > FIRST ? `, ${FIRST} of them first` : ''}` : ''));
      showPages(list);
      const kinds = ACTIONS.filter(([action]) => action !== 'interrupt' || !state.state || state.state.includes('running'));
      refill(bulk, `${context.isSteering}${list.total === 0}${kinds.length}${list.total}`, () =>
        (context.isSteering && list.total > 0
          ? [el('span', {}, `All ${count(list.total)} found:`), ...kinds.map(([action, label]) =>
            button(`${label}…`, `bulk-${action}`, () => steerAll(context, action, label, filter)))]
          : []));
    },
    close() {
      clearTimeout(typing);
    }
  };

  function showPages({offset, limit, total, tasks: page}) {
    const end = offset + page.length;
    show(pages, offset > 0 || end < total);
    text(place, `${count(total === 0 ? 0 : offset + 1)}–${count(end)} of ${count(total)}`);
    link(back, offset > 0, Math.max(0, offset - limit));
    link(on, end < total, end);
  }

  function link(node, isThere, offset) {
    attribute(node, 'href', isThere && changed({offset: offset ? String(offset) : ''}));
    attribute(node, 'aria-disabled', !isThere);
    attribute(node, 'role', !isThere && 'link');
  }
}

function dividing(words) {
  return el('tr.dividing', {role: 'row'}, el('th', {scope: 'rowgroup', role: 'rowheader', colspan: COLUMNS.length}, words));
}

/** A choice such as `group reports` as members of the address. */
function chosen(value) {
  const [kind, ...name] = value.split(' ');
  return {scheduler: '', group: '', ...(kind ? {[kind]: name.join(' ')} : {})};
}

const MEANINGS = {
  trigger: 'Each of them runs now, once.',
  pause: 'Runs that become due are left out until they are resumed.',
  resume: 'They run again at their times; disabled ones are enabled.',
  reset: 'They get back the schedules and settings that the code gives them, and no pause.',
  interrupt: 'Their runs that go on are interrupted; what that does is up to their code.'
};

/** Steers all that the filter finds: says how many first, and what was refused afterwards. */
async function steerAll(context, action, label, filter) {
  let total;
  try {
    total = (await get(context.path(), {...filter, limit: 0})).total;
  } catch (problem) {
    if (!(problem instanceof Problem)) {
      throw problem;
    }
    dispatchEvent(new Event('wheel-look'));
    return;
  }
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
  const answer = await act({
    path: context.path(),
    body: {of: 'tasks', action, ...given, expected: total},
    done: `${label}: asked of ${plural(total, 'task')}`,
    question: {
      title: `${label} ${plural(total, 'task')}?`,
      lines: [`${filterWords(filter, total)}.`, MEANINGS[action], 'If it is another number by then, nothing is done.'],
      label: `${label} ${count(total)}`,
      kind: action === 'resume' || action === 'trigger' ? 'primary' : 'danger'
    }
  });
  if (answer) {
    showRefusals(label, answer);
  }
}

const REFUSED = ['Task', 'Scheduler', 'Why'];

function showRefusals(label, {matched, done, refused, refusals}) {
  const {body} = dialog(`${label}: ${count(done)} of ${count(matched)} done`, 'bulk-result');
  body.append(el('p', {'data-test': 'bulk-done'}, refused
    ? `${plural(refused, 'task')} refused it${refusals.length < refused ? `; these are the first ${refusals.length}` : ''}.`
    : 'None refused it.'));
  if (refused) {
    const {node, body: rows} = table('Refused', REFUSED, 'refusals');
    keyed(rows, refusals, keyOf, plainRow(REFUSED, one => [one.id, one.scheduler, one.error], 'refusal'));
    body.append(node);
  }
}
