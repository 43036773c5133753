import { counted, countText } from '../../../core/text/amounts.ts';
import { isFarApart } from '../../../core/time/plausible-days.ts';
import type { UnderstoodDemand } from '../../../service/ranking/add-demand.ts';
import type { DemandSums } from '../../../service/ranking/sum-demand.ts';
import { type DemandExport, type DemandRow, EXPORT_FORMATS } from '../../../site/search-data/demand-row.ts';
import { shownPath } from '../local/shown-path.ts';
import { replacedText } from './demand-report.ts';
import type { Understood } from './understood.ts';

const DAY = 86_400_000;

/** Returns the meaning of an export as a list of facts, before it is stored. */
export function understoodDemand(
  source: DemandExport,
  { planned, replaced, first, last }: UnderstoodDemand,
  { site, folder }: { readonly site: string; readonly folder: string },
): Understood {
  const writings = [...new Set(source.tables.flatMap(({ writing }) => writing ?? []))];
  const { rejected, repeatedRows = 0 } = planned;
  return {
    name: source.files.map((file) => shownPath(folder, file)).join(', '),
    facts: [
      { name: 'format', value: EXPORT_FORMATS[source.format] },
      { name: 'search engine', value: source.engine },
      { name: 'site', value: site },
      ...daysOf(source, planned.sums),
      ...writings.map((value) => ({ name: 'written with', value })),
      ...planned.sums.map((sum) => ({ name: `rows by ${sum.by || 'nothing'}`, value: sumText(sum) })),
      ...(first === null ? [] : [{ name: 'first row', value: rowText(first) }]),
      ...(last === null ? [] : [{ name: 'last row', value: rowText(last) }]),
      ...(rejected.rows > 0
        ? [{ name: 'left out', value: `${counted(rejected.rows, 'row')} unusable` }]
        : []),
      ...(repeatedRows > 0
        ? [{ name: 'repeated', value: `${counted(repeatedRows, 'row')} that count once` }]
        : []),
      ...replacedText(replaced)
        .slice(0, -1)
        .map((value) => ({ name: 'replaces', value })),
    ],
  };
}

/** Returns the days of the rows; days that are far apart may indicate a wrong clock or date format. */
function daysOf({ period }: DemandExport, sums: readonly DemandSums[]): Understood['facts'] {
  if (period !== null) {
    const days = (Date.parse(period.to) - Date.parse(period.from)) / DAY + 1;
    return [{ name: 'totals of', value: `${period.from} to ${period.to}, ${counted(days, 'day')}` }];
  }
  return sums.flatMap(({ from, to, days }) => {
    if (from === null || to === null) return [];
    const span = (Date.parse(to) - Date.parse(from)) / DAY + 1;
    const isGuess = isFarApart(Number(days), span);
    const value = `${from} to ${to}, ${counted(Number(days), 'day')} with rows${isGuess ? ', far apart' : ''}`;
    return [{ name: 'days', value, ...(isGuess ? { isGuess } : {}) }];
  });
}

function sumText({ rows, clicks, impressions }: DemandSums): string {
  return `${countText(rows)}, with ${counted(Number(clicks), 'click')} and ${counted(Number(impressions), 'impression')}`;
}

function rowText({ date, url, query, device, country, clicks, impressions, position }: DemandRow): string {
  const names = [date, url, query, device, country].filter((one) => one !== null);
  const figures = [counted(Number(clicks), 'click'), counted(Number(impressions), 'impression')];
  return [...names, ...figures, ...(position === null ? [] : [`position ${position}`])].join(', ');
}
