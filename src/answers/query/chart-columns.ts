/** A column of an answer, by its rows. */
export interface ChartColumn {
  readonly name: string;
  readonly isNumber: boolean;
  /** Row by row; the same value is the same text. */
  readonly texts: readonly (string | null)[];
}

interface ChartColumns {
  /** The columns that label a row; none for a single row, or where all rows are alike. */
  readonly labels: readonly string[];
  /** The number that is drawn; null where there is none. */
  readonly measure: string | null;
}

/** Numbers that say which row it is, or over how many days it is, and not how much there is of it. */
const DIMENSION =
  /^(.*_)?(ids?|codes?|status|depth|level|hop|place|number|year|quarter|month|week|day|hour|days|inrank)$|^day_of_/;
const TIME = /(_at|_date|^date|^day)$/;
const AGGREGATE = /^(average|avg|mean|median|min|max|minimum|maximum|sum|total|p\d+)_/;

/** Whether a number tells rows apart, as codes, identifiers and depths do, so that its size is nothing to draw. */
export function isDimension(name: string): boolean {
  const plain = name.toLowerCase().replace(/_(before|after|now)$/, '');
  return DIMENSION.test(plain) && !AGGREGATE.test(plain);
}

/**
 * Chooses the columns of a chart. The number drawn is the last one that is no code, identifier or depth and differs
 * between rows. The labels are as many of the other columns as distinguish the rows.
 */
export function chartColumns(columns: readonly ChartColumn[]): ChartColumns {
  const numbers = columns.filter(
    (one) => one.isNumber && !isDimension(one.name) && one.texts.some((text) => text !== null),
  );
  const measure = numbers.findLast(({ texts }) => varies(texts, false)) ?? numbers.at(-1);
  const candidates = columns.filter(
    ({ name, isNumber, texts }) => (!isNumber || isDimension(name)) && varies(texts, true),
  );
  let labels: readonly ChartColumn[] = [];
  for (const one of candidates)
    if (tellsApart([...labels, one]) > tellsApart(labels)) labels = [...labels, one];
  // Over time a line belongs to a project or a segment, even where its times are its own.
  if (!labels.some(({ name }) => TIME.test(name)))
    for (const one of labels) {
      const others = labels.filter((label) => label !== one);
      if (tellsApart(others) === tellsApart(labels)) labels = others;
    }
  return { labels: labels.map(({ name }) => name), measure: measure?.name ?? null };
}

/** How many rows differ in some columns. */
function tellsApart(columns: readonly ChartColumn[]): number {
  const rows = columns[0]?.texts.map((_, row) => JSON.stringify(columns.map(({ texts }) => texts[row])));
  return new Set(rows ?? ['']).size;
}

function varies(texts: readonly (string | null)[], withNulls: boolean): boolean {
  return new Set(withNulls ? texts : texts.filter((text) => text !== null)).size > 1;
}
