import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cleanPath } from '../../../src/site/access-logs/log-text.ts';
import { type LogEvent, logEvents } from '../../support/log-events.ts';

/**
 * Logs of other projects' test suites, with what those projects read in them as facts. Nothing of them is kept here: the
 * repositories are cloned into a cache. `LOG_SAMPLES` names a folder that has them, as `OWNER+NAME`.
 */
const CACHE =
  process.env.LOG_SAMPLES ?? join(import.meta.dirname, '../../../node_modules/.cache/crawlhouse/log-samples');
const MATOMO_READER = join(import.meta.dirname, '../../support/matomo-lines.py');
const run = promisify(execFile);

/** Parts of a line that another reader tells; those that it does not tell are absent. */
interface Fact {
  readonly line: number;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  readonly bytes?: number | undefined;
  readonly agent?: string | undefined;
  readonly second?: number | undefined;
  readonly address?: string | undefined;
}

async function repository(name: string, folders: readonly string[]): Promise<string> {
  const folder = join(CACHE, name.replace('/', '+'));
  if (existsSync(folder)) return folder;
  const git = (...options: string[]) =>
    run('git', options, { timeout: 120_000, env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } });
  try {
    await git(
      'clone',
      '-q',
      '--depth=1',
      '--filter=blob:none',
      '--sparse',
      `https://github.com/${name}`,
      folder,
    );
    await git('-C', folder, 'sparse-checkout', 'set', '--no-cone', ...folders);
    return folder;
  } catch (cause) {
    throw new Error(`can't have the logs of ${name}: no network, or git is not installed`, { cause });
  }
}

/** What our reader says otherwise; empty for a log that both read alike. */
function differences(events: readonly LogEvent[], facts: readonly Fact[]): string[] {
  const byLine = new Map(events.map((one) => [one.line, one]));
  return facts.flatMap((fact) => {
    const event = byLine.get(fact.line);
    if (event === undefined) return [`line ${fact.line}: no event`];
    const own: Record<string, unknown> = { ...event, path: event.url.replace(/^https?:\/\/[^/]*/, '') };
    return Object.entries(fact).flatMap(([name, value]) =>
      value === undefined || own[name] === value
        ? []
        : [`line ${fact.line}: ${name} ${own[name]}, not ${value}`],
    );
  });
}

/** A path as we spell it; undefined for what names none. */
function spelled(path: unknown, encoding: 'utf8' | 'latin1'): string | undefined {
  const text = typeof path === 'string' ? path.replace(/^[a-z]+:\/\/[^/]*/i, '') : '';
  return text.startsWith('/') ? cleanPath(Buffer.from(text, encoding).toString('latin1')) : undefined;
}

const wholeNumber = (value: unknown): number | undefined =>
  /^\d+$/.test(String(value)) ? Number(value) : undefined;
const written = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value !== '-' ? value : undefined;
const plainAddress = (value: unknown): string | undefined =>
  /^\d+(?:\.\d+){3}$/.test(String(value)) ? String(value) : undefined;

type Refusals = Readonly<Record<string, string>>;
interface Outcome {
  readonly file: string;
  readonly format: string;
  readonly facts: number;
  readonly differences: readonly string[];
}

/** Reads each file; one that is refused has its reason as its format. */
async function outcomes(root: string, files: readonly string[], factsOf: (path: string) => Promise<Fact[]>) {
  const found: Outcome[] = [];
  for (const path of files) {
    const file = relative(root, path);
    try {
      const { format, events, rejects } = await logEvents(basename(path), await readFile(path));
      // A line whose columns are not those that the file names is a reject here, and read by its shape there.
      const facts = (await factsOf(path)).filter(({ line }) => !rejects.includes(line));
      found.push({ file, format, facts: facts.length, differences: differences(events, facts) });
    } catch (error) {
      found.push({ file, format: (error as Error).message, facts: 0, differences: [] });
    }
  }
  const sums = Map.groupBy(found, ({ format }) => format);
  for (const [format, all] of sums)
    process.stdout.write(
      `${all.length} files, ${all.reduce((sum, one) => sum + one.facts, 0)} facts: ${format}\n`,
    );
  return found;
}

function check(found: readonly Outcome[], refusals: Refusals, floor: number): void {
  const wrong = found.flatMap(({ file, format, differences: own }) => {
    const reason = Object.entries(refusals).find(([name]) => file.endsWith(name))?.[1];
    if (reason !== undefined) return format.includes(reason) ? [] : [`${file}: ${format}, not ${reason}`];
    return format.includes(': ') ? [`${file}: ${format}`] : own.map((one) => `${file}: ${one}`);
  });
  expect(wrong).toEqual([]);
  expect(found.reduce((sum, { facts }) => sum + facts, 0)).toBeGreaterThanOrEqual(floor);
}

/** Streams of radio, times that no server writes, and downloads of Flash: no requests of a website. */
const NOT_MATOMO: Refusals = {
  'amazon_cloudfront_rtmp.log': 'its columns lack the status',
  'shoutcast.log': 'its columns lack the status',
  'custom_regex_custom_date.log': 'its format is unknown',
  'splitted_date_and_time.log': 'its columns lack the status',
};

test('Matomo logs are read as Matomo reads them', async ({ skip }) => {
  const root = await repository('matomo-org/matomo-log-analytics', ['tests/logs/*', 'import_logs.py']).catch(
    (error: Error) => skip(error.message),
  );
  const files = globSync(join(root, 'tests/logs/*.log'));
  const found = await outcomes(root, files, async (path) => {
    const { stdout } = await run('python3', [MATOMO_READER, root, path]).catch(() => ({
      stdout: '{"lines": []}',
    }));
    const { lines } = JSON.parse(stdout) as { readonly lines: readonly Record<string, unknown>[] };
    return lines.map(({ line, ip, path: url, query_string, status, length, user_agent, method }) => ({
      line: Number(line),
      method: written(method),
      status: wholeNumber(status),
      bytes: wholeNumber(length),
      path: spelled(written(query_string) === undefined ? url : `${url}?${query_string}`, 'latin1'),
      agent: written(user_agent),
      address: plainAddress(ip),
    }));
  });
  check(found, NOT_MATOMO, 15);
});

const NOT_ELASTIC: Refusals = {
  'apache/access/test/ssl-request.log': 'its requests have no status',
  'haproxy/log/test/default.log': "it is HAProxy's log of connections",
  'haproxy/log/test/tcplog.log': "it is HAProxy's log of connections",
  'elb/test/elb-tcp.log': 'it is a log of the connections',
  'elb/test/example-tcp.log': 'it is a log of the connections',
  'elb/test/example-ssl.log': 'it is a log of the connections',
  'elb/test/example-nlb-tcp.log': 'it is a log of the connections',
};
const ELASTIC_FOLDERS = [
  ...['apache/access', 'nginx/access', 'iis/access', 'haproxy/log', 'traefik/access'].map(
    (one) => `filebeat/module/${one}/test`,
  ),
  ...['elb', 's3access'].map((one) => `x-pack/filebeat/module/aws/${one}/test`),
];

test('Filebeat logs are read as Elasticsearch reads them', async ({ skip }) => {
  const root = await repository(
    'elastic/beats',
    ELASTIC_FOLDERS.map((one) => `${one}/*`),
  ).catch((error: Error) => skip(error.message));
  const files = ELASTIC_FOLDERS.flatMap((one) => globSync(join(root, one, '*.log')));
  const found = await outcomes(root, files, async (path) => {
    if (!existsSync(`${path}-expected.json`)) return [];
    const records = JSON.parse(await readFile(`${path}-expected.json`, 'utf8')) as readonly Record<
      string,
      unknown
    >[];
    const text = await readFile(path);
    const lineAt = (offset: number): number => text.subarray(0, offset).toString('latin1').split('\n').length;
    return records.flatMap((record) => {
      const status = wholeNumber(record['http.response.status_code']);
      if (status === undefined) return [];
      return [
        {
          line: lineAt(Number(record['log.offset'])),
          status,
          method: written(record['http.request.method']),
          path: spelled(record['url.original'], 'utf8'),
          bytes: wholeNumber(record['http.response.body.bytes']),
          agent: written(record['user_agent.original']),
          second: Math.floor(Date.parse(String(record['@timestamp'])) / 1000) || undefined,
        },
      ];
    });
  });
  check(found, NOT_ELASTIC, 30);
});
