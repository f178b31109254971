// Reads JSON; integers beyond 2^53 become BigInt. Browsers before 2025 round them.

export const parse = json => JSON.parse(json, (key, value, context) =>
  (typeof value === 'number' && isLong(context?.source ?? '0') ? BigInt(context.source) : value));

const isLong = source => !Number.isSafeInteger(Number(source)) && ![...'.eE'].some(char => source.includes(char));
