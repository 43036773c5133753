import type { RejectReason } from '../../site/logs/log-line.ts';
import type { UnreadLine } from '../../site/logs/read-log.ts';

/** Lines of a reason that are named one by one. */
const SHOWN = 100;

/** How many rejects a file has of each reason, and the numbers of the first lines of each. */
export interface FileRejects {
  readonly reasons: Readonly<Partial<Record<RejectReason, number>>>;
  readonly places: Readonly<Partial<Record<RejectReason, readonly number[]>>>;
}

/** The rejects of a file while it is read. */
export class Rejects implements FileRejects {
  count = 0;
  readonly reasons: Partial<Record<RejectReason, number>> = {};
  readonly places: Partial<Record<RejectReason, number[]>> = {};

  add({ line, reason }: UnreadLine): void {
    this.count += 1;
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1;
    const places = this.places[reason] ?? [];
    this.places[reason] = places;
    if (places.length < SHOWN) places.push(line);
  }
}

/** Those of a file that has grown. */
export function mergedRejects(before: FileRejects | undefined, now: FileRejects): FileRejects {
  const names = Object.keys({ ...before?.reasons, ...now.reasons }) as RejectReason[];
  return {
    reasons: Object.fromEntries(
      names.map((name) => [name, (before?.reasons[name] ?? 0) + (now.reasons[name] ?? 0)]),
    ),
    places: Object.fromEntries(
      names.map((name) => [
        name,
        [...(before?.places[name] ?? []), ...(now.places[name] ?? [])].slice(0, SHOWN),
      ]),
    ),
  };
}
