import type { CrawlhouseError } from '../../core/errors/errors.ts';
import { redact } from '../../core/secrets/redact.ts';
import { wrapToWidth } from '../../core/text/display-width.ts';
import { stringifyJson } from '../../core/text/json.ts';
import { visible } from '../../core/text/visible.ts';
import { asCalled } from './as-called.ts';

/** Prints an error to stderr: what, then what would be right. A stack only with `--debug`. */
export function printError(error: CrawlhouseError, debug: boolean, thrown: unknown = error): void {
  const lines = [wrapped(`Error: ${error.message}`), ...(error.hint ? [`Try: ${asCalled(error.hint)}`] : [])];
  if (debug) lines.push(stackOf(thrown));
  // The cursor stands on the first line of a progress.
  const clear = process.stderr.isTTY ? '\r\x1b[J' : '';
  process.stderr.write(clear + visible(redact(`${lines.join('\n')}\n`)));
}

/** A command in the hint stays one line, so that it can be copied. */
function wrapped(message: string): string {
  const { isTTY, columns } = process.stderr;
  if (!isTTY) return message;
  return message
    .split('\n')
    .flatMap((line) => wrapToWidth(line, columns || 80, '  '))
    .join('\n');
}

/** An error as the one document of a command that has no result (interface.md, "JSON"). */
export function errorDocument(error: CrawlhouseError): string {
  return redact(`${stringifyJson({ error: errorFields(error) }, 2)}\n`);
}

/** An error as every document has it under `error` (docs/errors.md). */
function errorFields({ code, message, hint }: CrawlhouseError) {
  const [, file = null, line] = /^(\S+?):(\d+): /.exec(message) ?? [];
  return { code, message, hint, file, line: line === undefined ? null : Number(line) };
}

/** The error that decides the exit code; null where none does. */
export function failureOf(errors: readonly CrawlhouseError[], exitCode: number) {
  if (exitCode === 0) return null;
  const error = errors.find((one) => one.exitCode === exitCode) ?? errors[0];
  return error ? errorFields(error) : null;
}

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${stackOf(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}
