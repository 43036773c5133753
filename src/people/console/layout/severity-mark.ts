import { type Html, html } from '../../../core/text/html.ts';

/** The severity of an issue: its word, with a colour. */
export function severityMark(severity: string): Html {
  const kind = severity === 'high' ? 'bad' : severity === 'medium' ? 'warn' : 'plain';
  return html`<span class="${kind}">${severity}</span>`;
}
