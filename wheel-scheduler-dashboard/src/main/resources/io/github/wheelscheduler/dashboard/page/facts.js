// A list of facts, each with a line below where there is more to say.
import {el, keyed, show, text} from './dom.js';

/** Makes a list: `{node, set(facts)}`, where a fact is `name: [value, more]`. */
export function factsOf() {
  const node = el('dl.facts');
  return {
    node,
    set: facts => keyed(node, Object.entries(facts), ([name]) => name, ([name]) => {
      const [value, more] = [el('dd'), el('dd.more')];
      return {
        node: el('div', {'data-fact': name}, el('dt', {}, name), value, more),
        update([, [now, below]]) {
          text(value, now);
          text(more, below || '');
          show(more, below);
        }
      };
    })
  };
}
