import { type Html, html } from '../../../core/text/html.ts';
import { valueText } from '../../../project/model/shown/value-text.ts';

/** `2026-11-22 06:00`, for a time in ISO 8601, UTC; a dash for none. */
export function timeText(time: string | null): Html {
  if (time === null) return html`–`;
  return html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')}</time>`;
}

/** How long ago a time was: `5 h 3 min`, `12 days`. */
export function ageText(time: string, now = Date.now()): string {
  return valueText((now - Date.parse(time)) / 1000, 'age');
}
