import { countText } from '../../../core/text/amounts.ts';
import { cutColumns, cutText } from '../../../core/text/cut-columns.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { alignColumns, ruleOf } from '../../../core/text/text-table.ts';
import { visible } from '../../../core/text/visible.ts';
import { isDimension } from './chart-columns.ts';

/** A share of 0 to 1, which people read in percent. */
const SHARE = /(^|_)(share|ctr|similarity)$|^text_to_code$/;
const PERCENT = /_percent(_change)?$/;

export interface PeopleTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Characters in a line. */
  readonly width: number;
  readonly nullText?: string;
}

/**
 * A table on a person's terminal. Columns that are the same in every row stand in one line above it. Columns are cut
 * until the lines fit: a URL in its middle, other texts at their end. Numbers have separators unless they are codes,
 * and shares are in percent.
 */
export function peopleTable({ names, rows, width, nullText = '-' }: PeopleTable): string {
  const cells = rows.map((row) =>
    row.map((value, index) =>
      value === null ? nullText : cutText(cellText(names[index] ?? '', value), width),
    ),
  );
  const isSame = names.map(
    (_name, index) => rows.length > 1 && cells.every((row) => row[index] === cells[0]?.[index]),
  );
  // Something tells what the rows are rows of.
  if (isSame.every((same) => same)) isSame[0] = false;
  const differing = <T>(row: readonly T[]): T[] => row.filter((_cell, index) => isSame[index] !== true);
  const isNumber = names.map((_name, index) =>
    rows.every((row) => row[index] === null || ['number', 'bigint'].includes(typeof row[index])),
  );
  const shown = cutColumns([differing(names.map(flat)), ...cells.map(differing)], differing(isNumber), width);
  const { lines, widths } = alignColumns(shown, differing(isNumber));
  const same = names.flatMap((name, index) =>
    isSame[index] ? [`${flat(name)}: ${cells[0]?.[index] || '-'}`] : [],
  );
  const caption = same.length === 0 ? [] : [`${same.join(', ')}\n`];
  return `${caption.join('')}${lines.toSpliced(1, 0, ruleOf(widths)).join('\n')}\n`;
}

function cellText(name: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(name, value);
  return flat(typeof value === 'string' ? value : stringifyJson(value));
}

function numberText(name: string, value: number | bigint): string {
  if (isDimension(name)) return String(value);
  if (PERCENT.test(name)) return `${rounded(Number(value), 1)} %`;
  if (SHARE.test(name) && Math.abs(Number(value)) <= 1) return `${rounded(100 * Number(value), 1)} %`;
  if (typeof value === 'bigint' || Number.isInteger(value)) return countText(value);
  return Math.abs(value) < 1 ? String(Number(value.toPrecision(3))) : rounded(value, 2);
}

const rounded = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: digits });

/** One line, without control characters. */
function flat(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' '));
}
