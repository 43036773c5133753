import { z } from 'zod';
import { progressWords, shareOf } from '../../../core/progress/progress.ts';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import { LiveRun } from '../../../etl/state/ledger/live-run.ts';
import { timeText } from '../../answers/presentation/marks.ts';

/** The progress of the current run, as pages show it. */
export const LiveState = LiveRun.extend({
  /** 0 to 1 of the phase; null if unknown. */
  share: z.number().nullable(),
  /** The progress text, as on a terminal. */
  words: z.string(),
});
export type LiveState = Typed<typeof LiveState>;

export function liveState(run: LiveRun): LiveState {
  const { progress } = run;
  if (progress === null) return { ...run, share: null, words: 'It has not started its units.' };
  return { ...run, share: shareOf(progress), words: progressWords(progress) };
}

/** Draws the current run. The script of the page updates it, and finds its parts by their attributes. */
export function drawLiveRun({ run_id, command, started_at, share, words, at_work }: LiveState): Html {
  return html`<section class="live" data-run="${run_id}" aria-labelledby="live">
<h2 id="live">Run in progress</h2>
<p class="facts"><a href="/runs/${run_id}">Run ${run_id.slice(0, 8)}</a>: ${command}, began ${timeText(started_at)} UTC</p>
<progress data-bar max="1"${share === null ? null : html` value="${share}"`} aria-label="Progress of the run" aria-valuetext="${words}"></progress>
<p data-words>${words}</p>
<ul data-units aria-label="Units in progress">${at_work.map(({ unit, phase }) => html`<li>${unit}: ${phase}</li>`)}</ul>
<noscript><p class="facts">This is the state at ${timeText(new Date().toISOString())} UTC. Reload the page to see the progress.</p></noscript>
</section>
`;
}
