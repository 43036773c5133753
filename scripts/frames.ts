import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startSandbox } from '../src/service/sandbox/start-sandbox.ts';

const root = join(import.meta.dirname, '..');

/** The functions of ours under a statement, the innermost first. */
interface Stacks {
  /** Under the INSERT into `raw.crawl_pages`. */
  readonly insert: readonly string[];
  /** Under the statement that makes `mart.page_issues`. */
  readonly model: readonly string[];
}

/** Runs the program against a sandbox with a small crawl, and finds the deepest stack under two of its statements. */
export async function runStacks(): Promise<Stacks> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlhouse-frames-'));
  try {
    await using sandbox = await openSandbox();
    for (const name of ['pipelines', 'sql', 'schedules.yaml'])
      await cp(join(root, name), join(folder, name), { recursive: true });
    const stacks = join(folder, 'stacks.jsonl');
    const hook = pathToFileURL(join(import.meta.dirname, 'record-stacks.mjs')).href;
    const program = spawn(
      process.execPath,
      ['--import', hook, join(root, 'src', 'app', 'cli', 'main.ts'), 'run'],
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
      model: deepest(/^\s*(?:INSERT INTO|CREATE OR REPLACE TABLE) \S*mart\S*\.\S*page_issues/i),
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
      `mart.page_issues, under ${model.length} frames:\n  ${shown(model)}\n`,
  );
}
