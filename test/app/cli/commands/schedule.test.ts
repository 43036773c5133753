import { expect, test } from 'vitest';
import { fireSchedule } from '../../../../src/app/cli/commands/schedule.ts';
import { loadSettings } from '../../../../src/app/settings/load-settings.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { ConsoleOidcSettings } from '../../../../src/etl/project/settings/console-settings.ts';
import { writeCrawlFile } from '../../../../src/etl/project/settings/crawls/crawl-file.ts';
import { Schedule } from '../../../../src/etl/project/settings/schedules.ts';
import { serveSite } from '../../../support/crawl-site.ts';
import { rawProjectFolder } from '../../../support/project.ts';

test('if other users write schedules, a schedule reaches private addresses only with allow_private', async () => {
  // The crawl that is allowed ends at its start URL.
  const site = await serveSite({ '/': { status: 403 } });
  const own = await loadSettings(await rawProjectFolder(), {});
  const crawl = `${site.origin}/`;
  await writeCrawlFile(own.projectDir, crawl, 'max_url: 1\n', '');
  const console_oidc = ConsoleOidcSettings.parse({
    issuer: 'https://accounts.example',
    client_id: 'console',
    client_secret: 'secret',
  });
  const fired = async (allow_private: boolean, changes: object) => {
    const schedule = Schedule.parse({ name: 'x', cron: '0 6 * * *', crawl, allow_private });
    const firing = { schedule, isLast: true, schedulesError: null };
    const settings = { ...own, console_actions: true, ...changes };
    return fireSchedule(settings, firing, silentLogger, new AbortController().signal);
  };
  const refusal = 'its address is not on the public Internet';
  await expect(fired(false, { console_oidc })).rejects.toThrow(refusal);
  expect(site.requests).toEqual([]);
  for (const [allow, changes] of [
    [true, { console_oidc }],
    [false, {}],
  ] as const)
    await expect(fired(allow, changes)).rejects.toThrow('the site answers 403');
});
