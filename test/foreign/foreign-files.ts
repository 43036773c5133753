import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/crawlhouse/foreign');
/** Where the repositories are, by owner and name. Another place may be a folder with copies of them. */
const FROM = process.env.FOREIGN_SUITES ?? 'https://github.com';
const FETCH_MS = 300_000;
/** What was fetched last. */
const NEWEST = 'FETCH_HEAD';

export interface ForeignSuite {
  readonly repository: string;
  /** Null for the newest one. */
  readonly commit: string | null;
}

type Git = (...words: readonly string[]) => Promise<Buffer>;

/** A file of another project's test suite, as it is at a commit. */
export async function foreignFile(suite: ForeignSuite, path: string): Promise<Buffer> {
  return (await fetched(suite))('show', `${suite.commit ?? NEWEST}:${path}`);
}

/** The paths of the files in a folder of such a suite. */
export async function foreignPaths(suite: ForeignSuite, folder: string): Promise<string[]> {
  const list = await (await fetched(suite))('ls-tree', '--name-only', suite.commit ?? NEWEST, `${folder}/`);
  return list.toString().trimEnd().split('\n');
}

/**
 * The commit is fetched once for a clone of ours, and nothing of it becomes part of the project.
 *
 * @throws Error in words where the repository can't be had
 */
async function fetched({ repository, commit }: ForeignSuite): Promise<Git> {
  const folder = join(CACHE, repository.replaceAll('/', '+'));
  const git: Git = async (...words) => {
    const { stdout } = await run('git', ['-C', folder, ...words], {
      encoding: 'buffer',
      timeout: FETCH_MS,
      maxBuffer: 100_000_000,
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
    });
    return stdout;
  };
  const source = `${FROM}/${repository}`;
  try {
    if (!existsSync(join(folder, 'HEAD'))) {
      await mkdir(folder, { recursive: true });
      await git('init', '--quiet', '--bare');
    }
    const isThere = await git('cat-file', '-e', `${commit}^{tree}`).then(
      () => commit !== null,
      () => false, // It is fetched then.
    );
    if (!isThere) await git('fetch', '--quiet', '--depth', '1', source, commit ?? 'HEAD');
    return git;
  } catch (cause) {
    const { stderr, message } = cause as { stderr?: Buffer; message: string };
    const why = (stderr?.toString() || message).trim().slice(-300);
    throw new Error(`${repository} can't be fetched from ${FROM}: ${why}`, { cause });
  }
}

/** What a suite needs, or the test is skipped with the reason. */
export async function orSkip<T>(input: Promise<T>, skip: TestContext['skip']): Promise<T> {
  try {
    return await input;
  } catch (error) {
    const { message } = error as Error;
    process.stdout.write(`skipped: ${message}\n`);
    return skip(message);
  }
}
