import { counted, countText, figureText } from '../../../core/text/amounts.ts';
import type { SearchConsole } from '../../../site/search-data/search-console/search-console.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import type { LocalService } from './local-service.ts';
import { lastDays, totalsOf } from './sync-demand.ts';

const DAY = 86_400_000;

/** The days of a property that Search Console has and the local service lacks. */
export interface DemandGaps {
  /** The first and last day for which Search Console has search results, and their number; null if there are none. */
  readonly span: { readonly from: string; readonly to: string; readonly days: number } | null;
  /** Consecutive days without rows by URL, both inclusive. */
  readonly missing: readonly { readonly from: string; readonly to: string; readonly days: number }[];
  /** Anonymized queries of the stored days: their clicks, of all clicks of the days for which they are known. */
  readonly anonymized: {
    readonly clicks: bigint;
    readonly of: bigint;
    readonly days: number;
    readonly unknown_days: number;
  };
}

/** Compares the days of a property with the stored days. Reads no rows and stores nothing. */
export async function demandGaps(
  { handle }: { readonly handle: Pick<LocalService['handle'], 'demandDays'> },
  { console, projectId, property, days }: GapsWork,
  signal: AbortSignal,
  now = Date.now(),
): Promise<DemandGaps> {
  const shown = [...(await totalsOf(console, property, lastDays(days, now), signal)).keys()].sort();
  const stored = new Map(
    (await handle.demandDays(projectId)).map(({ day, anonymized }) => [day, anonymized]),
  );
  const had = shown.flatMap((day) => stored.get(day) ?? (stored.has(day) ? [null] : []));
  const known = had.filter((one) => one !== null);
  const [from, to] = [shown[0], shown.at(-1)];
  return {
    span: from === undefined || to === undefined ? null : { from, to, days: shown.length },
    missing: spansOf(shown.filter((day) => !stored.has(day))),
    anonymized: {
      clicks: known.reduce((sum, { clicks }) => sum + clicks, 0n),
      of: known.reduce((sum, one) => sum + one.of, 0n),
      days: known.length,
      unknown_days: had.length - known.length,
    },
  };
}

interface GapsWork {
  readonly console: SearchConsole;
  readonly projectId: string;
  readonly property: string;
  /** The number of days before today to compare. */
  readonly days: number;
}

/** Describes the gaps for people. */
export function gapsText({ span, missing, anonymized }: DemandGaps, now = Date.now()): string {
  if (span === null) return 'No day has final search results yet.\n';
  const days = missing.reduce((sum, one) => sum + one.days, 0);
  const lines = [
    `${counted(span.days, 'day')} with search results, ${span.from} to ${span.to}; ${countText(span.days - days)} stored, ${countText(days)} missing.\n`,
  ];
  const first = missing[0];
  if (first !== undefined) {
    const rows = missing.map((one) => [one.from, one.to, one.days]);
    const back = Math.ceil((now - Date.parse(first.from)) / DAY) + 1;
    lines.push(`\n${textTable(['missing from', 'to', 'days'], rows)}`);
    lines.push(`\nTo read the missing days: crawlhouse demand sync --days ${back}\n`);
  }
  return `${lines.join('')}${anonymizedText(anonymized)}`;
}

function anonymizedText({ clicks, of, days, unknown_days }: DemandGaps['anonymized']): string {
  const known =
    of === 0n
      ? ''
      : `Anonymized queries: ${countText(clicks)} of ${countText(of)} clicks (${figureText((Number(clicks) / Number(of)) * 100, 1)} %) of ${counted(days, 'stored day')}.\n`;
  const unknown =
    unknown_days === 0
      ? ''
      : `The share of anonymized queries is unknown for ${counted(unknown_days, 'stored day')} (no rows by query, or no total).\n`;
  return `${known}${unknown}`;
}

/** Returns sorted days as spans of consecutive days. */
function spansOf(days: readonly string[]): DemandGaps['missing'] {
  const spans: { from: string; to: string; days: number }[] = [];
  for (const day of days) {
    const last = spans.at(-1);
    if (last !== undefined && Date.parse(day) - Date.parse(last.to) === DAY) {
      last.to = day;
      last.days += 1;
    } else spans.push({ from: day, to: day, days: 1 });
  }
  return spans;
}
