import { sep } from 'node:path';
import { CrawlhouseError, FREE_SPACE } from '../../../core/errors/errors.ts';
import type { Settings } from './settings.ts';

/** A path in an error of DuckDB or of Node.js. */
const QUOTED = /["']([^"']*[/\\][^"']*)["']/g;

/**
 * Adds the unit, the path and its setting to the error of a full disk. Returns every other error unchanged. An error
 * without a file is attributed to the state directory, which contains the ledger, the packages and the working copy.
 */
export function nameFullDisk(
  error: CrawlhouseError,
  { state_dir, warehouse }: Pick<Settings, 'state_dir' | 'warehouse'>,
  unit?: string,
): CrawlhouseError {
  if (error.hint !== FREE_SPACE) return error;
  const file = fileOf(error);
  const isOfState = file === null || file === state_dir || file.startsWith(state_dir + sep);
  const [place, setting] = isOfState
    ? [state_dir, 'state_dir']
    : file.startsWith(warehouse)
      ? [warehouse, 'warehouse']
      : [file, null];
  const named = setting === null ? place : `${place} (${setting})`;
  const move =
    setting === null
      ? ''
      : `; or move it to another disk and set ${setting} (CRAWLHOUSE_${setting.toUpperCase()})`;
  const { message, cause } = error;
  return new CrawlhouseError(
    error.code,
    `${unit === undefined ? '' : `${unit}: `}no space for ${named}: ${message}`,
    { cause, hint: `free some space on the disk of ${named}, then run again${move}` },
  );
}

/** Returns the written file; null if the error names none. */
function fileOf({ message, cause }: CrawlhouseError): string | null {
  const { dest, path } = (cause ?? {}) as { dest?: unknown; path?: unknown };
  const told = dest ?? path;
  if (typeof told === 'string') return told;
  // A copy writes the latter.
  return [...message.matchAll(QUOTED)].at(-1)?.[1] ?? null;
}
