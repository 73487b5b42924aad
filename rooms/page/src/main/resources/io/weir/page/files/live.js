// What the node tells as it happens: the nodes, what they decided, and the top.

const MOST_SPANS = 160;

/** The latest of what was told; `isHeard` says whether the stream is open. */
export const live = { spans: new Map(), span: 0, spanSeconds: 2, nodes: [], top: null, isHeard: false, redis: '' };

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
  pulse.spans.forEach(span => live.spans.set(span.span, span));
  for (const number of live.spans.keys()) {
    if (number < pulse.span - MOST_SPANS) {
      live.spans.delete(number);
    }
  }
  Object.assign(live, {
    span: pulse.span,
    spanSeconds: pulse.spanSeconds,
    nodes: pulse.nodes,
    nodesAsked: pulse.nodesAsked,
    redis: pulse.redis,
    at: pulse.at,
    isHeard: true
  });
}
