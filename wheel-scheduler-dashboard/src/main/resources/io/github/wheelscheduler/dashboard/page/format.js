// Writes durations, instants and counts, which come as in ISO 8601, as people do.

export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

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
    return given < 0 ? `−${duration(-given)}` : '0 s';
  }
  for (const [factor, unit, end] of SMALL) {
    const scaled = given * factor;
    const rounded = scaled < 10 ? Math.round(scaled * 10) / 10 : Math.round(scaled);
    if (rounded < end) {
      return `${rounded} ${unit}`;
    }
  }
  const [size, unit, small, smallUnit] = LARGE.find(([least]) => given >= least) ?? LARGE.at(-1);
  const total = Math.round(given / small) * small;
  const rest = Math.round(total % size / small);
  return `${count(Math.floor(total / size))} ${unit}${rest ? ` ${rest} ${smallUnit}` : ''}`;
}

export const lasting = iso => duration(seconds(iso));

/** What there is of some texts, with commas in between. */
export const joined = (texts, by = ', ') => texts.filter(Boolean).join(by);

/** A count with commas, exact also beyond 2^53. */
export const count = value => value?.toLocaleString('en') ?? '–';

/** "1 task", "2 tasks". */
export const plural = (value, word) => `${count(value)} ${word}${Number(value) === 1 ? '' : 's'}`;

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

/** Only the time if the instant is on the day of the other. */
export function clock(iso, now) {
  const [day, time] = instant(iso).split(' ');
  return instant(now).startsWith(day) ? time : `${day} ${time}`;
}

/** "in 4 s" or "4 s ago", seen from an instant of the server. */
export function relative(iso, now) {
  if (iso == null) {
    return '–';
  }
  const distance = (Date.parse(iso) - Date.parse(now)) / 1000;
  const rough = duration(Math.abs(Math.abs(distance) < 10 ? distance : Math.round(distance)));
  return distance === 0 ? 'now' : distance > 0 ? `in ${rough}` : `${rough} ago`;
}

const KINDS = {fixedRate: 'fixed rate', fixedDelay: 'fixed delay'};

export const written = ({kind, text, zone}) => `${KINDS[kind] ?? kind} ${text}${zone ? `, ${zone}` : ''}`;

export const inWords = schedule => schedule.words ?? written(schedule);
