import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { runsChart } from '../../answers/presentation/charts/charts.ts';
import { runsTable, secondsOf } from '../../operations/status/run-line.ts';
import {
  diskUse,
  exportsUnderWay,
  freshnessTable,
  totals,
  unitsAtWork,
  wrongNow,
} from '../../operations/status/status-blocks.ts';
import { StatusFacts, statusFacts } from '../../operations/status/status-facts.ts';
import { drawBlocks } from '../layout/addresses.ts';
import { drawLiveRun, LiveState, liveState } from '../layout/draw-live-run.ts';
import { page } from '../page-parts/console-page.ts';

const MOST = 20;

const Operations = StatusFacts.extend({ live: LiveState.nullable() });
type Operations = Typed<typeof Operations>;

export const OPERATIONS = page<Operations>({
  path: '/operations',
  summary: 'Operations: open incidents, runs, schedules, units, data exports, disk use.',
  schema: Operations,
  async read(_request, readers) {
    const facts = statusFacts(await readers.status(), await readers.firings(), MOST);
    return { ...facts, live: facts.live && liveState(facts.live) };
  },
  draw: (operations) => ({ title: 'Operations', body: drawOperations(operations) }),
});

function drawOperations(facts: Operations): Html {
  const { live, projects, runs, schedules } = facts;
  const now = Date.now();
  return html`<h1>Operations</h1>
${drawBlocks(wrongNow(facts, now))}
<div data-live>${live && drawLiveRun(live)}</div>
${projects.total === 0 && runs.length === 0 && html`<p class="notice">Nothing has run yet. Run <code>crawlhouse run</code>, and reload this page.</p>`}
${drawBlocks(unitsAtWork(facts))}
<div class="pair">
<section aria-labelledby="runs"><h2 id="runs">Last runs</h2>
${runsFigure(runs, now)}</section>
<section aria-labelledby="due"><h2 id="due">Due units</h2>
${drawBlocks(totals(facts))}
${schedules.length === 0 && html`<p class="empty">No schedule is set: <code>schedules.yaml</code> says what runs when.</p>`}
<p><a href="/schedules">Schedules</a></p>
${drawBlocks([diskUse(facts)])}</section>
</div>
<h2>Freshness</h2>
${drawBlocks([freshnessTable(facts, now)])}
${projects.total > projects.oldest.length && html`<p>The ${projects.oldest.length} oldest of ${countText(projects.total)}. <a href="/projects">All projects</a></p>`}
${drawBlocks(exportsUnderWay(facts))}
`;
}

function runsFigure(runs: Operations['runs'], now: number): Html {
  const bars = runs.map((run) => ({
    ...run,
    seconds: run.status === 'running' ? (now - Date.parse(run.started_at)) / 1000 : (secondsOf(run) ?? 0),
  }));
  const chart = runsChart('The last runs: start and duration', bars);
  return html`${
    chart &&
    html`<figure>${chart}
<details><summary>The figures</summary>${drawBlocks([runsTable(runs)])}<p class="facts"><code>crawlhouse status</code></p></details></figure>`
  }
<p><a href="/runs">All runs</a></p>`;
}
