// Timers of programs beside the tasks, and leases, where the application has such beans.
import {keyed, panel, plainRow, show, table} from './dom.js';
import {count, lasting} from './format.js';

const TIMERS = ['Timers', 'Kind', 'Pending', 'Fired', 'Moved', 'Failed', 'Late on average'];
const LEASES = ['Leases', 'Kept', 'Renewed', 'Failed', 'Lost'];

export function timers() {
  const ofTimers = table('Timers of programs', TIMERS, 'timers');
  const ofLeases = table('Leases', LEASES, 'leases');
  const node = panel('Timers and leases of programs', null, ofTimers.node, ofLeases.node);
  return {
    node,
    update({timers: given = [], leases = []}) {
      show(node, given.length + leases.length);
      show(ofTimers.node, given.length);
      show(ofLeases.node, leases.length);
      keyed(ofTimers.body, given, one => one.name + one.kind, plainRow(TIMERS, one => [
        one.name, one.kind, ...[one.pending, one.fired, one.moved, one.failed].map(count), lasting(one.lateness)]));
      keyed(ofLeases.body, leases, one => one.name,
        plainRow(LEASES, one => [one.name, ...[one.kept, one.renewed, one.failed, one.lost].map(count)]));
    }
  };
}
