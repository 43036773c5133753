import { expect, test } from 'vitest';
import { IssueSettings } from '../../../../src/etl/project/settings/issue-settings.ts';
import { unknownIssueSettings } from '../../../../src/etl/state/catalog/unknown-settings.ts';
import { temporaryConnection, temporaryFolder } from '../../../support/temporary.ts';

const signal = new AbortController().signal;

test('unknown segments and projects in settings are reported, with suggestions', async () => {
  const connection = await temporaryConnection(await temporaryFolder());
  const settings = IssueSettings.parse({
    segments: { '/blog/': { thin: false }, '/blg/': { thin: false } },
    projects: { shop: { segments: { shelf: {}, shelv: {} } } },
  });
  expect(await unknownIssueSettings(connection, settings, signal)).toEqual([]);
  await connection.run(`CREATE SCHEMA mart; CREATE TABLE mart.crawl_segments AS FROM
    (VALUES ('(directory)', '/blog/'), ('kinds', 'shelf'), ('(filter)', 'kept'), ('(site)', '(site)')) AS t(segmentation, segment)`);
  const found = await unknownIssueSettings(connection, settings, signal);
  expect(found.map(({ message }) => message)).toEqual([
    'issues.segments./blg/: the warehouse has no segment /blg/, so these settings have no effect',
    'issues.projects.shop.segments.shelv: the warehouse has no segment shelv, so these settings have no effect',
  ]);
  expect(found.map(({ hint }) => hint.split('?')[0])).toEqual(['did you mean /blog/', 'did you mean shelf']);
  expect(
    await unknownIssueSettings(connection, IssueSettings.parse({ segments: { kept: {} } }), signal),
  ).toHaveLength(1);
});
