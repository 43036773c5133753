import { countryCode } from '../country-code.ts';
import type { Dimension } from '../demand-row.ts';
import { deviceName } from '../device-name.ts';
import { isUrl } from '../make-record.ts';
import { figureFaults } from './decimal-mark.ts';
import { comparesPeriods, figureNamed, otherReport, otherText, type SearchFigure } from './figure-names.ts';
import type { NamedColumns } from './named-columns.ts';
import { isDay } from './parse-day.ts';
import { DECIMAL_MARKS, type DecimalMark, isFigure, parseCount } from './parse-figures.ts';

/** The positions of the figures in a record; a table may have no average positions. */
type FigureColumns = { readonly [K in 'clicks' | 'impressions']: number } & Pick<
  NamedColumns,
  'ctr' | 'position'
>;

/** The content of a CSV table in a page's export: rows by one dimension, or a list without figures. */
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
  /** The filters of the export: names and values. */
  | { readonly kind: 'filters' }
  | { readonly kind: 'unknown'; readonly why: string };

const APPEARANCE =
  /appearance|darstellung|apparence|apparition|aparici[oó]n|apar[eê]ncia|aspetto|uiterlijk|weergave|wygląd|utseende|udseende|вид в поиск|görünüm|外観|見え方|検索での|外观|外觀|노출|검색 노출/i;
const QUERY_HEADER =
  /quer|keyword|suchanfrage|requête|consulta|zoekopdracht|zapyta|dotaz|lekérdez|запрос|запит|sorgu|クエリ|キーワード|查询|查詢|검색어|truy vấn|sökfråg|forespørg|søk|haut|hakusan|interogări|ερωτήματα|tìm kiếm|คำค้น|kueri|طلبات البحث|क्वेरी|שאילת/i;
const BING_HEADER = /^avg\.? ?position$|^average position$|^avg\.? ctr$|^keyword$/i;
/** Share of the sampled first cells that must fit. Names of some countries differ from the known ones. */
const MOST = 0.6;

/**
 * Recognizes a table by its header and its first records. Names determine which columns contain the figures. In an
 * unknown language, the figures must be consistent with each other.
 *
 * @param sample some records below the header
 * @param proven headers of figures that another table of the export has proven
 */
export function recognizeTable(
  name: string,
  header: readonly string[],
  sample: readonly (readonly string[])[],
  proven: ReadonlyMap<string, NamedColumns> = new Map(),
): TableShape {
  const unknown = (why: string): TableShape => ({ kind: 'unknown', why });
  const other = otherReport(header);
  if (other !== undefined) return unknown(otherText(other));
  const width = header.length;
  if (width === 2 && !sample.some((cells) => isFigure(cells[1] ?? ''))) return { kind: 'filters' };
  if (comparesPeriods(header)) return unknown('it compares two periods');
  if (width < 3) return unknown('it has no clicks and impressions');
  const columns = figuresOf(header, sample, proven);
  if (typeof columns === 'string') return unknown(columns);
  // Cyrillic names of Search Console begin with the clicks.
  if (columns.impressions < columns.clicks && /\p{Script=Cyrillic}/u.test(header.join('')))
    return unknown('its impressions come before its clicks, as in Yandex Webmaster');
  if (APPEARANCE.test(header[0] ?? '') || APPEARANCE.test(name)) return { kind: 'appearance' };
  const cells = sample.map(([first = '']) => first.trim());
  const dimension = dimensionOf(header[0] ?? '', cells);
  if (dimension === 'query' && cells.length > 0 && isDateName(header[0] ?? ''))
    return { kind: 'unknown', why: `its days cannot be read, such as ${JSON.stringify(cells[0])}` };
  if (dimension === 'query' && cells.length > 0 && cells.every((cell) => cell.startsWith('/')))
    return {
      kind: 'unknown',
      why: `its pages have no scheme and no host, such as ${JSON.stringify(cells[0])}`,
    };
  const hasRates =
    columns.ctr !== undefined || sample.some((cells) => cells.some((cell) => /[%٪]/.test(cell)));
  // Bing's exports begin with the impressions, and may have no positions.
  const lacksPositions = columns.position === undefined && hasRates && columns.clicks < columns.impressions;
  const all = { ...columns, [dimension]: 0 };
  return { kind: 'totals', dimension, columns: all, isBing: isBing(header), lacksPositions };
}

function isBing(header: readonly string[]): boolean {
  return header.some((one) => BING_HEADER.test(one.trim()));
}

function dimensionOf(header: string, cells: readonly string[]): Dimension {
  const share = (fits: (cell: string) => boolean): number =>
    cells.length === 0 ? 0 : cells.filter(fits).length / cells.length;
  // Names of countries, days and its own URLs reveal a site.
  if (QUERY_HEADER.test(header)) return 'query';
  // A cell that is not a day, such as in a row of sums, is a reject.
  if (share(isDay) >= MOST) return 'date';
  if (share(isUrl) >= MOST) return 'url';
  if (share((cell) => deviceName(cell) !== undefined) === 1 && cells.length <= 3) return 'device';
  if (share((cell) => countryCode(cell) !== undefined) >= MOST) return 'country';
  if (cells.length > 0) return 'query';
  return EMPTY_HEADERS.find(([pattern]) => pattern.test(header))?.[1] ?? 'query';
}

/** A table without rows is only known by its header. */
const EMPTY_HEADERS: readonly (readonly [RegExp, Dimension])[] = [
  [/date|datum|fecha|data$/i, 'date'],
  [/page|seite|pagin|página/i, 'url'],
];

/** Returns the header of the figures, which the tables of one export share. */
export function figureHeader(header: readonly string[]): string {
  return JSON.stringify(header.slice(1));
}

/** Returns the positions of the figures, or why they are unknown. */
function figuresOf(
  header: readonly string[],
  sample: readonly (readonly string[])[],
  proven: ReadonlyMap<string, NamedColumns>,
): FigureColumns | string {
  const named = new Map<SearchFigure | undefined, number>();
  const unnamed: number[] = [];
  for (const [at, text] of header.entries()) {
    if (at === 0) continue;
    const figure = figureNamed(text);
    if (figure === undefined || named.has(figure)) unnamed.push(at);
    else named.set(figure, at);
  }
  const text = unnamed.find((at) => sample.length > 0 && !sample.some((cells) => isFigure(cells[at] ?? '')));
  if (text !== undefined)
    return `its column ${JSON.stringify(header[text])} is a second dimension; columns of such a table have the names date, page, query, device, country, clicks, impressions, position`;
  const { clicks, impressions, ...rest } = Object.fromEntries(named) as Partial<Record<SearchFigure, number>>;
  if (unnamed.length === 0 && clicks !== undefined && impressions !== undefined)
    return { clicks, impressions, ...rest };
  // In a known language, a column of another name is another figure, such as a cost.
  const isKnown = clicks !== undefined && impressions !== undefined;
  const found = isKnown ? undefined : (proven.get(figureHeader(header)) ?? provenFigures(header, sample));
  if (found?.clicks !== undefined && found.impressions !== undefined) return found as FigureColumns;
  const names = unnamed.map((at) => JSON.stringify(header[at])).join(', ');
  return `its columns ${names || JSON.stringify(header)} have no known names of clicks, impressions, CTR and position, and its figures do not show which columns these are`;
}

/** The columns of the figures, in the order of Search Console and of Bing. */
const ORDERS = [
  { clicks: 1, impressions: 2, ctr: 3, position: 4 },
  { clicks: 2, impressions: 1, ctr: 3, position: 4 },
] as const;
/** Share of the rows whose figures must fit each other. */
const PROVEN = 0.9;

/**
 * Returns the figures of a table in an unknown language, if each rate is clicks by impressions and positions are from 1
 * and have decimals.
 */
function provenFigures(
  header: readonly string[],
  sample: readonly (readonly string[])[],
): FigureColumns | undefined {
  if (header.length !== 5) return undefined;
  return ORDERS.find((columns) => DECIMAL_MARKS.some((mark) => isProof(columns, sample, mark)));
}

function isProof(
  columns: (typeof ORDERS)[number],
  sample: readonly (readonly string[])[],
  mark: DecimalMark,
): boolean {
  const hasClicks = (cells: readonly string[]): boolean =>
    (parseCount(cells[columns.clicks] ?? '', mark) ?? 0n) > 0n && cells[columns.ctr]?.trim() !== '';
  const fits = sample.filter((cells) => figureFaults(cells, columns, mark) === 0);
  const decimals = mark === 'point' ? /\d\.\d|٫/ : /\d,\d|٫/;
  return (
    fits.length >= sample.length * PROVEN &&
    fits.some(hasClicks) &&
    fits.some((cells) => decimals.test(cells[columns.position] ?? ''))
  );
}

/**
 * Names of the search type and of the days in the table of filters, in the languages of Search Console, and the values
 * of the search type that mean web search. Collected from exports and from the text of the page.
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

/** Returns the filters that limit an export to a part of web search; empty if it is complete. */
export function narrowingFilters(filters: readonly (readonly string[])[]): string[] {
  return filters.flatMap(([name = '', value = '']) => {
    const [what, which] = [name.trim(), value.trim()];
    if (what === '' && which === '') return [];
    if (isDateName(what) || (SEARCH_TYPE.test(what) && WEB.test(which))) return [];
    return [`${what}: ${which}`];
  });
}
