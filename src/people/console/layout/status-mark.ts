import { type Html, html } from '../../../core/text/html.ts';

const GOOD: readonly string[] = ['done', 'published', 'loaded', 'unchanged', 'passed', 'built'];
const BAD: readonly string[] = ['failed', 'refused', 'killed', 'partial'];

/** The status of a run, unit or test: its word, with a colour. */
export function statusMark(status: string): Html {
  const kind = GOOD.includes(status) ? 'good' : BAD.includes(status) ? 'bad' : 'warn';
  return html`<span class="${kind}">${status}</span>`;
}
