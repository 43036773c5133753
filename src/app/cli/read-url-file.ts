import { CrawlhouseError } from '../../core/errors/errors.ts';
import { firstColumn, spellUrl, webUrl, whyNoUrl } from '../../core/net/web-url.ts';
import { firstOf } from '../../core/text/amounts.ts';
import { parseCsv } from '../../core/text/parse-csv.ts';
import type { Invocation } from './command.ts';
import { readFlagFile } from './flag-values.ts';

/** Maximum invalid lines in a message. */
const MOST_SHOWN = 5;
const LONGEST_SHOWN = 80;

interface Entry {
  readonly text: string;
  readonly line: number;
}

/**
 * Reads and normalizes the URLs in the file of a flag: one per line, or a column of a CSV file with a header (the
 * column `url`, else the first one). Empty lines and lines that begin with # are skipped. Null if the flag is not set.
 *
 * @throws CrawlhouseError `usage` that names the file and the lines without a valid URL
 */
export async function readUrlFile(invocation: Invocation, flag: string): Promise<string[] | null> {
  const file = invocation.text(flag);
  if (file === undefined) return null;
  const text = (await readFlagFile(invocation, flag, file)).replace(/^\uFEFF/, '');
  const usage = (problem: string, cause?: unknown): CrawlhouseError =>
    new CrawlhouseError('usage', `--${flag} ${file}: ${problem}`, {
      cause,
      hint: 'write one URL per line, or a CSV file with a url column',
    });
  const urls: string[] = [];
  const wrong: string[] = [];
  for (const entry of readEntries(text, usage)) {
    const url = webUrl(entry.text);
    // Whitespace means a second column, or a URL that cannot be requested as written.
    if (url !== null && !/\s/.test(entry.text)) urls.push(spellUrl(url));
    else {
      const words = [entry.text.slice(0, LONGEST_SHOWN), whyNoUrl(entry.text)].filter((one) => one !== '');
      wrong.push(`line ${entry.line}: ${words.join(' ')}`);
    }
  }
  if (wrong.length > 0) throw usage(firstOf(wrong, MOST_SHOWN));
  if (urls.length === 0) throw usage('has no URL');
  return urls;
}

/** @throws CrawlhouseError `usage` for invalid CSV */
function readEntries(text: string, usage: (problem: string, cause?: unknown) => CrawlhouseError): Entry[] {
  try {
    return entriesOf(text);
  } catch (cause) {
    throw usage(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function entriesOf(text: string): Entry[] {
  const lines = text
    .split('\n')
    .map((line, index) => ({ text: line.trim(), line: index + 1 }))
    .filter((one) => one.text !== '' && !one.text.startsWith('#'));
  const [first] = lines;
  // A URL may contain a comma, so without a header each line is a whole URL.
  if (first === undefined || webUrl(first.text) !== null)
    return lines.map(({ text, line }) => ({ text: firstColumn(text), line }));
  const delimiter = ['\t', ';', ','].find((sign) => first.text.includes(sign));
  if (delimiter === undefined) return isUrlHeader(first.text) ? lines.slice(1) : lines;
  return columnOf(text, delimiter);
}

function columnOf(text: string, delimiter: string): Entry[] {
  const options = { delimiter, relax_column_count: true, relax_quotes: true };
  const [header, ...records] = parseCsv(text, options);
  if (header === undefined) return [];
  const column = Math.max(0, header.record.findIndex(isUrlHeader));
  const rows = webUrl(header.record[column] ?? '') === null ? records : [header, ...records];
  return rows.map(({ record, info }) => ({ text: record[column]?.trim() ?? '', line: info.lines }));
}

const isUrlHeader = (name: string): boolean => /^"?url"?$/i.test(name.trim());
