/**
 * Returns the start of a day such as `2026-01-31`, in UTC milliseconds; null for a text that is not a day of the
 * calendar.
 */
export function calendarDay(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const at = Date.parse(`${text}T00:00:00Z`);
  // Date.parse accepts the 31st of each month.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) ? at : null;
}
