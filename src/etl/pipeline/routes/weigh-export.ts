import { counted, durationText } from '../../../core/text/amounts.ts';
import { type Field, typeFamily } from '../../project/model/field.ts';
import type { RoutePace } from '../../project/model/route-pace.ts';
import type { LedgerExport } from '../../state/ledger/ledger-facts.ts';
import { chooseFormat } from './choose-format.ts';
import { isUsable } from './export/data-export-job.ts';
import type { RouteFormat, RouteOption } from './route.ts';

/** Types whose values are JSON text or structures in Parquet. */
const NESTED: readonly string[] = ['object', 'nested'];

/** Values (rows × fields) per second, from the first request to the package, without past loads (docs/routes.md). */
export const VALUES_PER_SECOND: Readonly<Record<RouteFormat, number>> = {
  csv: 2_500_000,
  json: 2_000_000,
  parquet: 5_000_000,
};
/** Seconds until the service has made a data export, without past ones. */
export const EXPORT_WAIT = 120;

export interface WeighedUnit {
  /** The service's count; null if the service reports none. */
  readonly rows: number | null;
  /** Null if they are unknown. */
  readonly fields: readonly Field[] | null;
  readonly requested?: Pick<LedgerExport, 'store' | 'format' | 'status'> | undefined;
}

interface RouteCost {
  readonly seconds: number;
  /** Of those, the seconds before the first row. */
  readonly waited: number;
  /** Number of past loads used for the estimate; 0 for the defaults. */
  readonly loads: number;
}

/** Returns whether both the stream and a data export are possible, so that the facts of a unit decide. */
export function isWeighed(options: readonly RouteOption[]): boolean {
  return ['stream', 'export'].every((name) => options.some(({ route }) => route === name));
}

export function withPast(
  options: readonly RouteOption[],
  paces: readonly RoutePace[],
): readonly RouteOption[] {
  if (!isWeighed(options)) return options;
  return options.map((option) => {
    const past = paces.filter(({ route }) => route === option.route);
    return past.length === 0 ? option : { ...option, past };
  });
}

/**
 * Returns the quicker of streamed export and data export, with both times as the reason. Returns null if only one is
 * possible, or if nothing is known. If an attempt has already requested an export, that export is used, whatever it
 * would cost now.
 */
export function weighExport(
  options: readonly RouteOption[],
  { rows, fields, requested }: WeighedUnit,
): RouteOption | null {
  const streamed = options.find(({ route }) => route === 'stream');
  const exported = options.find(({ route }) => route === 'export');
  if (streamed === undefined || exported === undefined) return null;
  if (isUsable(requested, exported))
    return { ...exported, reason: 'an earlier attempt has requested this data export' };
  if (rows === null || fields === null) return null;
  const loss = exported.format === 'parquet' ? parquetLoses(fields) : null;
  if (loss !== null) return { ...streamed, reason: `stream, because ${loss}` };
  const size = { rows, fields: fields.length };
  const byStream = routeCost(streamed, chooseFormat(streamed, fields).format, size);
  const byExport = routeCost(exported, exported.format, size);
  const isExport = byExport.seconds < byStream.seconds;
  const { seconds, loads } = isExport ? byExport : byStream;
  const reason = reasonOf(isExport, rows, { byStream, byExport, format: exported.format });
  return { ...(isExport ? exported : streamed), reason, ...(loads > 0 ? { seconds } : {}) };
}

/** Estimates the cost of a route from past loads of the project's dataset in this format, or else from the defaults. */
function routeCost(
  { route, past }: RouteOption,
  format: RouteFormat,
  { rows, fields }: { readonly rows: number; readonly fields: number },
): RouteCost {
  const pace = past?.find((load) => load.format === format);
  const waited = route === 'export' ? (pace?.waited ?? EXPORT_WAIT) : 0;
  const perSecond = pace?.rows_per_second ?? null;
  const transfer = perSecond === null ? (rows * fields) / VALUES_PER_SECOND[format] : rows / perSecond;
  return { seconds: waited + transfer, waited, loads: pace?.loads ?? 0 };
}

interface Weighed {
  readonly byStream: RouteCost;
  readonly byExport: RouteCost;
  /** Format of the data export. */
  readonly format: RouteFormat;
}

function reasonOf(isExport: boolean, rows: number, { byStream, byExport, format }: Weighed): string {
  const size = counted(rows, 'row');
  const stream = durationText(byStream.seconds);
  const exported = durationText(byExport.seconds);
  const name = format === 'parquet' ? 'Parquet' : format.toUpperCase();
  const basis = `(${basisOf(byStream.loads, byExport.loads)})`;
  if (isExport)
    return `export in ${name}: ${size}, about ${exported}, compared with ${stream} by the stream ${basis}`;
  // With few rows, the requests take most of the time, so an estimate is meaningless.
  if (byStream.seconds <= byExport.waited)
    return `stream: ${size}, in less time than the wait for a data export, about ${durationText(byExport.waited)} ${basis}`;
  return `stream: ${size}, about ${stream}, compared with ${exported} by a data export in ${name} ${basis}`;
}

function basisOf(streamed: number, exported: number): string {
  const all = streamed + exported;
  if (all === 0) return 'no past loads';
  const none = streamed === 0 ? ', none by the stream' : exported === 0 ? ', none by a data export' : '';
  return `${counted(all, 'past load')}${none}`;
}

/**
 * Returns why rows of these fields are not requested as a data export in Parquet by default: differences that JSON
 * keeps and Parquet may not (docs/decisions/staging.md). Null if Parquet keeps them all. Depends only on the fields,
 * never on their values.
 */
export function parquetLoses(fields: readonly Field[]): string | null {
  const seen = new Map<string, string>();
  for (const { name, type } of fields) {
    const other = seen.get(name.toLowerCase());
    if (other !== undefined)
      return `Parquet cannot have both ${JSON.stringify(other)} and ${JSON.stringify(name)}, which differ only in case`;
    seen.set(name.toLowerCase(), name);
    if (typeFamily(type) === 'json' && !NESTED.includes(type))
      return `Parquet may lose the difference between a number and its text in ${JSON.stringify(name)}, of the unknown type ${JSON.stringify(type)}`;
  }
  return null;
}
