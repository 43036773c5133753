import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { capture, projectFolder } from '../capture.ts';

const GOOGLE = JSON.stringify({
  creationTime: '2026-11-01T15:00:00',
  prefixes: [{ ipv4Prefix: '192.0.2.0/28' }, { ipv6Prefix: '2001:db8::/64' }],
});

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await projectFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

const SEED = 'sql/seeds/bot_ranges.csv';
const seedOf = (folder: string): Promise<string> => readFile(join(folder, SEED), 'utf8');

test('a file of an operator replaces the list of the same name', async () => {
  const folder = await project({
    'googlebot.json': GOOGLE,
    [SEED]:
      'range_list,prefix,source,published,copied_from\ngooglebot,9.9.9.0/24,,,\nours,"1.2.3.0/24","a, b",,\n',
  });
  const file = join(folder, 'googlebot.json');
  const { code, stdout } = await capture('logs', 'bots', 'update', file, '--json', '--project-dir', folder);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      file: join(folder, SEED),
      lists: [{ range_list: 'googlebot', ranges: 2, ranges_before: 1, published: '2026-11-01' }],
    },
  ]);
  expect(await seedOf(folder)).toBe(
    [
      'range_list,prefix,source,published,copied_from',
      'ours,1.2.3.0/24,"a, b",,',
      `googlebot,192.0.2.0/28,${file},2026-11-01,`,
      `googlebot,2001:db8::/64,${file},2026-11-01,`,
      '',
    ].join('\n'),
  );
  const listed = await capture('logs', 'bots', '--json', '--project-dir', folder);
  const { bots } = JSON.parse(listed.stdout);
  expect(bots.find(({ crawler }: { crawler: string }) => crawler === 'Googlebot-Image')).toMatchObject({
    ranges: 2,
    published: ['2026-11-01'],
  });
  expect(bots.find(({ crawler }: { crawler: string }) => crawler === 'GPTBot').ranges).toBeGreaterThan(10);
});

test('--crawler assigns files to a crawler, also several files, and crawlers without a list', async () => {
  const folder = await project({
    'a.txt': '192.0.2.0/28\n',
    'b.csv': 'prefix,why\n192.0.2.0/28,x\n198.51.100.7,y\n',
  });
  const files = ['a.txt', 'b.csv'].map((name) => join(folder, name));
  const update = ['logs', 'bots', 'update', ...files, '--project-dir', folder, '--crawler'];
  const { code, stdout } = await capture(...update, 'feedfetcher-google');
  expect(code).toBe(0);
  const today = new Date().toISOString().slice(0, 10);
  expect(stdout).toMatch(new RegExp(`^FeedFetcher-Google +2 +0 +${today}$`, 'm'));
  expect((await seedOf(folder)).split('\n').slice(1, 3)).toEqual([
    `FeedFetcher-Google,192.0.2.0/28,${files[0]},${today},`,
    `FeedFetcher-Google,198.51.100.7/32,${files[1]},${today},`,
  ]);
  const unknown = await capture(...update, 'gptbt');
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('--crawler: gptbt is not a known crawler\nTry: did you mean GPTBot?'),
  ]);
});

test.each([
  [
    'a wrong one behind a right one',
    'gptbot.json',
    '{"prefixes": [{"ipv4Prefix": "0.0.0.0/0"}]}',
    '0.0.0.0/0 is wider than /8',
  ],
  ['a page', 'gptbot.json', '<html>', 'gptbot.json:1: <html> is not a prefix'],
  ['nothing', 'gptbot.json', '', 'gptbot.json: has no prefix'],
  ['a name that no list has', 'bots.json', GOOGLE, 'there is no list of ranges bots'],
])('an update from %s writes nothing', async (_name, name, content, message) => {
  const folder = await project({ 'googlebot.json': GOOGLE, [name]: content });
  const files = ['googlebot.json', name].map((one) => join(folder, one));
  const { code, stderr } = await capture('logs', 'bots', 'update', ...files, '--project-dir', folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  await expect(seedOf(folder)).rejects.toThrow('ENOENT');
});

test('invalid rows of the project are reported and stay unchanged', async () => {
  const folder = await project({ 'googlebot.json': GOOGLE, [SEED]: 'range_list,prefix\n' });
  const update = ['logs', 'bots', 'update', join(folder, 'googlebot.json'), '--project-dir', folder];
  const { code, stderr } = await capture(...update);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`${SEED}:1: the columns are range_list, prefix`),
  ]);
  expect(await seedOf(folder)).toBe('range_list,prefix\n');
});

test.each([
  ['nowhere.json', 'nowhere.json does not exist'],
  ['.', '. is a folder'],
  ['http://example.com/gptbot.json', 'http://example.com/gptbot.json is not an https address'],
])('the range file %s is refused', async (file, message) => {
  const folder = await project({});
  const words = ['logs', 'bots', 'update', file, '--crawler', 'GPTBot', '--project-dir', folder];
  const { code, stderr } = await capture(...words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('logs bots update without a file shows its usage', async () => {
  const { code, stderr } = await capture('logs', 'bots', 'update', '--project-dir', await projectFolder());
  expect([code, stderr]).toEqual([2, expect.stringMatching(/no file was named\nTry: .*logs bots update/)]);
});
