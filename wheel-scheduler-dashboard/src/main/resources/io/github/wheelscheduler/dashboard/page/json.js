// Reads JSON so that integers beyond 2^53 stay what they are: those become BigInt.

let knowsSource = false;
JSON.parse('1', (key, value, context) => {
  knowsSource = context?.source === '1';
});

export const parse = json => (knowsSource ? JSON.parse(json, (key, value, {source}) =>
  (typeof value === 'number' && isLong(source) ? BigInt(source) : value)) : parseMarked(json));

const isLong = source => !Number.isSafeInteger(Number(source)) && ![...'.eE'].some(char => source.includes(char));

/** For browsers that do not tell how a number was written. */
export function parseMarked(json) {
  const mark = `${crypto.getRandomValues(new Uint32Array(2)).join('-')}:`;
  let marked = '';
  let isText = false;
  for (let at = 0, end; at < json.length; at = end) {
    end = at + 1;
    if (json[at] === '"') {
      isText = !isText;
    } else if (isText && json[at] === '\\') {
      end++;
    } else if (!isText) {
      while ('0123456789+-.eE'.includes(json[at]) && '0123456789+-.eE'.includes(json[end] ?? '!')) {
        end++;
      }
    }
    const part = json.slice(at, end);
    marked += end - at > 15 && isLong(part) ? `"${mark}${part}"` : part;
  }
  return JSON.parse(marked, (key, value) =>
    (typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value));
}
