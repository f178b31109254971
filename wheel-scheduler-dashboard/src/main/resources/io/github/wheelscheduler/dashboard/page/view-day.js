// Tonight: tasks of the next 24 hours with their last success, without frequent ones.
import {changed, go, ofTask, to} from './address.js';
import {attribute, badge, el, folded, keyed, listing, panel, refill, show, text} from './dom.js';
import {clock, count, HERE, instant, inWords, joined, plural, relative} from './format.js';
import {dayLine, daySlots} from './strips.js';
import {filterWords, idParts, keyOf, searchField} from './task-rows.js';

const LIMIT = 40;
const FRESH_MILLIS = 60_000;
const DAY_MILLIS = 86_400_000;

/** The next day, read seldom: of all requests, it costs the server most. */
export async function readDay(context, filter, signal) {
  const key = JSON.stringify(filter);
  if (context.day?.key !== key || Math.abs(Date.now() - context.day.readMillis) > FRESH_MILLIS) {
    const list = await context.list({...filter, show: 'day', sort: 'next', limit: LIMIT}, signal);
    // These often have no next run.
    const {tasks: running} = await context.list({...filter, state: filter.state || 'running', limit: LIMIT}, signal);
    context.day = {...list, running, key, readMillis: Date.now()};
  }
  return context.day;
}

/** The second in which a task runs next. */
const secondOf = ({next}) => Math.floor(Date.parse(next) / 1000);

export function day(context) {
  const line = dayLine();
  const notes = el('p.hint');
  const together = listing('Tasks that start in the same second', ['At', 'When', 'Start together', 'Which'],
    'together', 'No two tasks start in the same second.');
  const rows = el('ul.day-rows', {'data-test': 'tonight'});
  const none = el('p.hint', {}, 'No task runs in the next 24 hours.');
  const found = el('p.found', {role: 'status', 'data-test': 'total'});
  const rest = el('p.hint', {'data-test': 'frequent'});
  const all = el('a', {href: to({view: 'tasks', sort: 'next', order: 'asc'})}, 'All by next run');
  const search = searchField('day-search');
  const often = el('input', {type: 'checkbox', id: 'often',
    onchange: () => go(changed({often: often.checked ? 'yes' : ''}))});
  const details = folded('Show as table', together.node, drawTogether);
  let lines, next24h, starts, now;
  return {
    node: el('div', {},
      panel('Tonight, by next run', found, el('div.filters', {role: 'search'}, search.node,
        el('span.chips', {}, el('label', {}, often, el('span', {}, 'show frequent tasks')))), none, rows, rest, all),
      panel('All runs of the next 24 hours', null, line.node, notes),
      panel('Starting in the same second', null, details.node)),
    async load({text: part, scheduler, group, state, often: isOften}, signal) {
      search.set(part);
      often.checked = Boolean(isOften);
      const filter = {text: part, scheduler, group, state, frequent: isOften ? undefined : 'false'};
      const counted = await readDay(context, filter, signal);
      return {counted, filter};
    },
    show({counted: {day: shown, tasks, running, total, frequent, now: countedAt}, filter, list}) {
      ({now} = list);
      text(found, filterWords(filter, total));
      line.update(shown);
      text(notes, joined([`Times in ${HERE}, counted ${relative(countedAt, now)}.`,
        shown.cut && 'Incomplete: counting took too long, so there are more runs than shown.',
        shown.untold > 0 && `Of ${plural(shown.untold, 'custom trigger')}, only the next run is known.`], ' '));
      next24h = shown;
      details.update();
      lines = new Map(shown.tasks.map(one => [keyOf(one), one]));
      const tonight = tasks.filter(({next}) => next && Date.parse(next) - Date.parse(now) < DAY_MILLIS);
      starts = Map.groupBy(tonight, secondOf);
      shown.together.forEach(one => starts.set(secondOf({next: one.at}), {length: Number(one.count)}));
      const known = new Set(tonight.map(keyOf));
      const listed = [...running.filter(one => one.runningSince && !one.next && !known.has(keyOf(one))), ...tonight];
      keyed(rows, listed, keyOf, row);
      show(none, listed.length === 0);
      text(rest, joined([
        frequent > 0 && `${plural(frequent, 'task')} that run${frequent === 1 ? 's' : ''} more often `
          + 'than every 10 minutes not shown.',
        total > tasks.length && `Only the next ${count(tasks.length)} to run are shown.`], ' '));
      show(all, total > tasks.length);
    },
    close: search.close
  };

  function drawTogether() {
    together.set(next24h.together, one => one.at, one => [
      clock(one.at, now), relative(one.at, now), count(one.count),
      el('span.ids', {}, one.ids.map(id => el('a', {href: ofTask({id})}, id)),
        one.ids.length < one.count && `and ${count(Number(one.count) - one.ids.length)} more`)]);
  }

  function row() {
    const [at, link, words, slots, last] = [el('span.at'), el('a.id'), el('span.sub'), daySlots(288), el('span.sub')];
    const marks = el('span.badges');
    return {
      node: el('li', {'data-test': 'tonight-task'},
        at, el('div', {}, link), el('div', {}, words, marks, last), slots.node),
      update(task) {
        const own = lines.get(keyOf(task));
        const others = task.next ? starts.get(secondOf(task)).length - 1 : 0;
        text(at, task.next ? clock(task.next, now) : 'running');
        link.href = ofTask(task);
        refill(link, task.id, () => idParts(task.id));
        refill(marks, `${others}${task.overdue}${task.last?.outcome}`, () => [
          others > 0 && badge('warning', `with ${plural(others, 'other')}`),
          task.last?.outcome === 'FAILURE' && badge('failing', 'failing')]);
        const runs = (own?.slots ?? []).reduce((sum, [, value]) => sum + Number(value), 0);
        text(words, joined([inWords(task.schedule), runs > 1 && plural(runs, 'run'), own?.cut && 'incomplete']));
        text(last, task.lastSuccess ? `last success ${relative(task.lastSuccess, now)}`
          : `no success ${context.sinceStart(now)}`);
        attribute(last, 'title', task.lastSuccess && instant(task.lastSuccess));
        slots.update(own?.slots ?? []);
      }
    };
  }
}
