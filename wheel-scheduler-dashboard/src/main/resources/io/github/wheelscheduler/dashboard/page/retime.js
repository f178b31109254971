// Another schedule for a task: entered, looked at before it holds, and then sent.
import {explain, post} from './api.js';
import {button, el, show, text} from './dom.js';
import {clockChanges, inZones, joined, relative, skippedBefore} from './format.js';
import {act, dialog} from './steer.js';

const KINDS = {
  fixedRate: ['Fixed rate', 'for example 5s or PT5M'],
  fixedDelay: ['Fixed delay', 'from the end of one run to the start of the next, for example 5s'],
  cron: ['Cron', 'for example 0 0 9 * * MON-FRI'],
  once: ['Once', 'for example 2030-01-01T12:00:00Z']
};

const field = (label, input, ...more) => el('div.field', {}, el('label', {for: input.id}, label), input, more);

/** Asks for a schedule. A durable task has no single run, and no preview. */
export async function retime({path, id, scheduler, schedule, now, isDurable, usualZone}) {
  const kinds = Object.keys(KINDS).filter(kind => !isDurable || kind !== 'once');
  const kind = el('select', {id: 'retime-kind', onchange: changed},
    kinds.map(one => el('option', {value: one}, KINDS[one][0])));
  const value = el('input', {id: 'retime-value', autocomplete: 'off', 'aria-describedby': 'hint', oninput: changed});
  const zone = el('input', {id: 'zone', list: 'zones', autocomplete: 'off',
    placeholder: usualZone ?? 'unchanged', oninput: changed});
  const hint = el('p.hint', {id: 'hint'});
  const zoneField = field('Time zone, if not that of the task', zone,
    el('datalist', {id: 'zones'}, Intl.supportedValuesOf('timeZone').map(one => el('option', {value: one}))));
  const result = el('div', {role: 'status', id: 'retime-preview'});
  const {body, row, closed, reason} = dialog(`Change the schedule of ${id}`, 'retime-dialog', 'Change schedule');
  const confirm = row.lastChild;
  confirm.before(isDurable ? '' : button('Preview', 'preview', preview));
  body.append(field('Type', kind), field('Schedule', value, hint), zoneField, result);
  if (kinds.includes(schedule?.kind)) {
    kind.value = schedule.kind;
    value.value = schedule.text;
  }
  value.focus();
  changed();

  const wanted = () => ({action: 'retime', scheduler, [kind.value]: value.value.trim(),
    zone: (kind.value === 'cron' && zone.value.trim()) || undefined});

  /** What has been looked at no longer is what would be sent. */
  function changed() {
    text(hint, KINDS[kind.value][1]);
    show(zoneField, kind.value === 'cron');
    result.replaceChildren();
    confirm.disabled = !isDurable || value.value.trim() === '';
  }

  async function preview() {
    const asked = JSON.stringify(wanted());
    let shown, isGood = false;
    try {
      const {json: {words, upcoming, skipped, zone: meant}} = await post(path, {...wanted(), preview: true});
      const marks = clockChanges(upcoming, meant);
      const gaps = skippedBefore(skipped, upcoming, meant);
      shown = [el('strong', {}, joined([words, meant])), el('ol', {}, upcoming.map((one, index) => [
        gaps.filter(gap => gap.before === index).map(gap =>
          el('li.skipped', {}, `${gap.local} ${meant} is skipped: the clocks go forward`)),
        el('li', {}, joined([inZones(one, meant), relative(one, now()), marks[index]]))]))];
      isGood = true;
    } catch (problem) {
      shown = [el('p.error', {}, explain(problem, true).join(' '))];
    }
    if (asked === JSON.stringify(wanted())) {
      confirm.disabled = !isGood;
      result.replaceChildren(...shown);
    }
  }

  if (await closed) {
    await act({path, body: {...wanted(), reason: reason()}, done: `Schedule of ${id} changed`});
  }
}
