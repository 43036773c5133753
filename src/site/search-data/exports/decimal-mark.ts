import type { NamedColumns } from './named-columns.ts';
import { OpenChoice } from './open-choice.ts';
import { DECIMAL_MARKS, type DecimalMark, parseCount, parseDecimal, parseRate } from './parse-figures.ts';

/** The greatest plausible average position of a page, so that `5.250` means 5.25, not 5,250. */
const MOST_POSITION = 1000;
const FIGURES = ['clicks', 'impressions', 'ctr', 'position', 'sum_position'] as const;

/**
 * Finds the decimal mark of a table from all of its rows. A mark is wrong if clicks are not whole numbers, if a rate is
 * not clicks divided by impressions, or if a position is invalid.
 */
export class DecimalProof {
  readonly #columns: NamedColumns;
  readonly #faults: Record<DecimalMark, number> = { point: 0, comma: 0 };
  /** A cell that is another number with each mark. */
  #example: string | undefined;

  constructor(columns: NamedColumns) {
    this.#columns = columns;
  }

  add(cells: readonly string[]): void {
    const texts = FIGURES.map((name) => cells[this.#columns[name] ?? -1] ?? '');
    if (!texts.some((text) => /[.,]/.test(text))) return;
    for (const mark of DECIMAL_MARKS) this.#faults[mark] += figureFaults(cells, this.#columns, mark);
    this.#example ??= texts.find((text) => {
      const [point, comma] = DECIMAL_MARKS.map((mark) => parseDecimal(text.replace('%', ''), mark));
      return point !== undefined && comma !== undefined && point !== comma;
    });
  }

  /** @throws CrawlhouseError `usage` for a table with ambiguous numbers, and no row that decides */
  mark(place: string): DecimalMark {
    const { point, comma } = this.#faults;
    if (point !== comma) return point < comma ? 'point' : 'comma';
    if (this.#example === undefined) return 'point';
    const [small, great] = DECIMAL_MARKS.map((mark) => parseDecimal(this.#example ?? '', mark)).sort(
      (a, b) => Number(a) - Number(b),
    );
    throw new OpenChoice(
      `${place}: ${JSON.stringify(this.#example)} may be ${small} or ${great}, and no row shows which`,
      {
        flag: 'decimal',
        values: DECIMAL_MARKS,
        hint: 'set the decimal separator: --decimal point or --decimal comma',
      },
    );
  }
}

/** Returns the number of figures of a row that contradict each other if its numbers use this mark. */
export function figureFaults(cells: readonly string[], columns: NamedColumns, mark: DecimalMark): number {
  const text = (name: keyof NamedColumns): string => (cells[columns[name] ?? -1] ?? '').trim();
  const [clicks, impressions] = [parseCount(text('clicks'), mark), parseCount(text('impressions'), mark)];
  let faults = [clicks, impressions].filter((one) => one === undefined).length;
  if (clicks !== undefined && impressions !== undefined && clicks > impressions) faults += 1;
  const sum = text('sum_position');
  if (sum !== '' && parseDecimal(sum, mark) === undefined) faults += 1;
  const position = text('position') === '' ? null : parseDecimal(text('position'), mark);
  const isPosition = position === null || (position !== undefined && position < MOST_POSITION);
  // Without impressions an export writes 0.
  if (!isPosition || (impressions !== 0n && position !== null && Number(position) < 1)) faults += 1;
  if (text('ctr') !== '' && !isRateOf(text('ctr'), mark, { clicks, impressions })) faults += 1;
  return faults;
}

/** Returns whether a rate is clicks by impressions, to its last decimal. */
function isRateOf(
  text: string,
  mark: DecimalMark,
  { clicks, impressions }: { readonly clicks: bigint | undefined; readonly impressions: bigint | undefined },
): boolean {
  const rate = parseRate(text, mark);
  if (rate === undefined) return false;
  if (clicks === undefined || !impressions) return true;
  const decimals = /[.,٫](\d+)/.exec(text)?.[1]?.length ?? 0;
  const unit = 10 ** -(decimals + (/[%٪﹪％]/.test(text) ? 2 : 0));
  return Math.abs(rate - Number(clicks) / Number(impressions)) <= unit * 0.501;
}
