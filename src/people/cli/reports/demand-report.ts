import type { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import { textTable } from '../../../core/text/text-table.ts';
import type { Replaced } from '../../../service/local/ranking/replaced-demand.ts';
import type { AddedDemand } from '../../../service/local/ranking/store-demand.ts';
import type { DemandExport } from '../../../service/site/demand/demand-row.ts';
import { EXPORT_FORMATS } from '../../../service/site/demand/demand-row.ts';
import { shownPath } from '../local/shown-path.ts';
import type { Understood } from './understood.ts';

/** An export that was given, and what became of it. */
export interface DemandOutcome {
  readonly source: Omit<DemandExport, 'tables'>;
  /** Null where the export was refused. */
  readonly added: AddedDemand | null;
  /** What it means, as it was shown before anything was stored; null where it was refused or known. */
  readonly understood: Understood | null;
  /** What earlier exports lost to it; null where nothing was stored. */
  readonly replaced: Replaced | null;
  readonly error: CrawlhouseError | null;
}

const [PLACES_SHOWN, HOSTS_SHOWN] = [5, 3];
const DAY = 86_400_000;

/** The outcome of an export for people. */
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
    .map((one) => `${one}\n`)
    .join('')}`;
}

/** What earlier exports lose, before they lose it: a sentence each. */
export function replacedText({ days, lost_urls, lost_clicks, totals, hidden }: Replaced): string[] {
  const lost = `${counted(lost_urls, 'URL')} with ${countText(lost_clicks)} clicks are only in the earlier rows`;
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
          `The rows by day take the place of the totals of ${hidden.from} to ${hidden.to} in answers: ${counted(hidden.urls, 'URL')} with ${countText(hidden.clicks)} clicks are only in the totals.`,
        ]),
    ...(days + totals.length > 0 || hidden !== null
      ? ['Leave what earlier exports have as it is with --keep; adding an earlier file again brings it back.']
      : []),
  ];
}

/** What is to be known of an export, a sentence each. */
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
        `By ${sum.by}: ${countText(sum.anonymized_clicks)} clicks and ${countText(sum.anonymized_impressions)} impressions are of queries that are not named.`,
    ),
    ...Object.entries(leftOut).map(
      ([type, rows]) =>
        `${counted(rows, 'row')} of the search type ${type} are left out: only the web's are loaded.`,
    ),
    ...(added.totalRows ?? []).map(({ place, line, is_left_out }) =>
      is_left_out
        ? `${place}, line ${line}: a row of the sums of all others is left out.`
        : `${place}, line ${line}: it has the name of a row of sums, but not their figures: it counts like the others.`,
    ),
    ...((added.repeatedRows ?? 0) > 0
      ? [`${counted(added.repeatedRows ?? 0, 'row')} repeat others with the same figures, and count once.`]
      : []),
    ...Object.entries(added.coveredRows ?? {}).map(
      ([property, rows]) =>
        `${counted(rows, 'row')} of the property ${property} are left out: another property of the export has them too.`,
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
          `${counted(kept_days, 'day')} keep the rows of an earlier export, which have more dimensions or are kept.`,
        ]
      : []),
    ...(rejected.rows > 0
      ? [
          `${counted(rejected.rows, 'row')} can't be used and ${rejected.rows === 1 ? 'is' : 'are'} left out (on_reject: quarantine):`,
          ...places,
        ]
      : []),
    ...source.notes,
  ];
}

function differencesText(differences: AddedDemand['differences']): string[] {
  if (differences.length === 0) return ['No totals came with these rows, so there is nothing to compare.'];
  const texts = differences.flatMap(({ text }) => (text === null ? [] : [text]));
  return texts.length === 0 ? ["The rows add up to the export's own totals."] : texts;
}

function daysText({ from, to }: { readonly from: string; readonly to: string }): string {
  const days = (Date.parse(to) - Date.parse(from)) / DAY + 1;
  return `totals of ${counted(days, 'day')}, ${from} to ${to}`;
}

/** The outcome as the document of `--json` has it. */
export function demandDocument({ source, added, understood, replaced, error }: DemandOutcome): object {
  const { format, engine, files, period, notes, provisionalFrom = null } = source;
  return {
    ...{ files, format, search_engine: engine, period, notes, provisional_from: provisionalFrom },
    status: error === null ? (added?.status ?? 'refused') : 'refused',
    understood: (understood?.facts ?? []).map(({ name, value, isGuess = false }) => ({
      ...{ name, value, is_guess: isGuess },
    })),
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
