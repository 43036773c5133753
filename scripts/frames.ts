import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startSandbox } from '../src/service/sandbox/start-sandbox.ts';

const root = join(import.meta.dirname, '..');

/** The functions of ours under a statement, the innermost first. */
interface Stacks {
  /** Under the INSERT into `raw.crawl_pages`. */
  readonly insert: readonly string[];
  /** Under the statement that makes a model by partitions. */
  readonly model: readonly string[];
}

/** One model shows the same functions as all that ship. */
const MODEL = `/*
name: mart.page_counts
kind: table
description: Pages of each crawl.
grain: [crawl_id]
columns: { crawl_id: Identifier of the crawl., pages: Number of pages. }
incremental:
  by: crawl_id
  partitions: SELECT source_id AS crawl_id, loaded_at FROM ops.loads WHERE dataset = 'crawl_pages'
*/
SELECT _crawl_id AS crawl_id, count(*) AS pages
FROM raw.crawl_pages
GROUP BY _crawl_id
`;

/** Runs the program against a sandbox with a small crawl, and finds the deepest stack under two of its statements. */
export async function runStacks(): Promise<Stacks> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-frames-'));
  try {
    await using sandbox = await openSandbox();
    for (const name of ['pipelines', 'schedules.yaml'])
      await cp(join(root, name), join(folder, name), { recursive: true });
    await writeFile(join(folder, 'crawlhouse.yaml'), 'shipped_models: none\n');
    await mkdir(join(folder, 'sql', 'mart'), { recursive: true });
    await writeFile(join(folder, 'sql', 'mart', 'page_counts.sql'), MODEL);
    const stacks = join(folder, 'stacks.jsonl');
    const hook = pathToFileURL(join(import.meta.dirname, 'record-stacks.mjs')).href;
    const program = spawn(
      process.execPath,
      ['--import', hook, join(root, 'src', 'app', 'cli', 'main.ts'), 'run', 'crawl_pages'],
      {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          RECORDED_STACKS: stacks,
          CRAWLHOUSE_BASE_URL: sandbox.baseUrl,
          CRAWLHOUSE_ACCESS_TOKEN: sandbox.accessToken,
          CRAWLHOUSE_SINCE: 'all',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    const [status] = await once(program, 'exit');
    if (status !== 0) throw new Error(`the run ended with ${status}`);
    const statements = (await readFile(stacks, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { sql: string; stack: string[] });
    const deepest = (pattern: RegExp): string[] => {
      const matching = statements.filter(({ sql }) => pattern.test(sql));
      return matching.sort((a, b) => b.stack.length - a.stack.length)[0]?.stack ?? [];
    };
    return {
      insert: deepest(/^\s*INSERT INTO \S*raw\S*\.\S*crawl_pages/i),
      model: deepest(/^\s*(?:INSERT INTO|CREATE OR REPLACE TABLE) \S*mart\S*\.\S*page_counts/i),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openSandbox() {
  const sandbox = await startSandbox({ generate: ['projects=1,crawls=1,pages=50,seed=1'] });
  return { ...sandbox, [Symbol.asyncDispose]: () => sandbox.close() };
}

if (import.meta.main) {
  const { insert, model } = await runStacks();
  const shown = (stack: readonly string[]): string =>
    stack.map((line) => line.replace(pathToFileURL(root).href, '').trim()).join('\n  ');
  process.stdout.write(
    `INSERT into raw.crawl_pages, under ${insert.length} frames:\n  ${shown(insert)}\n` +
      `mart.page_counts, under ${model.length} frames:\n  ${shown(model)}\n`,
  );
}
