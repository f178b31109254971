// The next 24 hours: how much starts when, and what starts together.
import {ofTask} from './address.js';
import {el, keyed, listing, panel, refill, text} from './dom.js';
import {clock, count, HERE, inWords, joined, plural, relative} from './format.js';
import {dayLine, daySlots} from './strips.js';
import {filterWords, idParts, keyOf, searchField} from './task-rows.js';

const LIMIT = 25;
const FRESH_MILLIS = 60_000;

/** The next day, read anew only now and then: of all that this page asks, it costs the server most. */
export async function readDay(context, filter, signal) {
  const key = JSON.stringify(filter);
  if (context.day?.key !== key || Date.now() - context.day.readMillis > FRESH_MILLIS) {
    const list = await context.list({...filter, show: 'day', sort: 'next', limit: LIMIT}, signal);
    context.day = {...list, key, readMillis: Date.now()};
  }
  return context.day;
}

export function day(context) {
  const line = dayLine();
  const notes = el('p.hint');
  const together = listing('Tasks that start in the same second', ['At', 'When', 'Start together', 'Which'],
    'together', 'No two of them start in the same second.');
  const rows = el('ul.day-rows');
  const found = el('p.found', {role: 'status'});
  const search = searchField('day-search');
  let lines = null;
  return {
    node: el('div', {},
      panel('The next 24 hours', found, el('div.filters', {role: 'search'}, search.node), line.node, notes),
      panel('What starts together', null, together.node),
      panel(`Task by task, the next ${LIMIT} to run`, null, rows)),
    async load({text: part, scheduler, group, state}, signal) {
      search.set(part);
      const filter = {text: part, scheduler, group, state};
      const counted = await readDay(context, filter, signal);
      return {counted, filter};
    },
    show({counted: {day: shown, tasks, total, now}, filter, list}) {
      text(found, filterWords(filter, total));
      line.update(shown);
      text(notes, joined([`Times of ${HERE}, counted ${relative(now, list.now)}.`,
        shown.cut && 'It was cut: the server takes only so much time for it, and there are more runs than you see.',
        shown.untold > 0 && `Of ${plural(shown.untold, 'trigger')} of its own, only the next run is known.`], ' '));
      together.set(shown.together, one => one.at, one => [
        clock(one.at, list.now), relative(one.at, list.now), count(one.count),
        el('span.ids', {}, one.ids.map(id => el('a', {href: ofTask({id})}, id)),
          one.ids.length < one.count && `and ${count(Number(one.count) - one.ids.length)} more`)]);
      lines = new Map(shown.tasks.map(one => [keyOf(one), one]));
      keyed(rows, tasks, keyOf, () => {
        const [link, words, slots] = [el('a.id'), el('span.sub'), daySlots(shown.totals.length)];
        return {
          node: el('li', {}, el('div', {}, link, words), slots.node),
          update(task) {
            const own = lines.get(keyOf(task));
            link.href = ofTask(task);
            refill(link, task.id, () => idParts(task.id));
            text(words, inWords(task.schedule) + (own?.cut ? ', cut' : ''));
            slots.update(own?.slots ?? []);
          }
        };
      });
    },
    close: search.close
  };
}
