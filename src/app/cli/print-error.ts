import { type CrawlhouseError, stackOf } from '../../core/errors/errors.ts';
import { redact } from '../../core/secrets/redact.ts';
import { wrapToWidth } from '../../core/text/display-width.ts';
import { stringifyJson } from '../../core/text/json.ts';
import { visible } from '../../core/text/visible.ts';
import { asCalled } from './as-called.ts';

/** Prints an error and its hint to stderr, with a stack trace only if `--debug` is set. */
export function printError(error: CrawlhouseError, debug: boolean, thrown: unknown = error): void {
  const lines = [wrapped(`Error: ${error.message}`), ...(error.hint ? [`Try: ${asCalled(error.hint)}`] : [])];
  if (debug) lines.push(stackOf(thrown));
  // The cursor is on the first line of a progress bar.
  const clear = process.stderr.isTTY ? '\r\x1b[J' : '';
  process.stderr.write(clear + visible(redact(`${lines.join('\n')}\n`)));
}

/** Wraps the message; a command in the hint stays on one line, so that it can be copied. */
function wrapped(message: string): string {
  const { isTTY, columns } = process.stderr;
  if (!isTTY) return message;
  return message
    .split('\n')
    .flatMap((line) => wrapToWidth(line, columns || 80, '  '))
    .join('\n');
}

/** Returns an error as the only document of a command without a result (interface.md, "JSON"). */
export function errorDocument(error: CrawlhouseError): string {
  return redact(`${stringifyJson({ error: errorFields(error) }, 2)}\n`);
}

/** Returns an error under the `error` key of every document (docs/errors.md). */
function errorFields({ code, message, hint }: CrawlhouseError) {
  const [, file = null, line] = /^(\S+?):(\d+): /.exec(message) ?? [];
  return { code, message, hint, file, line: line === undefined ? null : Number(line) };
}

/** Returns the error that decides the exit code; null if none does. */
export function failureOf(errors: readonly CrawlhouseError[], exitCode: number) {
  if (exitCode === 0) return null;
  const error = errors.find((error) => error.exitCode === exitCode) ?? errors[0];
  return error ? errorFields(error) : null;
}
