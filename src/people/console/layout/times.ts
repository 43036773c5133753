import { countText, durationText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';

/** `2026-11-22 06:00`, for a time in ISO 8601, UTC; a dash for none. */
export function timeText(time: string | null): Html {
  if (time === null) return html`–`;
  return html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')}</time>`;
}

/** `5 h 3 min`, `12 days`: hours say little of what is older than two days. */
export function ageText(time: string, now = Date.now()): string {
  const seconds = (now - Date.parse(time)) / 1000;
  return seconds < 2 * 86_400 ? durationText(seconds) : `${countText(Math.floor(seconds / 86_400))} days`;
}
