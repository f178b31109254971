// Reads JSON so that integers beyond 2^53 stay what they are: those become BigInt.

const knowsSource = (() => {
  let known = false;
  JSON.parse('1', (key, value, context) => {
    known = context?.source === '1';
    return value;
  });
  return known;
})();

/** Reads a text; throws a SyntaxError if it is no JSON. */
export function parse(json) {
  return knowsSource ? JSON.parse(json, exact) : parseMarked(json);
}

function exact(key, value, context) {
  return typeof value === 'number' && !Number.isSafeInteger(value) && isInteger(context.source)
    ? BigInt(context.source)
    : value;
}

function isInteger(source) {
  return !source.includes('.') && !source.includes('e') && !source.includes('E');
}

/** For browsers that do not tell how a number was written: such integers are marked as texts before they are read. */
export function parseMarked(json) {
  const mark = `${crypto.getRandomValues(new Uint32Array(2)).join('-')}:`;
  let marked = '';
  let copied = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') {
      isText = !isText;
    } else if (isText) {
      at += char === '\\' ? 1 : 0;
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      let end = at + 1;
      while (end < json.length && '0123456789+-.eE'.includes(json[end])) {
        end++;
      }
      const number = json.slice(at, end);
      if (isInteger(number) && !Number.isSafeInteger(Number(number))) {
        marked += `${json.slice(copied, at)}"${mark}${number}"`;
        copied = end;
      }
      at = end - 1;
    }
  }
  marked += json.slice(copied);
  return JSON.parse(marked, (key, value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value);
}
