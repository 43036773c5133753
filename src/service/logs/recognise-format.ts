import { CrawlhouseError } from '../../core/errors.ts';
import { FORMAT_NAMES, formatOfName } from './formats/known-formats.ts';
import { clearLine, emptyLine, type LogFormat } from './log-line.ts';
import type { LogTime } from './log-time.ts';

/** Lines that a format is recognised by. */
const TRIED_LINES = 1000;
/** Of the lines that are no comments, so many in a hundred must fit. */
const LEAST_SHARE = 50;

/**
 * The format that most of the first lines have; of several the one that is tried first.
 *
 * @param text whole lines, one byte a character
 * @throws CrawlhouseError `usage` if none has half of them
 */
export function recogniseFormat(name: string, text: string, makeTime: () => LogTime): string {
  const lines = text.split('\n', TRIED_LINES).map((one) => one.replace(/\r$/, ''));
  const written = lines.filter((one) => one !== '' && !one.startsWith('#'));
  let best = { format: '', fit: 0 };
  for (const format of FORMAT_NAMES) {
    const fit = countFit(formatOfName(format, makeTime()), lines);
    if (fit > best.fit) best = { format, fit };
  }
  if (best.fit > 0 && best.fit * 100 >= written.length * LEAST_SHARE) return best.format;
  const example = written[0] === undefined ? 'it has no lines' : `it begins: ${shown(written[0])}`;
  throw new CrawlhouseError('usage', `${name}: its format is none that is known; ${example}`, {
    hint: `--format 'the LogFormat of Apache or the log_format of nginx that wrote it', --format json:time=KEY,url=KEY,status=KEY, or one of ${FORMAT_NAMES.join(', ')}`,
  });
}

function countFit(format: LogFormat, lines: readonly string[]): number {
  const line = emptyLine();
  let fit = 0;
  for (const text of lines) {
    clearLine(line);
    if (text === '' || format.read(text, 0, text.length, line) !== 'event') continue;
    if (/^\d{3}$/.test(line.status) || line.status === '') fit += 1;
  }
  return fit;
}

/** The shape of a line, without what it says of a visitor. */
function shown(line: string): string {
  return line
    .slice(0, 120)
    .replaceAll(/[0-9]/g, '0')
    .replaceAll(/[A-Za-z]{3,}/g, 'aaa');
}
