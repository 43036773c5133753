import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../support/temporary.ts';
import { service } from '../../support.ts';
import { unescaped } from './unescaped.ts';

test('every curl command on the sandbox pages runs as pasted, and its request is accepted', async () => {
  const own = await service({
    generate: [
      'crawls=2,pages=30,links=60,columns=12,clusters=3,structured_data=5,comparisons=1,log_days=2,events=60,ranking_days=2',
    ],
  });
  const home = await temporaryFolder();
  await writeFile(join(home, '.curlrc'), String.raw`write-out = "\n%{http_code}"`);
  const env = { PATH: process.env.PATH, CURL_HOME: home, CRAWLHOUSE_ACCESS_TOKEN: own.sandbox.accessToken };
  const linesNow = async (): Promise<string[]> => {
    const page = await own.ask('/', { token: null });
    const found = [...page.text.matchAll(/<pre>([^<]*\bcurl -s [^<]*)<\/pre>/g)];
    return found.map((match) => unescaped(String(match[1])));
  };
  const first = await linesNow();
  expect(first).toHaveLength(48);
  const isDeletion = (index: number): boolean => String(first[index]).includes('-X DELETE');
  const order = [...first.keys()];
  // What one line makes another deletes or steers: the page names what is there by then.
  for (const index of [...order.filter((one) => !isDeletion(one)), ...order.filter(isDeletion).reverse()]) {
    const known = String(first[index]);
    const isStale = isDeletion(index) || /\$(?!CRAWLHOUSE)|\/pilot/.test(known);
    const line = isStale ? String((await linesNow())[index]) : known;
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { env });
    expect(stdout.trim().split('\n').at(-1), `${line}\n${stdout}`).toMatch(/^20[04]$/);
  }
});
