import type { Result } from 'lighthouse';
import { lookUp } from '../../../core/text/look-up.ts';
import { type PageLoad, rounded, type Vitals, type VitalsWarning } from './vitals.ts';

/** The used parts of a Lighthouse result. */
export type LighthouseResult = Pick<
  Result,
  | ('lighthouseVersion' | 'mainDocumentUrl' | 'runtimeError' | 'configSettings')
  | ('categories' | 'audits' | 'i18n')
>;

/** The part of an audit's details that is read. */
interface Savings {
  /** The items of a list are an object. */
  readonly items?: readonly { readonly url?: string; readonly wastedBytes?: number }[] | object;
  readonly debugData?: { readonly wastedBytes?: number };
}

const METRICS = {
  cwv_cls: 'cumulative-layout-shift',
  cwv_fcp: 'first-contentful-paint',
  cwv_lcp: 'largest-contentful-paint',
  cwv_si: 'speed-index',
  cwv_tbt: 'total-blocking-time',
  cwv_tti: 'interactive',
} as const;

/** Audits of bytes that this load did not need. The one of caches is not included: its bytes belong to later visits. */
const OF_BYTES = [
  'document-latency-insight',
  'duplicated-javascript-insight',
  'image-delivery-insight',
  'legacy-javascript-insight',
  'unminified-css',
  'unminified-javascript',
  'unused-css-rules',
  'unused-javascript',
] as const;

/** Audits of time by which the first or the largest paint could be earlier. */
const OF_TIME = [
  ...OF_BYTES,
  'font-display-insight',
  'lcp-discovery-insight',
  'render-blocking-insight',
] as const;

const WARNINGS: Readonly<Record<string, VitalsWarning>> = {
  TARGET_CRASHED: 'vitals_crashed',
  PAGE_HUNG: 'vitals_timeout',
  PROTOCOL_TIMEOUT: 'vitals_timeout',
  NO_FCP: 'vitals_no_paint',
  NO_LCP: 'vitals_no_paint',
};
/** The message that a page did not become quiet in time. */
const LATE = 'core/gather/driver/navigation.js | warningTimeout';

export function warningOf(code: unknown): VitalsWarning {
  return lookUp(WARNINGS, String(code)) ?? 'vitals_failed';
}

/**
 * Returns the result of loading a page. A figure that cannot be determined is null. A result of another page is
 * discarded.
 */
export function readResult(url: string, result: LighthouseResult, chromium: string): PageLoad {
  const { runtimeError, mainDocumentUrl = url } = result;
  if (runtimeError !== undefined) return { warning: warningOf(runtimeError.code) };
  if (withoutHash(mainDocumentUrl) !== withoutHash(url)) return { warning: 'vitals_redirected' };
  if (Object.hasOwn(result.i18n.icuMessagePaths ?? {}, LATE)) return { warning: 'vitals_timeout' };
  const vitals = vitalsOf(result);
  if (vitals.cwv_lcp === null) return { warning: 'vitals_no_paint' };
  return { vitals, instrument: instrumentOf(result, chromium), isIncomplete: false };
}

function vitalsOf({ audits, categories }: LighthouseResult): Vitals {
  const metrics = Object.entries(METRICS).map(([name, audit]) => [name, audits[audit]?.numericValue ?? null]);
  const vitals: Vitals = {
    ...(Object.fromEntries(metrics) as Record<keyof typeof METRICS, number | null>),
    cwv_performance_score: categories.performance?.score ?? null,
    cwv_bytes_saving: bytesSaving(audits),
    cwv_time_saving: timeSaving(audits),
  };
  const all = Object.entries(vitals).map(([name, value]) => [name, rounded(value, name as keyof Vitals)]);
  return Object.fromEntries(all) as Record<keyof Vitals, number | null>;
}

/**
 * Several audits may count the same bytes, as for a stylesheet that is neither used nor minified. For each resource the
 * largest count applies. Returns null if the savings cannot be determined.
 */
function bytesSaving(audits: LighthouseResult['audits']): number | null {
  const most = new Map<string, number>();
  for (const name of OF_BYTES) {
    const audit = audits[name];
    if (audit === undefined || audit.scoreDisplayMode === 'error') return null;
    const { items = [], debugData } = (audit.details ?? {}) as Savings;
    const told = (Array.isArray(items) ? items : []).filter(
      ({ url, wastedBytes }) => url !== undefined && wastedBytes !== undefined,
    );
    const all = told.length > 0 ? told : [{ url: name, wastedBytes: debugData?.wastedBytes ?? 0 }];
    for (const { url = name, wastedBytes = 0 } of all)
      most.set(url, Math.max(most.get(url) ?? 0, wastedBytes));
  }
  return [...most.values()].reduce((sum, one) => sum + one, 0);
}

/**
 * Returns the largest saving of a single audit, because savings of several audits do not add up. Lighthouse also uses
 * one figure for the two paints.
 */
function timeSaving(audits: LighthouseResult['audits']): number | null {
  const savings = OF_TIME.map((name) => {
    const audit = audits[name];
    if (audit === undefined || audit.scoreDisplayMode === 'error') return null;
    return Math.max(audit.metricSavings?.FCP ?? 0, audit.metricSavings?.LCP ?? 0);
  });
  return savings.reduce((most, one) => (most === null || one === null ? null : Math.max(most, one)), 0);
}

function instrumentOf({ lighthouseVersion, configSettings }: LighthouseResult, chromium: string): string {
  const { formFactor, throttlingMethod, throttling } = configSettings;
  const { rttMs, throughputKbps, cpuSlowdownMultiplier } = throttling;
  const conditions = `${Math.round(rttMs)} ms, ${Math.round(throughputKbps)} kbit/s, CPU ${cpuSlowdownMultiplier}x slower`;
  return `Lighthouse ${lighthouseVersion}, Chromium ${chromium}, ${formFactor}, ${throttlingMethod}: ${conditions}`;
}

function withoutHash(url: string): string {
  return url.replace(/#.*$/s, '');
}
