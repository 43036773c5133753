import type { DemandRecord } from '../demand-row.ts';
import type { NamedCells, RowPlace } from '../make-record.ts';
import { parseCount } from './parse-figures.ts';

/** Names of a row of sums in spreadsheets, Looker Studio and tables made by hand. */
const NAMES =
  /^(?:(?:(?:grand|overall|sub|general) ?)?totals?|total(?:er|sum)?|(?:sub)?totaux|total (?:g[eé]n[eé]ral|geral|keseluruhan)|total[et]|totale complessivo|gesamt(?:summe|ergebnis)?|insgesamt|summe|sum(?:ma|a)?|suma (?:ko[nń]cowa|total)|razem|(?:eind)?totaal|i alt|yhteens[äa]|celkem|celkov[ýy] sou[čc]et|(?:v[ée]g)?[öo]ssz(?:esen|eg)|(?:genel )?toplam|ukupno|skupaj|spolu|(?:общий )?итог[о]?|всего|разом|усього|общо|(?:γενικό )?σύνολο|合計|総計|总计|合计|總計|總和|합계|총계|총합계|t[ổo]ng(?: c[ộo]ng)?|(?:ผล)?รวม|jumlah|(?:ال)?(?:مجموع|إجمالي)(?: الكلي)?|סה"?כ|סה״כ|कुल|योग)\s*:?$/iu;

/** Returns whether a cell of a dimension is empty, or has the name of a row of sums. */
export function isTotalCell(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === '' || NAMES.test(trimmed);
}

/** A line of a table: its result, its figures, and the texts of its dimensions. */
export interface TableLine {
  readonly record: DemandRecord;
  readonly cells: NamedCells;
  readonly texts: readonly string[];
  readonly at: RowPlace & { readonly line: number };
}

/**
 * Returns the records of a table without its row of sums: the first or the last one, whose clicks and impressions are
 * the sums of all others, and whose dimensions are empty, have the name of such a row, or cannot be read. A query may
 * also have that name. If its figures are not the sums, the row counts as a query and is reported.
 */
export async function* withoutTotals(lines: AsyncIterable<TableLine>): AsyncGenerator<DemandRecord> {
  const sum = { lines: 0, clicks: 0n, impressions: 0n };
  const add = (line: TableLine): DemandRecord => {
    const { clicks, impressions } = figuresOf(line);
    sum.lines += 1;
    sum.clicks += clicks ?? 0n;
    sum.impressions += impressions ?? 0n;
    return line.record;
  };
  let isFirst = true;
  let [first, last]: (TableLine | undefined)[] = [];
  for await (const line of lines) {
    if (last !== undefined) yield add(last);
    last = undefined;
    if (!mayBeTotal(line)) yield add(line);
    else if (isFirst) first = line;
    else last = line;
    isFirst = false;
  }
  const held = [first, last].filter((line) => line !== undefined);
  for (const line of held) {
    const { clicks, impressions } = figuresOf(line);
    const isSum = [undefined, ...held].some((other) => {
      if (other === line) return false;
      const more = other === undefined ? { clicks: 0n, impressions: 0n } : figuresOf(other);
      return (
        clicks === sum.clicks + (more.clicks ?? 0n) &&
        impressions === sum.impressions + (more.impressions ?? 0n)
      );
    });
    const place = { place: line.at.place, line: line.at.line };
    if (sum.lines > 0 && isSum) yield { total: place };
    else if (sum.lines > 0 && 'row' in line.record && line.texts.some(isTotalName))
      yield { ...line.record, likeTotal: place };
    else yield line.record;
  }
}

function isTotalName(text: string): boolean {
  return text.trim() !== '' && isTotalCell(text);
}

function mayBeTotal({ record, texts, ...line }: TableLine): boolean {
  if ('other' in record) return false;
  const { clicks, impressions } = figuresOf({ record, ...line });
  if (clicks === undefined || impressions === undefined) return false;
  return 'reject' in record || texts.every(isTotalCell);
}

function figuresOf({ record, cells, at: { mark = 'point' } }: Pick<TableLine, 'record' | 'cells' | 'at'>) {
  if ('row' in record) return record.row;
  return {
    clicks: parseCount(cells.clicks ?? '', mark),
    impressions: parseCount(cells.impressions ?? '', mark),
  };
}
