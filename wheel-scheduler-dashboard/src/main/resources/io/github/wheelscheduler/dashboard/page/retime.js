// Another schedule for a task: entered, looked at before it holds, and then sent.
import {explain, post, Problem} from './api.js';
import {button, el, show, text} from './dom.js';
import {HERE, instant, relative} from './format.js';
import {act, dialog} from './steer.js';

const KINDS = {
  fixedRate: ['Fixed rate', 'every so long, such as 5s or PT5M'],
  fixedDelay: ['Fixed delay', 'so long after the end of each run, such as 5s'],
  cron: ['Cron', 'seconds to weekdays, such as 0 0 9 * * MON-FRI'],
  once: ['Once', 'at an instant, such as 2030-01-01T12:00:00Z']
};

/** Opens the dialog. Durable tasks run on no instant, and their server shows nothing in advance: `isDurable`. */
export async function retime({path, id, scheduler, schedule, now, isDurable}) {
  const kinds = Object.keys(KINDS).filter(kind => !isDurable || kind !== 'once');
  const kind = el('select', {id: 'kind', 'data-test': 'retime-kind', onchange: changed},
    kinds.map(one => el('option', {value: one}, KINDS[one][0])));
  const value = el('input', {id: 'value', 'data-test': 'retime-value', autocomplete: 'off', spellcheck: 'false',
    'aria-describedby': 'value-hint', oninput: changed});
  const hint = el('p.hint', {id: 'value-hint'});
  const zone = el('input', {id: 'zone', list: 'zones', 'data-test': 'retime-zone', autocomplete: 'off', placeholder: HERE, oninput: changed});
  const zoneRow = el('div.field', {}, el('label', {for: 'zone'}, 'Zone, if not that of the task'), zone,
    el('datalist', {id: 'zones'}, (Intl.supportedValuesOf?.('timeZone') ?? []).map(one => el('option', {value: one}))));
  const result = el('div.preview', {role: 'status', 'data-test': 'retime-preview'});
  const opened = dialog(`Re-time ${id}`, 'retime-dialog', [{label: 'Re-time', value: 'yes'}]);
  const confirm = opened.row.lastChild;
  const look = button('Preview', 'preview', preview);
  opened.row.insertBefore(look, confirm);
  opened.body.append(
    el('div.field', {}, el('label', {for: 'kind'}, 'Kind'), kind),
    el('div.field', {}, el('label', {for: 'value'}, 'Schedule'), value, hint), zoneRow, result);
  if (kinds.includes(schedule?.kind)) {
    kind.value = schedule.kind;
    value.value = schedule.text;
  }
  changed();
  show(look, !isDurable);

  function wanted() {
    return {action: 'retime', scheduler, [kind.value]: value.value.trim(),
      ...(kind.value === 'cron' && zone.value.trim() ? {zone: zone.value.trim()} : {})};
  }

  /** What has been looked at no longer is what would be sent. */
  function changed() {
    text(hint, KINDS[kind.value][1]);
    show(zoneRow, kind.value === 'cron');
    result.replaceChildren();
    confirm.disabled = !isDurable || value.value.trim() === '';
  }

  async function preview() {
    const asked = JSON.stringify(wanted());
    try {
      const {json} = await post(path, {...wanted(), preview: true});
      if (asked === JSON.stringify(wanted())) {
        confirm.disabled = false;
        result.replaceChildren(el('strong', {}, json.words), el('ol', {}, json.upcoming.map(one =>
          el('li', {}, `${instant(one)}, ${relative(one, now)}`))), el('p.hint', {}, `Times of ${HERE}.`));
      }
    } catch (problem) {
      if (!(problem instanceof Problem)) {
        throw problem;
      }
      const {title, text: words} = explain(problem, true);
      result.replaceChildren(el('p.error-text', {'data-test': 'retime-error'}, `${title}. ${words}`));
    }
  }

  if (await opened.closed === 'yes') {
    await act({path, body: wanted(), done: `${id} is re-timed`});
  }
}
