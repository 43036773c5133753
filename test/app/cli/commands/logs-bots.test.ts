import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, projectFolder } from '../capture.ts';

/** A project with rows of its own for the known bots. */
async function projectWith(seeds: Readonly<Record<string, string>>): Promise<string> {
  const folder = await projectFolder();
  await mkdir(join(folder, 'sql', 'seeds'), { recursive: true });
  for (const [name, content] of Object.entries(seeds))
    await writeFile(join(folder, 'sql', 'seeds', `${name}.csv`), content);
  return folder;
}

test('known bots, including those of the project, are listed with their verification', async () => {
  const folder = await projectWith({
    bots: 'token,crawler,bot_class,engine,purpose,reference\nOurBot,OurBot,other,us,monitoring,\n',
    bot_checks:
      'crawler,check_method,check_value,reference\nOurBot,ranges,ours,\nOurBot,dns,bot.example.com,\n',
    bot_ranges:
      'range_list,prefix,source,published,copied_from\nours,192.0.2.0/28,https://example.com/bot.json,2026-01-02,\nours,2001:db8::/64,https://example.com/bot.json,2026-01-02,\n',
  });
  const { code, stdout } = await capture('logs', 'bots', '--json', '--project-dir', folder);
  expect(code).toBe(0);
  const { bots } = JSON.parse(stdout);
  expect(bots).toContainEqual({
    token: 'OurBot',
    crawler: 'OurBot',
    bot_class: 'other',
    engine: 'us',
    purpose: 'monitoring',
    reference: null,
    found_in: null,
    read_on: null,
    ranges: 2,
    published: ['2026-01-02'],
    sources: ['https://example.com/bot.json'],
    dns_suffixes: ['bot.example.com'],
  });
  const table = await capture('logs', 'bots', '--project-dir', folder);
  expect(table.stdout).toMatch(
    /^OurBot +other +us +monitoring +2 +2026-01-02 +bot\.example\.com +https:\/\/example\.com\/bot\.json$/m,
  );
  expect(table.stdout).toMatch(/^Googlebot +search +google /m);
});

test('a wrong row of the project’s bots is reported with file and line', async () => {
  const folder = await projectWith({ bot_ranges: 'range_list,prefix,source\na,1.2.3.4,\n' });
  const { code, stderr } = await capture('logs', 'bots', '--project-dir', folder);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('sql/seeds/bot_ranges.csv:1: the columns are range_list, prefix, source'),
  ]);
});
