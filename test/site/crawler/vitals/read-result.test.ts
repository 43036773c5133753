import { expect, test } from 'vitest';
import { type LighthouseResult, readResult } from '../../../../src/site/crawler/vitals/read-result.ts';

const URL = 'https://site.example/a';

const metric = (numericValue: number) => ({ scoreDisplayMode: 'numeric', numericValue });
const nothing = { scoreDisplayMode: 'notApplicable' };
const insight = (wastedBytes: number, metricSavings = {}, items: object = []) => ({
  scoreDisplayMode: 'metricSavings',
  metricSavings,
  details: { items, debugData: { wastedBytes } },
});
const opportunity = (saved: Readonly<Record<string, number>>, metricSavings = {}) => ({
  scoreDisplayMode: 'metricSavings',
  metricSavings,
  details: { items: Object.entries(saved).map(([url, wastedBytes]) => ({ url, wastedBytes })) },
});

const AUDITS: Readonly<Record<string, object>> = {
  'first-contentful-paint': metric(1234.5),
  'largest-contentful-paint': metric(2345.4),
  'speed-index': metric(2000.2),
  'total-blocking-time': metric(57.5),
  'cumulative-layout-shift': metric(0.123456),
  interactive: metric(3456.7),
  'document-latency-insight': insight(1000, { FCP: 50, LCP: 100 }, { noRedirects: { value: true } }),
  'duplicated-javascript-insight': insight(2000),
  'image-delivery-insight': insight(30_000, { FCP: 0, LCP: 300 }, [
    { url: '/a.png', wastedBytes: 20_000 },
    { url: '/b.png', wastedBytes: 10_000 },
  ]),
  'legacy-javascript-insight': insight(0),
  'unminified-css': opportunity({ '/a.css': 9000 }),
  'unminified-javascript': opportunity({ '/a.js': 4000 }, { FCP: 150, LCP: 0 }),
  'unused-css-rules': opportunity({ '/a.css': 50_000, '/b.css': 1 }),
  'unused-javascript': nothing,
  'font-display-insight': { scoreDisplayMode: 'metricSavings', metricSavings: { FCP: 20 } },
  'lcp-discovery-insight': nothing,
  'render-blocking-insight': { scoreDisplayMode: 'metricSavings', metricSavings: { FCP: 400, LCP: 500 } },
  'cache-insight': insight(400_000, { FCP: 9000 }),
};

/** A result with what is read of one. */
function result(more: { readonly [K in keyof LighthouseResult]?: unknown } = {}): LighthouseResult {
  const read: { readonly [K in keyof LighthouseResult]: unknown } = {
    lighthouseVersion: '13.5.0',
    mainDocumentUrl: URL,
    configSettings: {
      formFactor: 'mobile',
      throttlingMethod: 'simulate',
      throttling: { rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 4 },
    },
    categories: { performance: { score: 0.87 } },
    audits: AUDITS,
    i18n: { icuMessagePaths: {} },
    runtimeError: undefined,
    ...more,
  };
  return read as LighthouseResult;
}

test('each field has its audit, and no byte or millisecond is saved twice', () => {
  expect(readResult(URL, result(), '156.0.1')).toEqual({
    vitals: {
      cwv_fcp: 1235,
      cwv_lcp: 2345,
      cwv_si: 2000,
      cwv_tbt: 58,
      cwv_cls: 0.1235,
      cwv_tti: 3457,
      cwv_performance_score: 0.87,
      cwv_bytes_saving: 87_001,
      cwv_time_saving: 500,
    },
    instrument: 'Lighthouse 13.5.0, Chromium 156.0.1, mobile, simulate: 150 ms, 1638 kbit/s, CPU 4x slower',
    isIncomplete: false,
  });
});

test.each([
  ['is missing', undefined],
  ['failed', { scoreDisplayMode: 'error' }],
])('a saving whose audit %s is omitted, others stay', (_how, audit) => {
  const audits = { ...AUDITS, 'unused-css-rules': audit };
  expect(readResult(URL, result({ audits }), '156')).toMatchObject({
    vitals: { cwv_bytes_saving: null, cwv_time_saving: null, cwv_lcp: 2345 },
  });
});

test.each([
  [{ runtimeError: { code: 'NO_FCP' } }, 'vitals_no_paint'],
  [{ runtimeError: { code: 'PAGE_HUNG' } }, 'vitals_timeout'],
  [{ runtimeError: { code: 'TARGET_CRASHED' } }, 'vitals_crashed'],
  [{ runtimeError: { code: 'ERRORED_DOCUMENT_REQUEST' } }, 'vitals_failed'],
  [{ mainDocumentUrl: 'https://site.example/b' }, 'vitals_redirected'],
  [
    { i18n: { icuMessagePaths: { 'core/gather/driver/navigation.js | warningTimeout': [] } } },
    'vitals_timeout',
  ],
  [{ audits: { ...AUDITS, 'largest-contentful-paint': { scoreDisplayMode: 'error' } } }, 'vitals_no_paint'],
])('a result of another page yields no figure: %j', (more, warning) => {
  expect(readResult(URL, result(more), '156')).toEqual({ warning });
});

test('a fragment does not make another page', () => {
  expect(readResult(URL, result({ mainDocumentUrl: `${URL}#top` }), '156')).toHaveProperty('vitals');
});
