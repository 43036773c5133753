import { cutText, liftedTable } from '../../../core/text/cut-columns.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { visible } from '../../../core/text/visible.ts';
import { numberText } from '../../../project/model/shown/value-text.ts';

export interface PeopleTable {
  /** Of the columns. */
  readonly names: readonly string[];
  readonly heads?: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Characters in a line. */
  readonly width: number;
  readonly nullText?: string;
}

/**
 * A table on a person's terminal. Columns are cut until the lines fit: a URL in its middle, other texts at their end.
 * Numbers have separators unless they are codes, and shares are in percent.
 */
export function peopleTable({ names, heads = names, rows, width, nullText = '-' }: PeopleTable): string {
  const cells = rows.map((row) =>
    row.map((value, index) =>
      value === null ? nullText : cutText(cellText(names[index] ?? '', value), width),
    ),
  );
  const isNumber = names.map((_name, index) =>
    rows.every((row) => row[index] === null || ['number', 'bigint'].includes(typeof row[index])),
  );
  return `${liftedTable(heads.map(flat), cells, isNumber, width).join('\n')}\n`;
}

function cellText(name: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(name, value);
  return flat(typeof value === 'string' ? value : stringifyJson(value));
}

/** One line, without control characters. */
function flat(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' '));
}
