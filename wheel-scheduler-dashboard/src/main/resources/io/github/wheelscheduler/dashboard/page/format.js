// Writes durations, instants and counts as people do. Instants and durations come as in ISO 8601.

const ISO_DURATION = /^(-)?P(?:(-?[\d.]+)D)?(?:T(?:(-?[\d.]+)H)?(?:(-?[\d.]+)M)?(?:(-?[\d.]+)S)?)?$/;

/** The zone of the browser. */
export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The seconds of a duration such as `PT1M0.5S`; null if it is none. */
export function seconds(iso) {
  const parts = ISO_DURATION.exec(iso ?? '');
  if (!parts) {
    return null;
  }
  const [days, hours, minutes, rest] = parts.slice(2).map(part => Number(part ?? 0));
  return (parts[1] ? -1 : 1) * (days * 86400 + hours * 3600 + minutes * 60 + rest);
}

const SMALL = [[1e9, 'ns', 1000], [1e6, 'µs', 1000], [1e3, 'ms', 1000], [1, 's', 60]];
const LARGE = [[60, 'min', 's', 1], [3600, 'h', 'min', 60], [86400, 'd', 'h', 3600]];

/** Seconds as in "1.2 ms" and "3 min 20 s". */
export function duration(given) {
  if (given == null) {
    return '–';
  }
  const value = Math.abs(given);
  const sign = given < 0 ? '−' : '';
  if (value === 0) {
    return '0 s';
  }
  for (const [factor, unit, end] of SMALL) {
    const scaled = value * factor;
    const rounded = scaled < 10 ? Math.round(scaled * 10) / 10 : Math.round(scaled);
    if (rounded < end) {
      return `${sign}${rounded} ${unit}`;
    }
  }
  const [size, unit, restUnit, restSize] = LARGE.findLast(([least]) => value >= least - 0.5) ?? LARGE[0];
  const total = Math.round(value / restSize) * restSize;
  const rest = Math.floor((total % size) / restSize);
  return `${sign}${count(Math.floor(total / size))} ${unit}${rest ? ` ${rest} ${restUnit}` : ''}`;
}

/** A duration as the server has written it, as in "1.2 ms". */
export function lasting(iso) {
  return duration(seconds(iso));
}

/** A count with commas, exact also beyond 2^53. */
export function count(value) {
  return value == null ? '–' : value.toLocaleString('en');
}

/** "1 task", "2 tasks". */
export function plural(value, one, many = `${one}s`) {
  return `${count(value)} ${Number(value) === 1 ? one : many}`;
}

const formats = new Map();

function format(zone) {
  if (!formats.has(zone)) {
    let made = null;
    try {
      // Swedish writes dates as ISO 8601 does.
      made = new Intl.DateTimeFormat('sv-SE', {timeZone: zone, dateStyle: 'short', timeStyle: 'medium'});
    } catch {
      // A zone that the server knows and this browser does not.
    }
    formats.set(zone, made);
  }
  return formats.get(zone);
}

/** Date and time in a zone; as the server has written it if the browser does not know the zone. */
export function instant(iso, zone = HERE) {
  if (iso == null) {
    return '–';
  }
  return format(zone)?.format(Date.parse(iso)) ?? iso;
}

/** Only the time if the instant is on the day of the other. */
export function clock(iso, now) {
  const whole = instant(iso);
  return whole.slice(0, 10) === instant(now).slice(0, 10) ? whole.slice(11) : whole;
}

/** "in 4 s" or "4 s ago", seen from an instant of the server. */
export function relative(iso, now) {
  if (iso == null) {
    return '–';
  }
  const distance = (Date.parse(iso) - Date.parse(now)) / 1000;
  const size = Math.abs(distance);
  if (size < 0.0005) {
    return 'now';
  }
  const rough = duration(size < 10 ? size : Math.round(size));
  return distance > 0 ? `in ${rough}` : `${rough} ago`;
}

const KINDS = {fixedRate: 'fixed rate', fixedDelay: 'fixed delay', cron: 'cron', once: 'once', trigger: 'trigger'};

/** A schedule as it is written in the code. */
export function written(schedule) {
  const zone = schedule.zone ? `, ${schedule.zone}` : '';
  return `${KINDS[schedule.kind] ?? schedule.kind} ${schedule.text}${zone}`;
}

/** A schedule in words; a server of before, or a trigger, has none. */
export function inWords(schedule) {
  return schedule.words ?? written(schedule);
}
