import { countryCode } from '../country-code.ts';
import type { Dimension } from '../demand-row.ts';
import { deviceName } from '../device-name.ts';
import { isUrl } from '../make-record.ts';
import type { NamedColumns } from './named-columns.ts';
import { isDay } from './parse-day.ts';
import { parseCount, parseDecimal, parseRate } from './parse-figures.ts';

/** The places of the figures in a record; a table may have no positions. */
type FigureColumns = { readonly [K in 'clicks' | 'impressions']: number } & Pick<NamedColumns, 'position'>;

/** What a CSV table of a page's export is: rows by one dimension, or a list that has no figures. */
export type TableShape =
  | {
      readonly kind: 'totals';
      readonly dimension: Dimension;
      readonly columns: NamedColumns;
      readonly isBing: boolean;
      /** Whether it has rates but no positions, as exports of Discover and of Google News have. */
      readonly lacksPositions: boolean;
    }
  /** Rich results, AMP and others: no pages and no queries. */
  | { readonly kind: 'appearance' }
  /** What the export was filtered by: names and values. */
  | { readonly kind: 'filters' }
  | { readonly kind: 'unknown'; readonly why: string };

const APPEARANCE =
  /appearance|darstellung|apparence|apparition|aparici[oó]n|apar[eê]ncia|aspetto|uiterlijk|weergave|wygląd|utseende|udseende|вид в поиск|görünüm|外観|見え方|検索での|外观|外觀|노출|검색 노출/i;
const QUERY_HEADER =
  /quer|keyword|suchanfrage|requête|consulta|zoekopdracht|zapyta|dotaz|lekérdez|запрос|запит|sorgu|クエリ|キーワード|查询|查詢|검색어|truy vấn|sökfråg|forespørg|søk|haut|hakusan|interogări|ερωτήματα|tìm kiếm|คำค้น|kueri|طلبات البحث|क्वेरी|שאילת/i;
const BING_HEADER = /^avg\.? ?position$|^average position$|^avg\.? ctr$|^keyword$/i;
/** Share of the sampled first cells that must fit. Names of some countries differ from those known. */
const MOST = 0.6;

/**
 * Recognises a table by its first records: its first column and the order of its figures tell what it is, in any
 * language.
 *
 * @param sample some records below the header
 */
export function recognizeTable(
  name: string,
  header: readonly string[],
  sample: readonly (readonly string[])[],
): TableShape {
  const width = header.length;
  if (width === 2 && !sample.some((cells) => parseCount(cells[1] ?? '') !== undefined))
    return { kind: 'filters' };
  if ((width > 5 || comparesPeriods(header)) && !isBing(header))
    return {
      kind: 'unknown',
      why: `it has ${width} columns; an export that compares two periods can't be read`,
    };
  if (width < 3) return { kind: 'unknown', why: 'it has no clicks and impressions' };
  const columns = figuresOf(header, sample);
  if (typeof columns === 'string') return { kind: 'unknown', why: columns };
  const more = textBefore(Math.min(columns.clicks, columns.impressions), sample);
  if (more !== undefined)
    return {
      kind: 'unknown',
      why: `its column ${JSON.stringify(header[more])} is a second dimension; columns of such a table have the names date, page, query, device, country, clicks, impressions, position`,
    };
  if (APPEARANCE.test(header[0] ?? '') || APPEARANCE.test(name)) return { kind: 'appearance' };
  const cells = sample.map(([first = '']) => first.trim());
  const dimension = dimensionOf(header[0] ?? '', cells);
  if (dimension === 'query' && cells.length > 0 && isDateName(header[0] ?? ''))
    return { kind: 'unknown', why: `its days can't be read, such as ${JSON.stringify(cells[0])}` };
  if (dimension === 'query' && cells.length > 0 && cells.every((cell) => cell.startsWith('/')))
    return {
      kind: 'unknown',
      why: `its pages have no scheme and no host, such as ${JSON.stringify(cells[0])}`,
    };
  const hasRates = header.includes('CTR') || sample.some((cells) => cells.some((cell) => /[%٪]/.test(cell)));
  // Bing's exports begin with the impressions, and may have no positions.
  const lacksPositions = columns.position === undefined && hasRates && columns.clicks < columns.impressions;
  const all = { ...columns, [dimension]: 0 };
  return { kind: 'totals', dimension, columns: all, isBing: isBing(header), lacksPositions };
}

/** A column between the first one and the figures that has no figure: rows are by it, too. */
function textBefore(figures: number, sample: readonly (readonly string[])[]): number | undefined {
  const isFigure = (text = ''): boolean => parseDecimal(text.replace(/[%٪]/g, '')) !== undefined;
  const between = Array.from({ length: Math.max(figures - 1, 0) }, (_, index) => index + 1);
  return between.find((at) => sample.length > 0 && !sample.some((cells) => isFigure(cells[at])));
}

/** Names of figures have neither numbers nor a word twice; `Last 28 days Clicks` and `Previous 28 days Clicks` have both. */
function comparesPeriods(header: readonly string[]): boolean {
  const names = header.slice(1).map((one) => one.trim());
  const words = names.filter((one) => one.includes(' ')).map((one) => one.slice(one.lastIndexOf(' ')));
  return names.some((one) => /\d/.test(one)) || new Set(words).size < words.length;
}

function isBing(header: readonly string[]): boolean {
  return header.some((one) => BING_HEADER.test(one.trim()));
}

function dimensionOf(header: string, cells: readonly string[]): Dimension {
  const share = (fits: (cell: string) => boolean): number =>
    cells.length === 0 ? 0 : cells.filter(fits).length / cells.length;
  // What is no day among days, such as a row of sums, is a reject.
  if (share(isDay) === 1 || (share(isDay) >= MOST && !QUERY_HEADER.test(header))) return 'date';
  if (share(isUrl) >= MOST) return 'url';
  // A site about travel is found by names of countries.
  if (QUERY_HEADER.test(header)) return 'query';
  if (share((cell) => deviceName(cell) !== undefined) === 1 && cells.length <= 3) return 'device';
  if (share((cell) => countryCode(cell) !== undefined) >= MOST) return 'country';
  if (cells.length > 0) return 'query';
  return EMPTY_HEADERS.find(([pattern]) => pattern.test(header))?.[1] ?? 'query';
}

/** A table without rows is known by its header alone. */
const EMPTY_HEADERS: readonly (readonly [RegExp, Dimension])[] = [
  [/date|datum|fecha|data$/i, 'date'],
  [/page|seite|pagin|página/i, 'url'],
];

/** The places of the figures, or why they are not known. */
function figuresOf(
  header: readonly string[],
  sample: readonly (readonly string[])[],
): FigureColumns | string {
  const named = namedFigures(header);
  if (named !== undefined) return named;
  const places = header.map((_, index) => index).slice(1);
  const counts = places.filter((at) => sample.every((cells) => parseCount(cells[at] ?? '') !== undefined));
  const [first, second] = counts;
  if (first === undefined || second === undefined || second !== first + 1)
    return 'it has no two columns of whole numbers beside each other';
  const isOrdered = (a: number, b: number): boolean =>
    sample.every((cells) => (parseCount(cells[a] ?? '') ?? 0n) <= (parseCount(cells[b] ?? '') ?? 0n));
  // Nothing is clicked more often than it is shown. Bing's exports begin with the impressions.
  const order = isOrdered(first, second)
    ? [first, second]
    : isOrdered(second, first)
      ? [second, first]
      : undefined;
  if (order === undefined) return 'neither column of whole numbers is always the smaller one';
  const [clicks = first, impressions = second] = order;
  const rest = places.filter((at) => at > second);
  const isRate = (at: number): boolean => sample.some((cells) => /[%٪]/.test(cells[at] ?? ''));
  const position = rest.findLast(
    (at) =>
      !isRate(at) && sample.every((cells) => cells[at] === '' || parseDecimal(cells[at] ?? '') !== undefined),
  );
  // One column of rates without a sign of percent is the rate of clicks, not the position.
  const isOnlyRate =
    rest.length === 1 &&
    position !== undefined &&
    sample.every((cells) => (parseRate(cells[position] ?? '') ?? 2) <= 1);
  return { clicks, impressions, ...(position === undefined || isOnlyRate ? {} : { position }) };
}

/** By the English names, which scripts use too. */
function namedFigures(header: readonly string[]): FigureColumns | undefined {
  const names = header.map((one) => one.trim().toLowerCase());
  const [clicks, impressions] = [names.indexOf('clicks'), names.indexOf('impressions')];
  if (clicks < 1 || impressions < 1) return undefined;
  const position = names.findIndex((name) => /^(avg\.? ?|average )?position$/.test(name));
  return { clicks, impressions, ...(position < 1 ? {} : { position }) };
}

/**
 * Names of the search type and of the days in the table of filters, in the languages of Search Console, and the values
 * of the search type that mean the web. Collected from exports and from the page's own words.
 */
const SEARCH_TYPE =
  /search type|suchtyp|type de recherche|tipo de (?:búsqueda|pesquisa|cerca)|tipo di ricerca|zoektype|typ wyszukiwania|тип (?:поиска|пошуку)|検索タイプ|搜索类型|搜尋類型|검색 유형|arama türü|s[öø]ketyp|søgetype|haun tyyppi|hakutyyppi|typ vyhledávání|keresés(?:i)? típus|tip(?:ul)? (?:de )?căut|jenis penelusuran|loại tìm kiếm|ประเภทการค้นหา|نوع البحث|סוג חיפוש/i;
const DATE =
  /^(?:date|dates|datum|datas?|fechas?|dato|datoer|дата|даты|tarih|päivämäärä|dátum|dată|tanggal|ngày|日付|日期|날짜|วันที่|التاريخ|תאריך)$/i;
const WEB =
  /^(?:web|веб|веб-поиск|интернет|ウェブ|网页|網頁|网络|網路|웹|เว็บ|الويب|ويب|אינטרנט|sieć|internet|verkko)$/i;

function isDateName(text: string): boolean {
  return DATE.test(text.trim());
}

/** What a table of filters says that keeps its export from being the whole of web search; empty where it is whole. */
export function narrowingFilters(filters: readonly (readonly string[])[]): string[] {
  return filters.flatMap(([name = '', value = '']) => {
    const [what, which] = [name.trim(), value.trim()];
    if (what === '' && which === '') return [];
    if (isDateName(what) || (SEARCH_TYPE.test(what) && WEB.test(which))) return [];
    return [`${what}: ${which}`];
  });
}
