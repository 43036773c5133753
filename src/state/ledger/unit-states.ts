import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { UnitState } from '../../project/model/ledger-records.ts';

/** Of a unit that the ledger does not have yet. */
export type UnitOrigin = UnitState | 'unknown';

/** How an attempt can end without its rows, from wherever it began. */
const ENDS = ['failed', 'refused', 'skipped'] as const;
/** The transitions of a unit that is not in progress, by a run or a person. */
const TAKEN_UP = ['requested', 'staged', ...ENDS, 'dropped'] as const;
/** The states that the warehouse shows for a unit whose run was killed before its entry. */
const HELD = ['loaded', 'published'] as const;

/** The allowed moves. Any other one is a fault of crawlhouse. */
export const UNIT_MOVES: Readonly<Record<UnitOrigin, readonly UnitState[]>> = {
  unknown: ['discovered', ...HELD],
  discovered: [...TAKEN_UP, ...HELD],
  requested: [...TAKEN_UP, 'downloading', ...HELD],
  downloading: [...TAKEN_UP, ...HELD],
  staged: [...TAKEN_UP, ...HELD],
  loaded: [...TAKEN_UP, 'published', 'discovered'],
  published: [...TAKEN_UP, 'discovered'],
  failed: [...TAKEN_UP, ...HELD],
  refused: [...TAKEN_UP, ...HELD],
  skipped: [...TAKEN_UP, ...HELD],
  dropped: ['discovered'],
};

/**
 * Checks a move against the table.
 *
 * @throws CrawlhouseError `internal`
 */
export function checkMove(unit: string, from: UnitOrigin, to: UnitState): void {
  if (UNIT_MOVES[from].includes(to)) return;
  throw new CrawlhouseError('internal', `${unit} cannot go from ${from} to ${to}`, {
    hint: 'this is a fault of crawlhouse; docs/ledger.md has the allowed transitions',
  });
}
