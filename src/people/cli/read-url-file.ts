import { parse } from 'csv-parse/sync';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { firstColumn, spellUrl, webUrl, whyNoUrl } from '../../core/net/web-url.ts';
import type { Invocation } from './command.ts';
import { readFlagFile } from './flag-values.ts';

/** Wrong lines that a message names. */
const MOST_SHOWN = 5;
const LONGEST_SHOWN = 80;

interface Entry {
  readonly text: string;
  readonly line: number;
}

/**
 * The URLs of the file of a flag, in their one spelling: one per line, or a column of a CSV file with a header: the column
 * `url`, else the first one. Empty lines and lines that begin with # are left out. Null without the flag.
 *
 * @throws CrawlhouseError `usage` that names the file and the lines that are no URLs
 */
export async function readUrlFile(invocation: Invocation, flag: string): Promise<string[] | null> {
  const file = invocation.text(flag);
  if (file === undefined) return null;
  const text = (await readFlagFile(invocation, flag, file)).replace(/^\uFEFF/, '');
  const usage = (problem: string, cause?: unknown): CrawlhouseError =>
    new CrawlhouseError('usage', `--${flag} ${file}: ${problem}`, {
      cause,
      hint: 'write one URL per line, or a CSV file with a column url',
    });
  const urls: string[] = [];
  const wrong: string[] = [];
  for (const entry of readEntries(text, usage)) {
    const url = webUrl(entry.text);
    // A second column, or a URL that nobody can ask for as it is written.
    if (url !== null && !/\s/.test(entry.text)) urls.push(spellUrl(url));
    else {
      const words = [entry.text.slice(0, LONGEST_SHOWN), whyNoUrl(entry.text)].filter((one) => one !== '');
      wrong.push(`line ${entry.line}: ${words.join(' ')}`);
    }
  }
  if (wrong.length > 0) {
    const more = wrong.length > MOST_SHOWN ? `; ${wrong.length - MOST_SHOWN} more` : '';
    throw usage(`${wrong.slice(0, MOST_SHOWN).join('; ')}${more}`);
  }
  if (urls.length === 0) throw usage('has no URL');
  return urls;
}

/** @throws CrawlhouseError `usage` for CSV that is none */
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
  // A URL may have a comma, so lines without a header are whole URLs.
  if (first === undefined || webUrl(first.text) !== null)
    return lines.map(({ text, line }) => ({ text: firstColumn(text), line }));
  const delimiter = ['\t', ';', ','].find((sign) => first.text.includes(sign));
  if (delimiter === undefined) return isUrlHeader(first.text) ? lines.slice(1) : lines;
  return columnOf(text, delimiter);
}

/** The column of URLs of a CSV file. */
function columnOf(text: string, delimiter: string): Entry[] {
  const [header, ...records] = parse(text, {
    ...{ delimiter, info: true, skip_empty_lines: true, relax_column_count: true, relax_quotes: true },
  }) as unknown as CsvRecord[];
  if (header === undefined) return [];
  const column = Math.max(0, header.record.findIndex(isUrlHeader));
  const rows = webUrl(header.record[column] ?? '') === null ? records : [header, ...records];
  return rows.map(({ record, info }) => ({ text: record[column]?.trim() ?? '', line: info.lines }));
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const isUrlHeader = (name: string): boolean => /^"?url"?$/i.test(name.trim());
