import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pageWith, type Site, serveSite } from '../support/crawl-site.ts';
import { crawlhouse, crawlhouseProcess, published, rawProjectFolder } from '../support/project.ts';
import { ALL_ROUNDS, roundSeed, seededRandom } from '../support/random.ts';
import { temporaryConnection, temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { CHROMIUM, MISSING } from './chromium.ts';

if (CHROMIUM === undefined) console.warn(MISSING);

const PAGES = 30;
const KILLS = ALL_ROUNDS ? 8 : 3;

/** Each page has what its script adds. */
function scriptedSite(): Promise<Site> {
  const script = '<script>document.body.append("shown by a script"); document.title += " shown";</script>';
  const paths = Array.from({ length: PAGES }, (_, page) => `/${page}`);
  const pages = paths.map((path) => [path, `<title>${path}</title>${pageWith('/')}${script}`]);
  return serveSite({ '/': pageWith(...paths), ...Object.fromEntries(pages) });
}

/** A folder for temporary files whose path is so short that sockets have room. */
function shortFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'k'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The processes that were started with a folder for temporary files. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const told = ['environ', 'cmdline']
          .map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
          .join();
        return told.includes(folder) ? [`${pid} ${told.slice(-200)}`] : [];
      } catch {
        return []; // It has ended, or is another user's.
      }
    });
}

/** Browsers end by themselves when their pipe is closed. */
async function allEnded(folder: string): Promise<void> {
  await until(async () => processesOf(folder).length === 0 || undefined);
}

/** A rendering crawl that has rendered some pages. */
async function rendering(
  folder: string,
  site: Site,
  requests: number,
  temporary: string,
): Promise<ChildProcess> {
  const child = crawlhouseProcess(folder, ['crawl', `${site.origin}/`, '--render'], { TMPDIR: temporary });
  child.stdout.resume();
  child.stderr.resume();
  const before = site.hits.length;
  await until(async () => site.hits.length - before >= requests || child.exitCode !== null || undefined);
  return child;
}

async function ended(child: ChildProcess): Promise<readonly (number | string | null)[]> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return [child.exitCode, child.signalCode];
}

describe.skipIf(CHROMIUM === undefined)('a rendering crawl', () => {
  test(`killed ${KILLS} times produces the same warehouse, and leaves neither process nor folder (seed ${roundSeed()})`, async () => {
    const site = await scriptedSite();
    const random = seededRandom(roundSeed());
    const [calm, stormy, temporary] = [await rawProjectFolder(), await rawProjectFolder(), shortFolder()];
    const whole = async (folder: string): Promise<void> => {
      const argv = ['crawl', `${site.origin}/`, '--render'];
      const { status, stderr } = await crawlhouse(folder, null, argv, { TMPDIR: temporary });
      expect([status, stderr]).toEqual([0, expect.any(String)]);
    };
    await whole(calm);
    for (let kill = 0; kill < KILLS; kill++) {
      // Before the first page, within, or at the end: the number of requests says when.
      const child = await rendering(stormy, site, Math.floor(random() * PAGES * 0.6), temporary);
      child.kill('SIGKILL');
      await ended(child);
      await allEnded(temporary);
    }
    await whole(stormy);
    await allEnded(temporary);
    expect(readdirSync(temporary)).toEqual([]);
    const connection = await temporaryConnection(await temporaryFolder());
    for (const [table, varying] of [
      ['crawl_pages', '_.*|fetch_date.*|load_time.*|.*_ms|delay_.*'],
      ['crawl_links', '_.*|fetch_date.*'],
    ]) {
      const rows = `SELECT COLUMNS(name -> NOT regexp_full_match(name, '${varying}')) FROM raw.${table} ORDER BY ALL`;
      const expected = await published(connection, calm, rows);
      expect(expected.length).toBeGreaterThan(PAGES);
      expect(await published(connection, stormy, rows)).toEqual(expected);
    }
    const shown = `SELECT count(*) AS shown FROM raw.crawl_pages WHERE rendered AND title LIKE '% shown'`;
    expect(await published(connection, stormy, shown)).toEqual([{ shown: String(PAGES) }]);
  });

  test.for(['SIGTERM', 'SIGINT'] as const)(
    'ends immediately after a second %s, and leaves neither process nor folder',
    async (signal) => {
      const site = await scriptedSite();
      const [folder, temporary] = [await rawProjectFolder(), shortFolder()];
      const child = await rendering(folder, site, PAGES / 3, temporary);
      // Another program's is not ours to remove.
      writeFileSync(join(temporary, 'org.chromium.Chromium.other'), '');
      child.kill(signal);
      child.kill(signal);
      expect([143, 130]).toContain((await ended(child))[0]);
      await allEnded(temporary);
      expect(readdirSync(temporary)).toEqual(['org.chromium.Chromium.other']);
    },
  );

  test('with a long path for temporary files leaves none when its browser is killed', async () => {
    const site = await scriptedSite();
    const temporary = join(shortFolder(), 'a'.repeat(60));
    mkdirSync(temporary);
    const child = await rendering(await rawProjectFolder(), site, PAGES / 3, temporary);
    const mark = `-${child.pid}-`;
    const browsers = processesOf(mark).map((one) => Number(one.split(' ')[0]));
    expect(browsers).not.toEqual([]);
    for (const pid of browsers) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended with its parent.
      }
    }
    expect(await ended(child)).toEqual([0, null]);
    await allEnded(mark);
    const left = readdirSync('/tmp').filter((name) => name.startsWith('crawlhouse-') && name.includes(mark));
    expect([readdirSync(temporary), left]).toEqual([[], []]);
  });
});
