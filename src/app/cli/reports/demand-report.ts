import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import type { Replaced } from '../../../service/ranking/replaced-demand.ts';
import type { AddedDemand } from '../../../service/ranking/store-demand.ts';
import type { DemandExport } from '../../../site/search-data/demand-row.ts';
import { EXPORT_FORMATS } from '../../../site/search-data/demand-row.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { shownPath } from '../local/shown-path.ts';
import { type Understood, understoodDocument } from './understood.ts';

export interface DemandOutcome {
  readonly source: Omit<DemandExport, 'tables'>;
  /** Null if the export was refused. */
  readonly added: AddedDemand | null;
  /** The meaning of the export, as shown before it was stored; null if it was refused or known. */
  readonly understood: Understood | null;
  /** Rows of earlier exports that it replaced; null if nothing was stored. */
  readonly replaced: Replaced | null;
  readonly error: CrawlhouseError | null;
}

const [PLACES_SHOWN, HOSTS_SHOWN] = [5, 3];
const DAY = 86_400_000;

export function describeDemand({ source, added }: DemandOutcome, folder: string): string {
  if (added === null || added.status === 'planned') return '';
  const { period } = source;
  const head = `${source.files.map((file) => shownPath(folder, file)).join(', ')}: ${EXPORT_FORMATS[source.format]}${period === null ? '' : `, ${daysText(period)}`}\n`;
  if (added.status === 'unchanged') return `${head}Nothing new: this export was added before.\n`;
  const rows = added.sums.map((sum) => [
    sum.by === '' ? '(all)' : sum.by,
    Number(sum.rows),
    sum.from === null ? null : `${sum.from} to ${sum.to}`,
    Number(sum.days) || null,
    Number(sum.clicks),
    Number(sum.impressions),
  ]);
  const table = textTable(['rows by', 'rows', 'from, to', 'days', 'clicks', 'impressions'], rows);
  return `${head}\n${table}\n${sentencesOf(source, added)
    .map((sentence) => `${sentence}\n`)
    .join('')}`;
}

/** Returns the rows that earlier exports are about to lose, in sentences. */
export function replacedText({ days, lost_urls, lost_clicks, totals, hidden }: Replaced): string[] {
  const lost = `${counted(lost_urls, 'URL')} with ${countText(lost_clicks)} clicks were only in the earlier rows`;
  const kinds = totals.map(
    ({ by, from, to, rows, clicks }) =>
      `The totals by ${by} of ${from} to ${to} replace those of an earlier export: ${counted(rows, 'row')} with ${countText(clicks)} clicks.`,
  );
  return [
    ...(days > 0
      ? [`${counted(days, 'day')} of rows by URL replace those of an earlier export; ${lost}.`]
      : []),
    ...kinds,
    ...(hidden === null
      ? []
      : [
          `The rows by day replace the totals of ${hidden.from} to ${hidden.to} in results: ${counted(hidden.urls, 'URL')} with ${countText(hidden.clicks)} clicks are only in the totals.`,
        ]),
    ...(days + totals.length > 0 || hidden !== null
      ? [
          'To keep the rows of earlier exports, add the file with --keep. To restore them, add the earlier file again.',
        ]
      : []),
  ];
}

/** Notices about an export, in sentences. */
function sentencesOf(source: DemandOutcome['source'], added: AddedDemand): string[] {
  const { rejected, leftOut, kept_days, differences, sums } = added;
  const otherHosts = Object.entries(added.otherHosts ?? {});
  const places = rejected.places
    .slice(0, PLACES_SHOWN)
    .map(({ place, line, reason }) => `  ${place}${line === null ? '' : `, line ${line}`}: ${reason}`);
  const hidden = sums.filter((sum) => sum.anonymized_impressions > 0n);
  return [
    ...differencesText(differences),
    ...hidden.map(
      (sum) =>
        `By ${sum.by}: ${countText(sum.anonymized_clicks)} clicks and ${countText(sum.anonymized_impressions)} impressions come from anonymized queries.`,
    ),
    ...Object.entries(leftOut).map(
      ([type, rows]) =>
        `${counted(rows, 'row')} of the search type ${type} are left out: only web search is loaded.`,
    ),
    ...(added.totalRows ?? []).map(({ place, line, is_left_out }) =>
      is_left_out
        ? `${place}, line ${line}: left out: the sums of all other rows.`
        : `${place}, line ${line}: it is named like a row of sums but has other figures, so it counts like any row.`,
    ),
    ...((added.repeatedRows ?? 0) > 0
      ? [`${counted(added.repeatedRows ?? 0, 'row')} repeat other rows with the same figures and count once.`]
      : []),
    ...Object.entries(added.coveredRows ?? {}).map(
      ([property, rows]) =>
        `${counted(rows, 'row')} of the property ${property} are left out: another property of the export has the same rows.`,
    ),
    ...(otherHosts.length > 0
      ? [
          `${counted(
            otherHosts.reduce((sum, [, rows]) => sum + rows, 0),
            'row',
          )} of pages of other hosts are left out (${otherHosts
            .slice(0, HOSTS_SHOWN)
            .map(([host]) => host)
            .join(', ')}); --host adds one.`,
        ]
      : []),
    ...(kept_days > 0
      ? [
          `${counted(kept_days, 'day')} keep the rows of an earlier export, which has more dimensions or was added with --keep.`,
        ]
      : []),
    ...(rejected.rows > 0
      ? [
          `${counted(rejected.rows, 'row')} cannot be used and ${rejected.rows === 1 ? 'is' : 'are'} left out (on_reject: quarantine):`,
          ...places,
        ]
      : []),
    ...source.notes,
  ];
}

function differencesText(differences: AddedDemand['differences']): string[] {
  if (differences.length === 0) return ['The export has no totals to compare with.'];
  const texts = differences.flatMap(({ text }) => (text === null ? [] : [text]));
  return texts.length === 0 ? ["The rows add up to the export's own totals."] : texts;
}

function daysText({ from, to }: { readonly from: string; readonly to: string }): string {
  const days = (Date.parse(to) - Date.parse(from)) / DAY + 1;
  return `totals of ${counted(days, 'day')}, ${from} to ${to}`;
}

/** Returns the outcome as in the document of `--json`. */
export function demandDocument({ source, added, understood, replaced, error }: DemandOutcome): object {
  const { format, engine, files, period, notes, provisionalFrom = null } = source;
  return {
    files,
    format,
    search_engine: engine,
    period,
    notes,
    provisional_from: provisionalFrom,
    status: error === null ? (added?.status ?? 'refused') : 'refused',
    understood: understood === null ? [] : understoodDocument(understood).facts,
    rows: added?.sums ?? [],
    differences: added?.differences ?? [],
    left_out: added?.leftOut ?? {},
    rejected: added?.rejected ?? { rows: 0, places: [] },
    other_hosts: added?.otherHosts ?? {},
    total_rows: added?.totalRows ?? [],
    repeated_rows: added?.repeatedRows ?? 0,
    covered_rows: added?.coveredRows ?? {},
    changed: added?.changed ?? null,
    replaced,
    replaced_days: added?.replaced_days ?? 0,
    kept_days: added?.kept_days ?? 0,
    error: error === null ? null : { code: error.code, message: error.message, hint: error.hint },
  };
}
