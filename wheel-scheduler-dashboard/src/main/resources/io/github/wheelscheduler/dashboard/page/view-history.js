// History: a range of time, its runs, failures by kind, and who steered; and what it knows of a task.
import {changed, go, ofTask, to} from './address.js';
import {explain, get, Problem, seldom} from './api.js';
import {badge, button, el, factsOf, instantIn, listing, panel, putInstant, show, text} from './dom.js';
import {ofDurableTask} from './durable-search.js';
import {count, dated, HERE, instant, joined, lasting, lower, plural} from './format.js';
import {dialog, label, withTrace} from './steer.js';
import {runs, timeLine} from './strips.js';
import {filterFields} from './task-rows.js';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
const FRESH_MILLIS = 60_000;
const TASK_FRESH_MILLIS = 5000;
const MOST_RUNS = 100;

/** Of kinds of failures and of the audit; of runs, too, on a phone, whose page stays short so. */
const LIMIT = 20;
const PHONE_WIDTH = 860;

/** Hours are kept for a month. */
const MOST_DAYS = 31;

/** Ranges by their names in the address. */
const RANGES = {hour: 'Last hour', night: 'Last night 02:00–03:00', day: 'Last 24 hours'};

/** How outcomes look and are said that are no warnings, or not said by their names. */
const BADGES = {SUCCESS: 'ok', FAILURE: 'failing', INTERRUPTED: 'failing', GIVEN_UP: 'failing', SKIPPED: 'paused',
  CANCELLED: 'over'};
const WORDS = {SUCCESS: 'succeeded', FAILURE: 'failed', GIVEN_UP: 'failed permanently', PUT_ASIDE: 'unreadable'};

const OUTCOMES = {'': 'any', success: 'succeeded', 'failure,interrupted,given_up': 'failed',
  'skipped,missed,rejected,cancelled,put_aside,taken_over': 'did not run'};

/** Parts of a bar from its foot: colour and word. */
const PARTS = {failed: ['fault', 'failed'], notRun: ['idle', 'did not run'], succeeded: ['well', 'succeeded']};

const DETAILS = {paused: 'it was paused', running: 'it was still running', full: 'its group was full',
  down: 'no node was up'};

const pathTo = (context, ...parts) => [context.settings.endpoints.wheelhistory.path, ...parts].join('/');

const isThere = context => context.settings.endpoints.wheelhistory?.exposed;

function iso(millis) {
  if (Number.isNaN(new Date(millis).getTime())) {
    throw new Problem('bad', 0);
  }
  return new Date(millis).toISOString();
}

/** An hour of the browser's clock on the day of an instant, or so many days before. */
function hourOf(now, hour, daysBefore = 0) {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysBefore, hour).getTime();
}

/** The range that an address means, in milliseconds. */
function rangeOf({range, from, to: until}, now) {
  if (from || until) {
    const end = until ? Date.parse(until) : now;
    return [from ? Date.parse(from) : end - DAY_MILLIS, end];
  }
  if (range !== 'night') {
    return [now - (range === 'hour' ? HOUR_MILLIS : DAY_MILLIS), now];
  }
  const daysBefore = hourOf(now, 3) > now ? 1 : 0;
  const [begin, end] = [2, 3].map(hour => hourOf(now, hour, daysBefore));
  // In a night whose clocks skip that hour, both are the same.
  return [Math.min(begin, end - HOUR_MILLIS), end];
}

const between = ([from, until], more) => ({from: iso(from), to: iso(until), ...more});

const wholeHours = (from, until) =>
  [Math.floor(from / HOUR_MILLIS) * HOUR_MILLIS, Math.ceil(until / HOUR_MILLIS) * HOUR_MILLIS];

/** The hours of the line: the last 24, or those around an older range. */
function hoursAround([from, until], now) {
  const aside = Math.max(0, DAY_MILLIS - (until - from)) / 2;
  const end = from >= now - DAY_MILLIS ? now : Math.min(now, until + aside);
  return wholeHours(Math.max(Math.min(from, end - DAY_MILLIS), end - MOST_DAYS * DAY_MILLIS), end);
}

const outcomeOf = ({outcome, runs: many}) => badge(BADGES[outcome] ?? 'warning',
  joined([WORDS[outcome] ?? lower(outcome), many > 1 && plural(many, 'run')], ': '));

/** Durable tasks have views of their own. */
const linkTo = ({task, id, scheduler}) => el('a.id', {href: id ? ofDurableTask({handler: task, id})
  : scheduler === 'durable' ? ofDurableTask({id: task}) : ofTask({id: task, scheduler})}, joined([task, id], ' '));

const causeOf = ({cause, by, attempt}) => (cause === 'BY_HAND' ? joined(['manually', by && `by ${by}`], ' ')
  : joined([lower(cause), attempt > 1 && `attempt ${attempt}`]));

const detailsOf = row =>
  withTrace(joined([DETAILS[row.detail] ?? row.detail, joined([row.exception, row.message], ': ')]), row);

async function showTrace(path, {task, kind, type}) {
  const {body} = dialog(type, 'history-trace');
  try {
    const {trace} = await get(path, {task, kind});
    body.append(el('pre', {tabindex: 0}, trace ?? 'The stack trace is not kept.'));
  } catch (problem) {
    body.append(explain(problem).join(' '));
  }
}

/** The ranges to choose from, and two fields for another one: `{node, set(state, range)}`. */
function rangeFields(choose) {
  const chips = Object.entries(RANGES).map(([value, name]) => {
    const input = el('input', {type: 'radio', name: 'range', value, onchange: () => choose('', '', value)});
    return {input, node: el('label', {}, input, el('span', {}, name))};
  });
  const ends = ['From', 'To'].map(name => el('input', {
    id: `history-${name}`, name, type: 'datetime-local', step: 1, required: true,
    max: '9999-12-31T23:59:59',
    oninput() {
      isEdited = true;
    }}));
  let isEdited = false, shownFor = null;

  function enter() {
    if (isEdited && ends.every(input => input.reportValidity())) {
      choose(...ends.map(instantIn));
    }
  }

  return {
    node: el('div.filters', {},
      el('fieldset.chips', {}, el('legend', {}, 'Range'), chips.map(({node}) => node)),
      ends.map(input => el('div.actions', {}, el('label', {for: input.id}, input.name), input)),
      button('Show', 'history-show', enter)),
    set(state, range) {
      chips.forEach(({input}) => {
        input.checked = !state.from && !state.to && (state.range ?? 'day') === input.value;
      });
      // What is being entered is not replaced while the range stays.
      const key = [state.range, state.from, state.to].join();
      isEdited &&= key === shownFor;
      shownFor = key;
      if (!isEdited) {
        ends.forEach((input, at) => putInstant(input, iso(range[at])));
      }
    }
  };
}

export function history(context) {
  const range = rangeFields(choose);
  const line = timeLine('Hour', choose);
  const fields = filterFields(['history-task', 'task', 'Task', 'its exact id'],
    ['history-text', 'text', 'Failure', 'part of class or message'],
    ['history-outcome', 'outcome', 'Outcome', OUTCOMES]);
  const found = el('p.found', {role: 'status', 'data-test': 'history-sums'});
  const rows = listing('Runs', ['Ended', 'Task', 'Outcome', 'Took', 'Node', 'Cause', 'Details'], 'history-rows',
    'No runs match.');
  const kinds = listing('Failures by kind', ['Failure', 'Task', 'Rows', 'First', 'Last', 'Stack trace'],
    'history-kinds', 'No failures with a stack trace in these hours.');
  const moreKinds = el('p.hint');
  const audit = listing('Audit log', ['Time', 'User', 'Action', 'Task', 'Change', 'Reason', 'Node'], 'history-audit',
    'No actions in this range.');
  const next = button('Next', 'history-after', () => go(changed({after: last.page.after})));
  const nextAudit = button('Next', 'audit-after', () => go(changed({audit: last.who.after})));
  let last = null;

  function choose(from, until, name) {
    go(changed({range: name, from, to: until, after: '', audit: ''}));
  }

  function showLine(hours, [begin, end], shown) {
    const byStart = new Map(hours.map(one => [Date.parse(one.start), one]));
    const starts = Array.from({length: (end - begin) / HOUR_MILLIS}, (_, at) => begin + at * HOUR_MILLIS);
    line.update({
      from: iso(begin), slotMillis: HOUR_MILLIS, range: shown.map(at => (at - begin) / HOUR_MILLIS),
      slots: starts.map(start => Object.entries(PARTS).map(([key, [colour, word]]) =>
        [colour, Number(byStart.get(start)?.[key] ?? 0), word]))
    });
    const [first, beyond] = wholeHours(...shown);
    const inRange = hours.filter(({start}) => Date.parse(start) >= first && Date.parse(start) < beyond);
    const sum = key => inRange.reduce((all, one) => all + Number(one[key]), 0);
    text(found, joined([plural(sum('succeeded') + sum('failed'), 'run'),
      sum('failed') && `${count(sum('failed'))} failed`, sum('notRun') && `${count(sum('notRun'))} did not run`,
      shown[0] < begin && `in the last ${MOST_DAYS} days of the range`]));
  }

  return {
    node: el('div', {},
      panel('History', found, range.node, line.node,
        el('p.shades', {}, Object.values(PARTS).map(([colour, word]) => el('span', {}, el(`i.${colour}`), word))),
        el('p.hint', {}, `Times are in ${HERE}. Drag on the line to choose hours. Totals and failures by kind are of `
          + 'whole hours and up to 60 s old. Tasks that run often have more runs than rows.')),
      panel('Runs', null, el('div.filters', {role: 'search'}, fields.nodes), rows.node, el('div.pages', {}, next)),
      panel('Failures by kind', null, kinds.node, moreKinds),
      panel('Audit log', null, audit.node, el('div.pages', {}, nextAudit))),
    async load(state, signal) {
      if (!isThere(context)) {
        throw new Problem('noHistory', 0);
      }
      const list = await context.list({show: 'findings', limit: 0}, signal);
      const now = Date.parse(list.now);
      const shown = rangeOf(state, now);
      const hours = hoursAround(shown, now);
      const {task, outcome, text: part, after} = state;
      return {
        list, state, shown, hours,
        page: await get(pathTo(context), between(shown,
          {task, outcome, text: part, after, limit: innerWidth <= PHONE_WIDTH && LIMIT}), signal),
        who: await get(pathTo(context, 'audit'), between(shown, {task, after: state.audit, limit: LIMIT}), signal),
        sums: await seldom(pathTo(context, 'sums'), between(hours, {task}), FRESH_MILLIS, signal),
        kinds: await seldom(pathTo(context, 'failures'), between(wholeHours(...shown), {task}), FRESH_MILLIS, signal)
      };
    },
    show(data) {
      last = data;
      const tracePath = pathTo(context, 'trace');
      const {state, shown, hours, page, who, sums, kinds: {failures}} = data;
      range.set(state, shown);
      fields.set(state);
      showLine(sums.hours, hours, shown);
      rows.set(page.rows, (_, at) => at, row => [instant(row.at), linkTo(row), outcomeOf(row),
        row.duration && lasting(row.duration), row.node, causeOf(row), detailsOf(row)]);
      text(next, page.readTo ? `Next: before ${instant(page.readTo)}, as 10,000 rows were read` : 'Next');
      show(next, page.after);
      text(moreKinds, failures.length > LIMIT && `Only the ${LIMIT} most frequent kinds are shown.`);
      kinds.set(failures.slice(0, LIMIT), one => `${one.task}\n${one.kind}`, one => [
        one.type, el('a.id', {href: changed({task: one.task, after: '', audit: ''})}, one.task), count(one.rows),
        instant(one.first), instant(one.last),
        button('Show', 'history-show-trace', () => showTrace(tracePath, one))]);
      audit.set(who.entries, (_, at) => at, one => [
        instant(one.at), `${one.who ?? 'unknown user'}, ${one.channel}`,
        el('span', {}, label(one.action || 'nothing'), ' ', one.refusal && badge('failing', 'refused')),
        joined([one.task ?? one.scheduler, one.instance], ' '),
        one.refusal ?? joined([...new Set([one.from, one.to])], ' → '), one.reason, one.node]);
      show(nextAudit, who.after);
    }
  };
}

/** A part of the view of a task, hidden without a history. It reads on its own, so a slow history holds up nothing. */
export function past(context, id) {
  const facts = factsOf();
  const strip = runs(MOST_RUNS);
  const drawn = el('div', {}, facts.node, strip.node);
  const note = el('p.hint', {'data-test': 'past-note'});
  const node = panel('History', el('a', {href: to({view: 'history', task: id})}, 'All runs'), drawn, note);
  node.dataset.test = 'past';
  let known = {rows: [], said: 'Loading…'};
  let at = null, isReading = false, readMillis = 0;

  async function read() {
    const [pathOfTask, pathOfRows] = [pathTo(context, 'task'), pathTo(context)];
    isReading = true;
    try {
      const {summary} = await get(pathOfTask, {task: id});
      const {rows} = await get(pathOfRows, {task: id, limit: MOST_RUNS});
      const isKnown = rows.length > 0 || summary.lastSuccess || summary.lastFailure;
      known = {summary: isKnown && summary, rows, said: !isKnown && 'No runs are recorded.'};
    } catch (problem) {
      known.said = problem.kind === 'otherNode' ? known.said : explain(problem).join(' ');
    } finally {
      isReading = false;
      readMillis = Date.now();
      draw();
    }
  }

  function draw() {
    const {summary, rows, said} = known;
    show(drawn, summary);
    text(note, said);
    if (summary) {
      facts.set({
        'Failing since': dated(summary.failingSince, at, 'not failing'),
        'Last success': dated(summary.lastSuccess, at, 'none recorded'),
        'Last failure': dated(summary.lastFailure, at, 'none recorded'),
        'Succeeded': [count(summary.successes)],
        'Failed': [count(summary.failures)],
        'Did not run': [count(summary.notRun)]
      });
      strip.update(rows);
    }
  }

  return {
    node,
    update(now) {
      at = now;
      show(node, isThere(context));
      draw();
      if (isThere(context) && !isReading && Math.abs(Date.now() - readMillis) >= TASK_FRESH_MILLIS) {
        read();
      }
    }
  };
}
