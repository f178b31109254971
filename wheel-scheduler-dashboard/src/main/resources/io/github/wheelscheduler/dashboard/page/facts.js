// A list of facts, each with a line below where there is more to say.
import {el, show, text} from './dom.js';

/** Makes a list: `{node, set(name, value, more)}`. */
export function factsOf(names) {
  const values = new Map(names.map(name => [name, [el('dd'), el('dd.more')]]));
  return {
    node: el('dl.facts', {}, names.map(name => el('div', {'data-fact': name}, el('dt', {}, name), ...values.get(name)))),
    set(name, value, more) {
      const [first, second] = values.get(name);
      text(first, value);
      text(second, more);
      show(second, more);
    }
  };
}
