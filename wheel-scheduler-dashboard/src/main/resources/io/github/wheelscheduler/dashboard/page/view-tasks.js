// All tasks, urgent ones first; the server searches, sorts and pages.
import {changed, go, read} from './address.js';
import {get} from './api.js';
import {attribute, button, el, keyed, keysOf, listing, panel, refill, show, text} from './dom.js';
import {count, plural} from './format.js';
import {act, dialog, label, READ_ONLY} from './steer.js';
import {COLUMNS, filterWords, keyOf, needsALook, searchField, taskRow, taskTable, wordOf} from './task-rows.js';

const STATES = ['overdue', 'failing', 'overrunning', 'running', 'paused', 'pending', 'disabled', 'over'];
const LIMIT = 50;
const SORTS = {next: ['next run', 'soonest', 'last'], lateness: ['lateness', 'least late', 'latest'],
  lastFailure: ['last failure', 'oldest', 'newest'],
  id: ['id', 'A', 'Z'], scheduler: ['scheduler', 'A', 'Z']};

const ACTIONS = {
  trigger: 'Each task runs once, now; tasks of a paused scheduler run when it is resumed.',
  pause: 'Runs due meanwhile are skipped.',
  resume: 'They run as scheduled again; disabled ones are enabled.',
  reset: 'Their configured schedules are restored, and pauses end.',
  interrupt: 'The threads of their runs are interrupted; code that ignores interrupts keeps running.'
};

const DONE = {trigger: 'triggered', pause: 'paused', resume: 'resumed', reset: 'restored',
  interrupt: 'received an interrupt'};

export function tasks(context) {
  const search = searchField('search');
  const states = new Map(STATES.map(name => [name, el('input', {type: 'checkbox',
    onchange: () => go(changed({offset: '', state: STATES.filter(one => states.get(one).checked).join()}))})]));
  const scheduler = el('select', {id: 'scheduler', onchange: () => {
    const [kind, ...name] = scheduler.value.split(' ');
    go(changed({offset: '', scheduler: '', group: '', ...(kind && {[kind]: name.join(' ')})}));
  }});
  const sort = el('select', {id: 'sort', onchange: () => sortBy(...sort.value.split(' '))},
    el('option', {value: ''}, 'overdue and failing first'),
    Object.entries(SORTS).flatMap(([key, [label, up, down]]) => [
      el('option', {value: `${key} asc`}, `${label}, ${up} first`),
      el('option', {value: `${key} desc`}, `${label}, ${down} first`)]));
  const found = el('p.found', {role: 'status', 'data-test': 'total'});
  const held = el('span.hint', {}, 'The order is frozen while you use the table.');
  const bulk = el('div.actions');
  const heads = new Map(COLUMNS.filter(([, key]) => key).map(([label, key]) => [key, el('th', {scope: 'col'},
    button(label, `sort-${key}`, () => turn(key), {class: 'plain'}))]));
  const {node: whole, body} = taskTable('Tasks', 'tasks', COLUMNS.map(([label, key]) => heads.get(key) ?? label));
  const first = el('tbody', {'data-test': 'attention'});
  const others = el('tbody.dividing', {}, el('tr', {},
    el('th', {colspan: COLUMNS.length}, 'All others, by next run')));
  body.before(first, others);
  const nothing = el('p.hint', {}, 'No tasks match.');
  const back = button('Previous', 'page-before', () => turnTo(last.list.offset - last.list.limit));
  const on = button('Next', 'page-after', () => turnTo(last.list.offset + last.list.tasks.length));
  const place = el('span');
  const pages = el('nav.pages', {'aria-label': 'Pages'}, back, place, on);
  let last = null;

  const sortBy = (key, order) => go(changed({offset: '', sort: key, order: order === 'desc' ? order : ''}));
  const turnTo = offset => go(changed({offset: offset > 0 ? String(offset) : ''}));

  function turn(key) {
    const {sort: now, order} = read();
    sortBy(key, (now === key ? order !== 'desc' : key !== 'id' && key !== 'next') ? 'desc' : 'asc');
  }

  function showFilters(state) {
    search.set(state.text);
    const wanted = state.state?.split(',') ?? [];
    states.forEach((input, name) => {
      input.checked = wanted.includes(name);
    });
    const now = state.group ? `group ${state.group}` : state.scheduler ? `scheduler ${state.scheduler}` : '';
    const options = [...new Set(['', ...context.schedulers.map(one =>
      (one.group ? `group ${one.group.name}` : `scheduler ${one.name}`)), now])];
    refill(scheduler, options.join('\n'), () => options.map(value => el('option', {value}, value || 'all')));
    scheduler.value = now;
    sort.value = state.sort ? `${state.sort} ${state.order ?? 'asc'}` : '';
    heads.forEach((head, key) =>
      attribute(head, 'aria-sort', state.sort === key && (state.order === 'desc' ? 'descending' : 'ascending')));
  }

  /** Rows stay while the table has the pointer or the focus, so that a click hits its row. */
  function inHeldOrder(rows, into) {
    const {isCollapsed, anchorNode} = getSelection();
    const isIn = [first, body].some(part =>
      part.matches(':hover') || part.contains(document.activeElement) || (!isCollapsed && part.contains(anchorNode)));
    if (!isIn || location.search !== last?.search) {
      return rows;
    }
    const rank = new Map(keysOf(into).map((key, at) => [key, at]));
    const rankOf = task => rank.get(keyOf(task)) ?? rank.size;
    const sorted = [...rows].sort((one, other) => rankOf(one) - rankOf(other));
    if (sorted.some((task, at) => task !== rows[at])) {
      show(held, true);
    }
    return sorted;
  }

  return {
    node: el('div', {'data-test': 'view-tasks'}, panel('Tasks', found,
      el('div.filters', {role: 'search'}, search.node,
        el('label', {for: 'scheduler'}, 'Scheduler'), scheduler, el('label', {for: 'sort'}, 'Order'), sort,
        el('fieldset.chips', {}, el('legend', {}, 'State'),
          STATES.map(name => el('label', {}, states.get(name), el('span', {}, wordOf(name)))))),
      bulk, held, whole, nothing, pages)),
    async load(state, signal) {
      showFilters(state);
      const {scheduler: of, group, text: part, state: states, sort = 'urgency', order, offset, limit = LIMIT} = state;
      if (context.schedulers.length === 0 && (of || group)) {
        context.schedulers = (await get(context.path(), {limit: 0}, signal)).schedulers;
      }
      const filter = {scheduler: of, group, text: part, state: states};
      // What is found in some schedulers says nothing of the others.
      const asked = of || group ? '' : 'findings';
      const list = await context.list({...filter, show: asked, sort, order, offset, limit}, signal);
      return {list, state, filter, search: location.search};
    },
    show(data) {
      const {list, state, filter} = data;
      const {offset, total, limit} = list;
      if (offset > 0 && offset >= total) {
        // The last page, as tasks have gone or the address is an old one.
        go(changed({offset: String(Math.max(0, Math.ceil(total / limit) - 1) * limit || '')}), true);
        return;
      }
      const end = offset + list.tasks.length;
      showFilters(state);
      show(held, false);
      const isUrgent = task => !state.sort && needsALook(task);
      const upper = inHeldOrder(list.tasks.filter(isUrgent), first);
      const lower = inHeldOrder(list.tasks.filter(task => !isUrgent(task)), body);
      last = data;
      keyed(first, upper, keyOf, () => taskRow(context, () => last.list.now));
      keyed(body, lower, keyOf, () => taskRow(context, () => last.list.now));
      show(first, upper.length);
      show(others, upper.length && lower.length);
      show(whole, total > 0);
      show(nothing, total === 0);
      text(found, filterWords(filter, total)
        + (upper.length && lower.length && !offset ? `; ${count(upper.length)} overdue or failing` : ''));
      show(pages, offset > 0 || end < total);
      text(place, `${count(Math.min(total, offset + 1))}–${count(end)} of ${count(total)}`);
      back.disabled = offset === 0;
      on.disabled = end >= total;
      refill(bulk, `${context.isSteering}${total}`, () => (total > 0
        ? [`All ${count(total)} found:`, ...Object.keys(ACTIONS).map(action =>
          button(`${label(action)}…`, `bulk-${action}`, () => steerAll(action),
            {title: context.isSteering ? ACTIONS[action] : READ_ONLY, disabled: !context.isSteering}))]
        : []));
    },
    close: search.close
  };

  /** Steers all matching tasks: shows their number first, and refusals afterwards. */
  async function steerAll(action) {
    const {filter, list: {total}} = last;
    const answer = await act({
      path: context.path(),
      body: {of: 'tasks', action, ...filter, expected: total},
      done: `${label(action)}: sent to ${plural(total, 'task')}`,
      question: {
        title: `${label(action)} ${plural(total, 'task')}?`,
        lines: [`${filterWords(filter, total)}.`, ACTIONS[action],
          'If the number of matching tasks has changed, nothing happens.'],
        label: `${label(action)} ${count(total)}`,
        kind: action === 'resume' || action === 'trigger' ? 'primary' : 'danger'
      }
    });
    if (answer) {
      showRefusals(action, answer);
    }
  }
}

function showRefusals(action, {matched, done, refused, refusals}) {
  const {body} = dialog(`${label(action)}: ${count(done)} of ${count(matched)} done`, 'bulk-result');
  const rows = listing('Refused', ['Task', 'Scheduler', 'Why'], 'refusals');
  rows.set(refusals, keyOf, one => [one.id, one.scheduler, one.error]);
  body.append(el('p', {}, refused === 0 ? `All ${count(matched)} ${DONE[action]}.`
    : `${plural(refused, 'task')} refused`
    + (refusals.length < refused ? `; the first ${refusals.length}:` : ':')), rows.node);
}
