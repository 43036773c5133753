import { expect, test } from 'vitest';
import { runJobs } from '../../../../src/site/crawler/jobs/run-jobs.ts';
import type { VitalsRecord } from '../../../../src/site/crawler/records/records.ts';
import { crawlDatabase, page, pagesByPath, SITE } from '../../../support/crawl-records.ts';

const NOTHING = {
  cwv_bytes_saving: null,
  cwv_cls: null,
  cwv_fcp: null,
  cwv_lcp: null,
  cwv_performance_score: null,
  cwv_si: null,
  cwv_tbt: null,
  cwv_time_saving: null,
  cwv_tti: null,
  cwv_measurement: null,
};
const VITALS: readonly VitalsRecord[] = [
  {
    url: `${SITE}/a`,
    ...NOTHING,
    cwv_lcp: 2500,
    cwv_cls: 0.1234,
    cwv_measurement: 'Lighthouse',
    warnings: [],
  },
  { url: `${SITE}/b`, ...NOTHING, warnings: ['vitals_timeout'] },
];
const pages = [page('/a'), page('/b', { is_truncated: true }), page('/c')];

test('a page has its web vitals, or the reason why it has none', async () => {
  const connection = await crawlDatabase({ pages, vitals: VITALS });
  await runJobs(connection, { fields: { customFields: [], hasVitals: true, isList: false } });
  const fields = ['cwv_lcp', 'cwv_cls', 'cwv_measurement', 'processing_warnings'];
  expect(await pagesByPath(connection, fields)).toMatchObject({
    '/a': { cwv_lcp: 2500, cwv_cls: 0.1234, cwv_measurement: 'Lighthouse', processing_warnings: null },
    '/b': {
      cwv_lcp: null,
      cwv_cls: null,
      cwv_measurement: null,
      processing_warnings: ['truncated', 'vitals_timeout'],
    },
    '/c': { cwv_lcp: null, cwv_cls: null, cwv_measurement: null, processing_warnings: null },
  });
});

test('a crawl without measurements lacks the fields, so that no page counts as good', async () => {
  const connection = await crawlDatabase({ pages });
  await runJobs(connection);
  await expect(connection.rows('SELECT cwv_lcp FROM pages')).rejects.toThrow('cwv_lcp');
});
