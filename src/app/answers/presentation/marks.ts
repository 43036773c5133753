import { type Html, html } from '../../../core/text/html.ts';

const GOOD: readonly string[] = ['done', 'published', 'loaded', 'unchanged', 'passed', 'built'];
const BAD: readonly string[] = ['failed', 'refused', 'killed', 'partial'];

/** Returns the status of a run, unit or test, in its color. */
export function statusMark(status: string): Html {
  const kind = GOOD.includes(status) ? 'good' : BAD.includes(status) ? 'bad' : 'warn';
  return html`<span class="${kind}">${status}</span>`;
}

export function severityMark(severity: string): Html {
  if (severity === '') return html``;
  return html`<span class="${severityTone(severity)}">${severity}</span>`;
}

export function severityTone(severity: string): 'bad' | 'warn' | 'plain' {
  return severity === 'high' ? 'bad' : severity === 'medium' ? 'warn' : 'plain';
}

/** `2026-11-22 06:00`, for a time in ISO 8601, UTC; a dash for none. */
export function timeText(time: string | null): Html {
  if (time === null) return html`–`;
  return html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')}</time>`;
}

/** Returns a link to the web. It only leads to web pages, never to a script, whatever a website declares. */
export function webLink(url: string): Html {
  return /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="noreferrer noopener">${url}</a>`
    : html`${url}`;
}
