export const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds that a zone's wall clock is ahead of UTC at an instant (UTC milliseconds). */
export function offsetAt(zone: string, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(second)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
  const wall = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second);
  return wall - second;
}

/** How a zone's clocks are ahead of UTC around one date: by `before` until `at`, by `after` from then on. */
export interface Change {
  readonly before: number;
  readonly after: number;
  /** UTC milliseconds; infinite where nothing changes. */
  readonly at: number;
}

const known = new Map<string, Change>();

/** The change of clocks that can touch a date; `day` is its midnight as if it were UTC. */
export function changeAround(zone: string, day: number): Change {
  const key = `${zone} ${day}`;
  const found = known.get(key) ?? findChange(zone, day);
  if (known.size > 1000) known.clear();
  known.set(key, found);
  return found;
}

/**
 * The instants at which clocks show a wall time (written as UTC). Usually there is one; there are two if clocks go
 * back, and none if they skip it.
 */
export function instantsOf({ before, after, at }: Change, wall: number): number[] {
  return [...(wall - before < at ? [wall - before] : []), ...(wall - after >= at ? [wall - after] : [])];
}

function findChange(zone: string, day: number): Change {
  // No clock is a day away from UTC, so these two are before and after all times of the date.
  let earlier = day - DAY_MS;
  let later = day + 2 * DAY_MS;
  const [before, after] = [offsetAt(zone, earlier), offsetAt(zone, later)];
  if (before === after) return { before, after, at: Number.POSITIVE_INFINITY };
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2);
    if (offsetAt(zone, middle) === before) earlier = middle;
    else later = middle;
  }
  return { before, after, at: later };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const made = formats.get(zone);
  if (made) return made;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, format);
  return format;
}
