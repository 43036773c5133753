import type { CrawlhouseError } from '../core/errors.ts';
import { redact } from '../core/redact.ts';

/** Prints an error to stderr: what, then what would be right. A stack only with `--debug`. */
export function printError(error: CrawlhouseError, debug: boolean, thrown: unknown = error): void {
  const lines = [`Error: ${error.message}`, ...(error.hint ? [`Try: ${error.hint}`] : [])];
  if (debug) lines.push(stackOf(thrown));
  process.stderr.write(redact(`${lines.join('\n')}\n`));
}

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${stackOf(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}
