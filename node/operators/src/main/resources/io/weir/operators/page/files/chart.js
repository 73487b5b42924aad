// The rates of the last minutes, with marks of what was changed.

import { clock, html, number, svg } from './parts.js';

const WIDTH = 600;
const HEIGHT = 120;
const MINUTES = 5;
const MEAN_SECONDS = 60;

const NONE = { admitted: {}, denied: {} };
const sum = counts => Object.values(counts).reduce((total, one) => total + one, 0);

/**
 * Admitted and denied requests a second for each span of the last minutes, and their means over the last minute.
 *
 * @param live what was told: `spans` by number, `span` that is not over, and `spanSeconds`
 */
export function rates(live) {
  const last = live.span - 2; // a span is told by all nodes one span later
  const length = (MINUTES * 60) / live.spanSeconds;
  const spans = Array.from({ length }, (unused, index) => live.spans.get(last - length + 1 + index) || NONE);
  const of = part => spans.map(span => sum(span[part]) / live.spanSeconds);
  const passed = of('admitted');
  const denied = of('denied');
  const mean = values => values.slice(-MEAN_SECONDS / live.spanSeconds).reduce((total, one) => total + one, 0) / (MEAN_SECONDS / live.spanSeconds);
  return { passed, denied, meanPassed: mean(passed), meanDenied: mean(denied), until: (last + 1) * live.spanSeconds * 1000 };
}

// An area from the ground up to the values, one step for each.
function area(values, most, ground = () => 0) {
  const step = WIDTH / values.length;
  const y = value => HEIGHT - (HEIGHT * value) / most;
  const along = (of, index) => `${index * step},${y(of)} ${(index + 1) * step},${y(of)}`;
  const upper = values.map((value, index) => along(ground(index) + value, index));
  const lower = values.map((value, index) => `${(index + 1) * step},${y(ground(index))} ${index * step},${y(ground(index))}`).reverse();
  return [...upper, ...lower].join(' ');
}

// Round values of a scale up to the most, three at most.
function steps(most) {
  const power = 10 ** Math.floor(Math.log10(most / 2));
  const step = [5, 2, 1].map(one => one * power).find(one => one <= most / 2);
  return [1, 2, 3].map(index => index * step).filter(value => value <= 0.9 * most); // with room for its words
}

// Its lines and words keep their form, however wide the chart is; the marks that have words below have their numbers above.
function scale(most, named, x) {
  const y = value => `${100 - (100 * value) / most}%`;
  return html`<svg class="scale" aria-hidden="true">${steps(most).map(
    value => svg`<line x1="0" x2="100%" y1=${y(value)} y2=${y(value)}></line><text x="2" y=${y(value)} dy="-3">${number(value)}/s</text>`
  )}${named.map((mark, index) => svg`<text class="mark ${mark.kind || ''}" x=${`${(100 * x(mark)) / WIDTH}%`} y="0" dy="-3">${index + 1}</text>`)}</svg>`;
}

/** The chart; `marks` have a time `at`, `words`, and maybe a class. */
export function chart(of, marks) {
  const from = of.until - MINUTES * 60_000;
  const most = Math.max(1, ...of.passed.map((value, index) => value + of.denied[index])) * 1.1;
  const x = mark => (WIDTH * (Date.parse(mark.at) - from)) / (of.until - from);
  const shown = marks.filter(mark => x(mark) > 0 && x(mark) < WIDTH).sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const inTime = shown.slice(0, 3).reverse(); // the newest ones
  const label = `requests a second in the last ${MINUTES} minutes: ${number(of.meanPassed)} passed, ${number(of.meanDenied)} denied on average of a minute, at most ${number(most / 1.1)}`;
  return html`<figure class="chart">
    <div class="plot"><svg class="rates" role="img" aria-label=${label} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
      <polygon class="passed" points=${area(of.passed, most)}></polygon>
      <polygon class="denied" points=${area(of.denied, most, index => of.passed[index])}></polygon>
      ${shown.map(mark => svg`<line class="mark ${mark.kind || ''}" x1=${x(mark)} x2=${x(mark)} y1="0" y2=${HEIGHT}><title>${clock(mark.at)} ${mark.words}</title></line>`)}
    </svg>${scale(most, inTime, x)}</div>
    <figcaption><span>${clock(from)}</span><ul class="marks">${inTime.map(
      (mark, index) => html`<li class=${mark.kind || ''}><b>${index + 1}</b> ${clock(mark.at)} ${mark.words}</li>`
    )}</ul><span>${clock(of.until)}</span></figcaption>
  </figure>`;
}
