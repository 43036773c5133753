import { type Html, html } from '../../../core/html.ts';

/** `2026-11-22 06:00`, for a time in ISO 8601, UTC; a dash for none. */
export function timeText(time: string | null): Html {
  if (time === null) return html`–`;
  return html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')}</time>`;
}
