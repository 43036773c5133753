import { RANKING_FIELD_RECORDS } from '../../../src/service/fields/field-records-of.ts';
import { importFolder, type Json } from '../support.ts';

const NAMES = ['url', 'query', 'date', 'device', 'clicks', 'impressions', 'position'];

function row(
  query: string,
  date: string,
  device: string,
  numbers: readonly [number, number, number | null],
): Json {
  const [clicks, impressions, position] = numbers;
  const url = `https://tea.example/${query.replaceAll(' ', '-')}`;
  return { url, query, date, device, clicks, impressions, position };
}

export const ROWS: readonly Json[] = [
  row('green tea', '2025-01-01', 'desktop', [3, 30, 2]),
  row('green tea', '2025-01-01', 'mobile', [1, 10, 4]),
  row('green tea', '2025-01-02', 'desktop', [0, 20, 8.5]),
  row('black tea', '2025-01-01', 'mobile', [3, 12, 1.5]),
  row('black tea', '2025-01-03', 'mobile', [2, 4, 1]),
  row('tea; "loose"', '2025-01-02', 'tablet', [0, 0, null]),
];

/** A folder with a few rows of ranking performance of one project. */
export function rankingFolder(name = 'tea-shop', rows: readonly Json[] = ROWS): Promise<string> {
  const fields = RANKING_FIELD_RECORDS.filter((record) => NAMES.includes(record.name));
  return importFolder(name, { ranking_performance: { fields, rows } });
}
