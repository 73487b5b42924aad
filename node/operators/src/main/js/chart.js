// The rates of the last minutes, with marks of what was changed.

import { clock, html, nothing, number, svg } from './parts.js';

const WIDTH = 600;
const HEIGHT = 120;
const MINUTES = 5;
const MEAN_SECONDS = 60;

const sum = counts => Object.values(counts).reduce((total, one) => total + one, 0);

/**
 * Admitted and denied requests a second for each span of the last minutes, whether they are `known`, and the means of those
 * of the last minute that are.
 *
 * @param live what was told: `spans` by number, whose figures are `known`, `span` that is not over, and `spanSeconds`
 */
export function rates(live) {
  const last = live.span - 2; // a span is told by all nodes one span later
  const length = (MINUTES * 60) / live.spanSeconds;
  const numbers = Array.from({ length }, (unused, index) => last - length + 1 + index);
  const known = numbers.map(number => live.known.get(number));
  const of = part => numbers.map(number => sum(live.spans.get(number)?.[part] || {}) / live.spanSeconds);
  const passed = of('admitted');
  const denied = of('denied');
  const minute = length - MEAN_SECONDS / live.spanSeconds;
  const counted = Math.max(1, known.filter((by, index) => by && index >= minute).length);
  const mean = values => values.slice(minute).reduce((total, one) => total + one, 0) / counted;
  return { passed, denied, known, meanPassed: mean(passed), meanDenied: mean(denied), until: (last + 1) * live.spanSeconds * 1000 };
}

const LEAST_APART = 30; // the numbers of nearer marks would be one

const GAPS = { none: 'no figures', some: 'a part of the nodes' };

/** The runs of spans that not all nodes told: from, to, and what is known of them. */
function gaps(known) {
  const runs = [];
  known.forEach((by = 'none', index) => {
    const run = runs.at(-1);
    if (run && run.by === by && run.to === index) {
      run.to++;
    } else if (by !== 'all') {
      runs.push({ by, from: index, to: index + 1 });
    }
  });
  return runs;
}

// Shaded, with words that begin or end where the chart has more room; those of time without figures stand below the others.
// A few seconds, as between the starts of two nodes, have no room for words.
function gap({ by, from, to }, length) {
  const percent = index => (100 * index) / length;
  const isLeft = from + to < length;
  return svg`<g class=${`gap ${by}`}><rect x=${`${percent(from)}%`} width=${`${percent(to - from)}%`} height="100%"></rect>
    <text x=${`${percent(isLeft ? from : to)}%`} y="100%" dx=${isLeft ? 4 : -4} dy=${by === 'none' ? -6 : -20} text-anchor=${isLeft ? 'start' : 'end'}>${to - from > 2 ? GAPS[by] : ''}</text></g>`;
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

/** The numbers above the marks, those of near ones together: red if all are. */
function numbers(named, x) {
  const runs = [];
  named.forEach((mark, index) => {
    const run = runs.at(-1);
    if (run && x(mark) - x(run.last) < LEAST_APART) {
      Object.assign(run, { last: mark, kind: run.kind === mark.kind && run.kind, words: `${run.first}–${index + 1}` });
    } else {
      runs.push({ first: index + 1, begin: mark, last: mark, kind: mark.kind, words: index + 1 });
    }
  });
  return runs.map(({ begin, last, kind, words }) => svg`<text class="mark ${kind || ''}" x=${`${(50 * (x(begin) + x(last))) / WIDTH}%`} y="0" dy="-3">${words}</text>`);
}

// Its lines and words keep their form, however wide the chart is; the marks that have words below have their numbers above.
function scale(most, named, x, known) {
  const y = value => `${100 - (100 * value) / most}%`;
  return html`<svg class="scale" aria-hidden="true">${gaps(known).map(run => gap(run, known.length))}${steps(most).map(
    value => svg`<line x1="0" x2="100%" y1=${y(value)} y2=${y(value)}></line><text x="2" y=${y(value)} dy="-3">${number(value)}/s</text>`
  )}${numbers(named, x)}</svg>`;
}

/** The chart; `marks` have a time `at`, `words`, and maybe a class. */
export function chart(of, marks) {
  const from = of.until - MINUTES * 60_000;
  const most = Math.max(1, ...of.passed.map((value, index) => value + of.denied[index])) * 1.1;
  const step = (MINUTES * 60_000) / of.known.length;
  const x = mark => (WIDTH * (Date.parse(mark.at) - from)) / (of.until - from);
  const shown = marks.filter(mark => x(mark) > 0 && x(mark) < WIDTH).sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const inTime = shown.slice(0, 3).reverse(); // the newest ones
  const earlier = shown.slice(3).filter(mark => !mark.kind).length; // changes
  const label = `requests a second in the last ${MINUTES} minutes: ${number(of.meanPassed)} passed, ${number(of.meanDenied)} denied on average of a minute, at most ${number(most / 1.1)}${gaps(of.known).map(run => `; ${GAPS[run.by]} from ${clock(from + run.from * step)} to ${clock(from + run.to * step)}`).join('')}`;
  return html`<figure class="chart">
    <div class="plot"><svg class="rates" role="img" aria-label=${label} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
      <polygon class="passed" points=${area(of.passed, most)}></polygon>
      <polygon class="denied" points=${area(of.denied, most, index => of.passed[index])}></polygon>
      ${shown.map(mark => svg`<line class="mark ${mark.kind || ''}" x1=${x(mark)} x2=${x(mark)} y1="0" y2=${HEIGHT}><title>${clock(mark.at)} ${mark.words}</title></line>`)}
    </svg>${scale(most, inTime, x, of.known)}</div>
    <figcaption><span>${clock(from)}</span><ul class="marks">${inTime.map(
      (mark, index) => html`<li class=${mark.kind || ''}><b>${index + 1}</b> ${clock(mark.at)} ${mark.words}</li>`
    )}</ul>${earlier ? html`<a href="#/now?list=changes">and ${earlier} earlier</a>` : nothing}<span>${clock(of.until)}</span></figcaption>
  </figure>`;
}

const MINUTE_HEIGHT = 16;

/** The requests of a case by minute for an hour, now on the right. Their number stands beside it. */
export function minutes(counts) {
  const most = Math.max(...counts);
  const bars = counts.map((count, index) => (count ? `M${index + 0.5} ${MINUTE_HEIGHT}v${-Math.max(1, (MINUTE_HEIGHT * count) / most)}` : ''));
  return html`<svg class="minutes" viewBox=${`0 0 ${counts.length} ${MINUTE_HEIGHT}`} width=${counts.length} height=${MINUTE_HEIGHT} aria-hidden="true"><path d=${bars.join('')}></path></svg>`;
}
