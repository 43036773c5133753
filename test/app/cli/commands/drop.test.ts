import { expect, test } from 'vitest';
import type { Invocation } from '../../../../src/app/cli/command.ts';
import { drop } from '../../../../src/app/cli/commands/drop.ts';
import { silentLogger } from '../../../../src/core/logs/logger.ts';
import { packageProject } from '../../../etl/pipeline/package-project.ts';
import { capture } from '../capture.ts';
import { typing } from '../typing.ts';

async function loaded() {
  const project = await packageProject();
  await project.load(await project.make('c1', ['a', 'b']), await project.make('c2', ['c']));
  const rows = async () =>
    (await project.read('SELECT url FROM raw.crawl_pages ORDER BY url')).map((one) => one.url);
  return { ...project, rows };
}

/** Runs the command for a person who types. */
function dropping({ settings }: Awaited<ReturnType<typeof loaded>>) {
  const typist = typing();
  const said: string[] = [];
  const invocation: Partial<Invocation> = {
    text: () => undefined,
    texts: (flag) => (flag === 'crawl' ? ['c1'] : []),
    has: () => false,
    settings: async () => settings,
    logger: silentLogger,
    signal: new AbortController().signal,
    person: typist.person,
    say: (text) => void said.push(text),
    print: async (text) => void said.push(text),
  };
  const ended = drop.run(invocation as Invocation);
  ended.catch(() => {});
  return { ...typist, ended, said: () => said.join('') };
}

test('without a terminal and --yes, drop is refused and removes nothing', async () => {
  const { folder, rows } = await loaded();
  const { code, stderr } = await capture('drop', '--crawl', 'c1', '--project-dir', folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining('to confirm the drop of 1 unit with 2 rows')]);
  expect(stderr).toContain('Try: add --yes');
  expect(await rows()).toEqual(['a', 'b', 'c']);
  expect((await capture('drop', '--crawl', 'c1', '--yes', '--project-dir', folder)).code).toBe(0);
  expect(await rows()).toEqual(['c']);
});

test('on a terminal, drop shows units and rows, and waits for a yes', async () => {
  const project = await loaded();
  const declined = dropping(project);
  await declined.answer('Drop 1 unit with 2 rows from the warehouse? yes or no', 'maybe');
  await declined.answer('yes or no is expected', 'no');
  expect(await declined.ended).toBe(0);
  expect(declined.said()).toMatch(/crawl_pages\/c1 .* 2\n(.|\n)*Nothing was dropped/);
  expect(await project.rows()).toEqual(['a', 'b', 'c']);
  const left = dropping(project);
  await left.answer('yes or no', '\x04');
  await expect(left.ended).rejects.toMatchObject({ code: 'interrupted' });
  const agreed = dropping(project);
  await agreed.answer('yes or no', 'yes');
  expect(await agreed.ended).toBe(0);
  expect(await project.rows()).toEqual(['c']);
});
