// The live stream of a node: the nodes, their decisions, and the open cases.

const MOST_SPANS = 160;
const LATE_SPANS = 4; // until then a node may still tell its part
const LEAST_PAUSE_MILLIS = 2000;
const MOST_PAUSE_MILLIS = 30000;

/**
 * The latest of what was told; `known` has the numbers of the spans that `all` nodes told or only `some`; `isHeard` says whether the stream is open, `heardAt` when it was told last, `askedAt` when the stream was asked for, `rests` whether nobody listens because nobody looks, and `begun` has
 * the beginnings of findings, also of those that are over.
 */
export const live = { spans: new Map(), known: new Map(), span: 0, spanSeconds: 2, nodes: [], cases: null, isHeard: false, heardAt: 0, askedAt: 0, rests: false, begun: new Map() };

let source = null;
let timer = 0;

/**
 * Listens until `stop`, and again after each failure. Calls `changed` after the last event of a moment; after the node
 * has refused, `goesOn` resolves to whether to listen again.
 */
export function listen(changed, goesOn, pause = LEAST_PAUSE_MILLIS) {
  if (!live.rests) {
    stop();
  }
  Object.assign(live, { rests: false, askedAt: Date.now() });
  source = new EventSource('/v1/live');
  let next = pause;
  source.addEventListener('pulse', event => {
    heardPulse(JSON.parse(event.data));
    next = LEAST_PAUSE_MILLIS;
  });
  source.addEventListener('cases', event => {
    live.cases = JSON.parse(event.data);
    changed();
  });
  source.onerror = () => {
    live.isHeard = false;
    changed();
    if (source?.readyState === EventSource.CLOSED) {
      again(changed, goesOn, next);
    }
  };
}

// A browser tries again after a broken connection, but not after a refusal.
async function again(changed, goesOn, pause) {
  const refused = source;
  if ((await goesOn()) && source === refused) {
    timer = setTimeout(() => listen(changed, goesOn, Math.min(2 * pause, MOST_PAUSE_MILLIS)), pause);
  }
}

/** Ends the stream until `listen`: that is no silence of the node. A browser has few connections for all its tabs. */
export function rest() {
  clearTimeout(timer);
  source?.close();
  source = null;
  live.rests = true;
}

/** Ends the stream. */
export function stop() {
  rest();
  Object.assign(live, { rests: false, isHeard: false });
}

function heardPulse({ spans, ...pulse }) {
  // A node that has ended since takes its part with it.
  const isKept = number => live.known.get(number) === 'all' && number < pulse.span - LATE_SPANS;
  spans.filter(({ span }) => !isKept(span)).forEach(span => live.spans.set(span.span, span));
  know(pulse);
  [live.spans, live.known].forEach(all => [...all.keys()].filter(number => number < pulse.span - MOST_SPANS).forEach(number => all.delete(number)));
  // Its first words stay: numbers of a finding are of the last minute.
  pulse.status.findings.filter(({ code, of, since }) => live.begun.get(`${code} ${of}`)?.at !== since).forEach(({ code, of, since, what }) => live.begun.set(`${code} ${of}`, { at: since, words: what, kind: 'bad' }));
  Object.assign(live, pulse, { heardAt: Date.now(), isHeard: true });
}

// A span without decisions is not sent: it is known by what was asked for. Before its start no node counts, and what a
// node counted before it was stopped, or was not seen any more, nobody tells. One that was added took nothing with it.
function know({ since, span, spanSeconds, nodes, unseen, ended, nodesAsked, redis }) {
  const spanOf = at => Math.floor(Date.parse(at) / (spanSeconds * 1000));
  const by = redis === 'answers' && nodes.length >= nodesAsked ? 'all' : 'some';
  const gone = Math.max(...unseen.map(one => spanOf(one.seen)), ended ? spanOf(ended) : 0);
  for (let number = Math.max(since, Math.min(...nodes.map(one => spanOf(one.upSince)))); number < span; number++) {
    const rank = number === span - 1 || number <= gone ? 'some' : by; // not each node has ended the last one
    if (live.known.get(number) !== 'all') {
      live.known.set(number, rank);
    }
  }
}
