// Writes durations, instants and counts, which come as in ISO 8601, as people do.

export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Keeps a number and its unit on one line. */
const NBSP = '\u00a0';

/** The same in a sentence that the server has written. */
export const unbroken = sentence =>
  sentence.replace(/(\d) (?=(?:[nµm]?s|min|h|d|runs?|tasks?|times?|workers?)\b|%)/g, `$1${NBSP}`);

const ISO = /^(-)?P(?:(-?[\d.]+)D)?(?:T(?:(-?[\d.]+)H)?(?:(-?[\d.]+)M)?(?:(-?[\d.]+)S)?)?$/;

/** The seconds of a duration such as `PT1M0.5S`; null if it is none. */
export function seconds(iso) {
  const parts = ISO.exec(iso ?? '');
  const sum = parts && [86400, 3600, 60, 1].reduce((all, size, at) => all + size * (parts[at + 2] ?? 0), 0);
  return parts?.[1] ? -sum : sum;
}

const SMALL = [[1e9, 'ns', 1000], [1e6, 'µs', 1000], [1e3, 'ms', 1000], [1, 's', 60]];
const LARGE = [[86400, 'd', 3600, 'h'], [3600, 'h', 60, 'min'], [60, 'min', 1, 's']];

/** Seconds as in "1.2 ms" and "3 min 20 s". */
export function duration(given) {
  if (given == null) {
    return '–';
  }
  if (given <= 0) {
    return given < 0 ? `−${duration(-given)}` : `0${NBSP}s`;
  }
  for (const [factor, unit, end] of SMALL) {
    const scaled = given * factor;
    const rounded = scaled < 10 ? Math.round(scaled * 10) / 10 : Math.round(scaled);
    if (rounded < end) {
      return `${rounded}${NBSP}${unit}`;
    }
  }
  const [size, unit, small, smallUnit] = LARGE.find(([least]) => given >= least) ?? LARGE.at(-1);
  const total = Math.round(given / small) * small;
  const rest = Math.round(total % size / small);
  return `${count(Math.floor(total / size))}${NBSP}${unit}${rest ? `${NBSP}${rest}${NBSP}${smallUnit}` : ''}`;
}

export const lasting = iso => duration(seconds(iso));

/** What there is of some texts, with commas in between. */
export const joined = (texts, by = ', ') => texts.filter(Boolean).join(by);

/** A count with commas, exact also beyond 2^53. */
export const count = value => value?.toLocaleString('en') ?? '–';

/** "1 task", "2 tasks". */
export const plural = (value, word) => `${count(value)}${NBSP}${word}${Number(value) === 1 ? '' : 's'}`;

const formats = new Map();

/** Date and time in a zone that the browser knows. */
export function instant(iso, zone = HERE) {
  if (iso == null) {
    return '–';
  }
  try {
    if (!formats.has(zone)) {
      // Swedish writes dates as ISO 8601 does.
      formats.set(zone, new Intl.DateTimeFormat('sv-SE', {timeZone: zone, dateStyle: 'short', timeStyle: 'medium'}));
    }
    return formats.get(zone).format(Date.parse(iso));
  } catch {
    return iso;
  }
}

/** Date and time here and, where it is another zone, there. */
export const inZones = (iso, zone) =>
  joined([`${instant(iso)} ${HERE}`, zone && zone !== HERE && `${instant(iso, zone)} ${zone}`], ' = ');

/** By how much the clocks of a zone are ahead of UTC, in milliseconds. */
const offsetOf = (iso, zone) => Date.parse(`${instant(iso, zone).replace(' ', 'T')}Z`) - Math.floor(Date.parse(iso) / 1000) * 1000;

/** For each run, in order, what a clock change in the zone does to it; empty where nothing. */
export function clockChanges(runs, zone) {
  return runs.map((run, at) => {
    if (!zone || at === 0) {
      return '';
    }
    const change = offsetOf(run, zone) - offsetOf(runs[at - 1], zone);
    const isTwice = runs.slice(0, at).some(before => instant(before, zone) === instant(run, zone));
    return isTwice ? 'second run at this local time: the clocks go back' : change < 0 ? 'after the clocks have gone back'
      : change > 0 ? 'after the clocks have gone forward' : '';
  });
}

/** Local times that a zone skips, each before the run that follows: `[{local, before}]`. */
export const skippedBefore = (skipped, runs, zone) => (skipped ?? []).map(local => {
  const written = local.replace('T', ' ').padEnd(19, ':00');
  return {local: written, before: runs.findIndex(run => instant(run, zone) > written)};
});

/** Only the time if the instant is on the day of the other. */
export function clock(iso, now) {
  const [day, time] = instant(iso).split(' ');
  return instant(now).startsWith(day) ? time : `${day} ${time}`;
}

/** How long ago something happened: 0 s if it did after the server had read its clock. */
export function since(iso, now) {
  const passed = Math.max(0, Date.parse(now) - Date.parse(iso)) / 1000;
  return duration(passed < 10 ? passed : Math.round(passed));
}

export const ago = (iso, now) => `${since(iso, now)} ago`;

/** "in 4 s" or "4 s ago", seen from an instant of the server. */
export function relative(iso, now) {
  if (iso == null) {
    return '–';
  }
  const ahead = Date.parse(iso) - Date.parse(now);
  return ahead === 0 ? 'now' : ahead > 0 ? `in${NBSP}${since(now, iso)}` : ago(iso, now);
}

/** An instant as a fact: how far away it is, and when; `none` where there is none. */
export const dated = (iso, now, ...none) => (iso ? [relative(iso, now), instant(iso)] : none);

/** The same in one line. */
export const when = (iso, now) => (iso ? `${relative(iso, now)}, ${clock(iso, now)}` : '–');

/** Jargon, and what it means. */
export const TERMS = {
  'Tick thread': 'Turns the wheel and hands due runs to the workers. Oversleep: how much later than planned it woke up.',
  'Lateness': 'How late runs start: late off the wheel, or waiting for a worker.',
  'Late': 'How late the next run is by now',
  'Late by': 'How late the next run is by now',
  'Mean lateness': 'How late handlers were called on average',
  'Next wake-up': 'When the tick thread wakes up next, usually for the next timer',
  'Timers pending': 'Timers waiting for their time or for a worker',
  'Skipped': 'Due runs that did not take place',
  'Missed': 'Runs that came due while the task or the scheduler was busy and were not caught up on',
  'Overruns': 'Runs that took longer than the interval to the next',
  'Claimed': 'Reserved by a node, which runs them when they are due',
  'Clock uncertainty': 'How far the node may be off in its estimate of the database clock',
  'Released': 'Claimed tasks returned so that another node can start them sooner',
  'Taken over': 'Tasks of dead nodes released by this node',
  'Lost': 'Claimed tasks that another node owned when they were due'
};

export const lower = word => word.toLowerCase().replace('_', ' ');

const KINDS = {fixedRate: 'fixed rate', fixedDelay: 'fixed delay'};

export const written = ({kind, text, zone}) => `${KINDS[kind] ?? kind} ${text}${zone ? `, ${zone}` : ''}`;

export const inWords = schedule => unbroken(schedule.words ?? written(schedule));
