// A chart of rates over the last minutes, drawn by uPlot.

import { html } from './parts.js';

const COLOURS = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5', '--line-6'];
const MOST_LINES = COLOURS.length;
const HEIGHT = 190;

/** The names with most counts in the spans; more than can be drawn are summed. */
function names(spans, part) {
  const sums = new Map();
  spans.forEach(span =>
    Object.entries(span[part]).forEach(([name, count]) => sums.set(name, (sums.get(name) || 0) + count))
  );
  const sorted = [...sums.entries()].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([name]) => name);
  return sorted.length <= MOST_LINES ? sorted : [...sorted.slice(0, MOST_LINES - 1), 'others'];
}

/**
 * The lines of a part of the spans: rates a second by name, with the moments in seconds first.
 *
 * @param live what was told: `spans` by number, `span` that is not over, and `spanSeconds`
 */
export function lines(live, part, minutes = 5) {
  const last = live.span - 2; // a span is told by all nodes one span later
  const first = last - (minutes * 60) / live.spanSeconds + 1;
  const kept = [];
  for (let number = first; number <= last; number++) {
    kept.push(live.spans.get(number) || { admitted: {}, denied: {}, limits: {} });
  }
  const shown = names(kept, part);
  const named = new Set(shown);
  const rate = (span, name) => {
    const counts = Object.entries(span[part]);
    const sum = counts
      .filter(([other]) => (name === 'others' && !named.has(other)) || other === name)
      .reduce((total, [, count]) => total + count, 0);
    return sum / live.spanSeconds;
  };
  const moments = kept.map((span, index) => (first + index) * live.spanSeconds);
  return { names: shown, data: [moments, ...shown.map(name => kept.map(span => rate(span, name)))] };
}

/** An element that draws lines; it keeps its drawing as long as the names stay. */
class RateChart extends HTMLElement {
  connectedCallback() {
    this.observer = new ResizeObserver(() => this.plot?.setSize({ width: this.clientWidth, height: HEIGHT }));
    this.observer.observe(this);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.redraw = () => this.draw(true);
    this.scheme.addEventListener('change', this.redraw);
    this.draw(true);
  }

  disconnectedCallback() {
    this.observer.disconnect();
    this.scheme.removeEventListener('change', this.redraw);
    this.plot?.destroy();
    this.plot = null;
  }

  set lines(value) {
    const isOther = JSON.stringify(this.shown?.names) !== JSON.stringify(value.names);
    this.shown = value;
    this.draw(isOther);
  }

  draw(anew) {
    if (!this.isConnected || !this.shown || !globalThis.uPlot) {
      return;
    }
    if (this.plot && !anew) {
      this.plot.setData(this.shown.data);
      return;
    }
    this.plot?.destroy();
    const style = getComputedStyle(this);
    const colour = name => style.getPropertyValue(name).trim();
    const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--grid'), width: 1 }, ticks: { show: false } };
    this.plot = new globalThis.uPlot(
      {
        width: this.clientWidth || 400,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false },
        scales: { y: { range: (plot, least, most) => [0, Math.max(1, most * 1.15)] } },
        axes: [{ ...axis, space: 70 }, { ...axis, size: 46 }],
        series: [
          {},
          ...this.shown.names.map((name, index) => ({
            label: name,
            stroke: colour(COLOURS[index]),
            width: 2,
            points: { show: false }
          }))
        ]
      },
      this.shown.data,
      this
    );
  }
}

customElements.define('rate-chart', RateChart);

/** The chart, with its latest rates as a list that says what the lines are. */
export function chart(title, of) {
  const latest = index => of.data[index + 1].at(-1);
  const said = of.names.map((name, index) => `${name} ${Math.round(latest(index) * 10) / 10}/s`).join(', ');
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <rate-chart role="img" aria-label=${`${title}: ${said || 'none'}`} .lines=${of}></rate-chart>
    <ul class="legend">${of.names.map(
      (name, index) => html`<li class=${'line-' + (index + 1)}><span>${name}</span> <b>${Math.round(latest(index) * 10) / 10}</b>/s</li>`
    )}${of.names.length ? '' : html`<li class="quiet">none in the last five minutes</li>`}</ul>
  </figure>`;
}
