import { sep } from 'node:path';
import { CrawlhouseError, FREE_SPACE } from '../../core/errors/errors.ts';
import type { Settings } from './settings.ts';

/** A path in an error of DuckDB or of Node.js. */
const QUOTED = /["']([^"']*[/\\][^"']*)["']/g;

/**
 * The error of a full disk with the unit, the path and the setting that says where it lies; every other error unchanged.
 * An error that names no file is of the state directory: the ledger, packages and the working copy are there.
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
    {
      cause,
      hint: `free some space on the disk of ${named}, then run again${move}`,
    },
  );
}

/** The file that was written; null where the error names none. */
function fileOf({ message, cause }: CrawlhouseError): string | null {
  const { dest, path } = (cause ?? {}) as { dest?: unknown; path?: unknown };
  const told = dest ?? path;
  if (typeof told === 'string') return told;
  // Of a copy, the latter is written.
  return [...message.matchAll(QUOTED)].at(-1)?.[1] ?? null;
}
