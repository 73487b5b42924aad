// What the node tells as it happens: the nodes, what they decided, and the top.

const MOST_SLOTS = 160;

/** The latest of what was told; `isHeard` says whether the stream is open. */
export const live = { slots: new Map(), slot: 0, slotSeconds: 2, nodes: [], top: null, isHeard: false, redis: '' };

let source = null;

/** Listens until `stop`; calls `changed` after each event, and `lost` if the node refuses. */
export function listen(changed, lost) {
  stop();
  source = new EventSource('/v1/live');
  source.addEventListener('pulse', event => {
    heardPulse(JSON.parse(event.data));
    changed();
  });
  source.addEventListener('top', event => {
    live.top = JSON.parse(event.data);
    changed();
  });
  source.onerror = () => {
    live.isHeard = false;
    if (source?.readyState === EventSource.CLOSED) {
      lost();
    }
    changed();
  };
}

/** Ends the stream. */
export function stop() {
  source?.close();
  source = null;
  live.isHeard = false;
}

function heardPulse(pulse) {
  pulse.slots.forEach(slot => live.slots.set(slot.slot, slot));
  for (const number of live.slots.keys()) {
    if (number < pulse.slot - MOST_SLOTS) {
      live.slots.delete(number);
    }
  }
  Object.assign(live, {
    slot: pulse.slot,
    slotSeconds: pulse.slotSeconds,
    nodes: pulse.nodes,
    nodesAsked: pulse.nodesAsked,
    redis: pulse.redis,
    at: pulse.at,
    isHeard: true
  });
}
