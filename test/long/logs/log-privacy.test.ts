import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { MAIN } from '../../app/cli/capture.ts';
import { PlantedSecrets, secretsIn } from '../../support/planted-secrets.ts';
import { rawProjectFolder } from '../../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../../support/random.ts';
import { noSmallDisk, smallDisk } from '../../support/small-disk.ts';
import { temporaryConnection, temporaryFolder } from '../../support/temporary.ts';

const SITE = 'https://www.example.com/';
const LINES = 30_000;
const KILLS = ALL_ROUNDS ? 12 : 2;
const secrets = new PlantedSecrets(roundSeed());
const random = seededRandom(roundSeed());

/** A line with an address, a token in the query, and one in the query of the referrer. */
function lineOf(number: number): string {
  const of = (all: readonly string[], step: number): string => all[(number * step) % all.length] as string;
  const [address, token, other] = [of(secrets.addresses, 1), of(secrets.tokens, 7), of(secrets.tokens, 11)];
  const time = `${String(20 + (number % 3))}/Nov/2026:10:00:${String(number % 60).padStart(2, '0')} +0000`;
  const agent =
    number % 3 === 0
      ? 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
      : 'Mozilla/5.0 Firefox/140.0';
  return `${address} - - [${time}] "GET /p${number % 500}?session=${token} HTTP/1.1" 200 ${number} "https://www.example.com/r?t=${other}#${other}" "${agent}"`;
}

const log = Array.from({ length: LINES }, (_, number) => lineOf(number));
for (const line of log.slice(0, 50)) for (const text of [line, `${line}\n`]) secrets.addHashes(text);
for (const bytes of [1024, 4096, 65_536]) secrets.addHashes(`${log.join('\n')}\n`.slice(0, bytes));

async function place(settings = 'access_logs: { query_strings: drop, addresses: drop }\n') {
  const folder = await rawProjectFolder();
  await appendFile(join(folder, 'crawlhouse.yaml'), settings);
  const path = join(await temporaryFolder(), 'access.log');
  await writeFile(path, `${log.join('\n')}\n`);
  await utimes(path, 1, 1);
  const start = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [MAIN, ...args, '--project-dir', folder], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    // A process that is killed closes its input.
    child.stdin.on('error', () => {});
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        said += piece;
      });
    return { child, end: once(child, 'close').then(() => ({ code: child.exitCode, said })) };
  };
  return {
    folder,
    path,
    start,
    add: (...more: readonly string[]) => start(['logs', 'add', ...more, '--site', SITE]),
    found: async (where = folder) =>
      secretsIn(where, secrets, await temporaryConnection(await temporaryFolder())),
  };
}

test('the search for secrets finds them in a folder that contains them', async () => {
  const { add, path, found } = await place();
  await add(path).end;
  expect(await found()).toEqual([]);
  const open = await place('access_logs: { query_strings: keep }\n');
  await open.add(open.path).end;
  expect((await open.found()).length).toBeGreaterThan(30);
});

test('a refused log leaves no visitor data', async () => {
  const { add, path, found } = await place();
  await appendFile(
    path,
    `${log
      .slice(0, 2000)
      .map((line) => line.replace('HTTP/1.1" 200', 'HTTP/1.1" 2OO'))
      .join('\n')}\n`,
  );
  await utimes(path, 1, 1);
  const { code, said } = await add(path).end;
  expect([code, said]).toEqual([4, expect.stringContaining('cannot be read')]);
  expect([secrets.in(Buffer.from(said)), await found()]).toEqual([[], []]);
});

test(`a stopped or killed process leaves no visitor data (seed ${roundSeed()})`, async () => {
  const calm = await place();
  const began = performance.now();
  await calm.add(calm.path).end;
  const whole = performance.now() - began;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    for (let kill = 0; kill < KILLS; kill++) {
      const { add, path, found } = await place();
      const { child, end } = add(path);
      // The moment is the subject.
      await sleep(whole * (0.3 + 0.7 * random()));
      child.kill(signal);
      await end;
      expect([signal, await found()]).toEqual([signal, []]);
    }
});

test('standard input leaves no visitor data, whenever it ends', async () => {
  const { add, folder, found } = await place();
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const { child, end } = add('-');
    // It is read to its last byte, and stays open.
    await new Promise<void>((resolve) => child.stdin.write(`${log.join('\n')}\n`, () => resolve()));
    child.kill(signal);
    await end;
    expect([signal, await found()]).toEqual([signal, []]);
  }
  // As a version of before, or a system that can't unlink an open file, would leave it.
  await writeFile(join(folder, '.crawlhouse/standard-input.log'), log.join('\n'));
  const next = add('-');
  next.child.stdin.end(`${log.join('\n')}\n`);
  expect((await next.end).code).toBe(0);
  expect([existsSync(join(folder, '.crawlhouse/standard-input.log')), await found()]).toEqual([false, []]);
});

const noDisk = noSmallDisk();
test.skipIf(noDisk !== null)(
  `a full disk leaves no visitor data${noDisk === null ? '' : ` (skipped: ${noDisk})`}`,
  async () => {
    for (const megabytes of [1, 2, 4]) {
      const { start, path, found } = await place();
      const disk = await smallDisk(megabytes);
      const { code, said } = await start(['logs', 'add', path, '--site', SITE], {
        CRAWLHOUSE_STATE_DIR: disk.path,
      }).end;
      expect([megabytes, code, said]).toEqual([megabytes, 3, expect.any(String)]);
      expect([await found(), await found(disk.path), secrets.in(Buffer.from(said))]).toEqual([[], [], []]);
    }
  },
);

test('visitor data is removed once the settings no longer keep it', async () => {
  const { add, path, found, folder } = await place('access_logs: { query_strings: keep, addresses: hash }\n');
  expect((await add(path).end).code).toBe(0);
  expect((await found()).length).toBeGreaterThan(30);
  await rm(join(folder, 'crawlhouse.yaml'));
  await writeFile(
    join(folder, 'crawlhouse.yaml'),
    'shipped_models: none\naccess_logs: { query_strings: drop }\n',
  );
  expect(await add(path).end).toMatchObject({ code: 0 });
  expect([await found(), existsSync(join(folder, '.crawlhouse/work.duckdb.rewrite'))]).toEqual([[], false]);
});

test('a dropped project leaves no visitor data', async () => {
  const { add, path, found, start } = await place();
  await add(path).end;
  expect((await start(['drop', '--project', 'www.example.com', '--yes']).end).code).toBe(0);
  expect(await found()).toEqual([]);
});
