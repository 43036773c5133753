import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CrawlhouseError } from '../../core/errors.ts';
import { endPrivacy } from '../../core/private-files.ts';
import type { Command } from '../command.ts';

/** The package's own root, which is itself a project folder. */
const TEMPLATE = join(import.meta.dirname, '..', '..', '..');

const SETTINGS = `# yaml-language-server: $schema=schemas/crawlhouse.schema.json
# Settings. Each is also a variable CRAWLHOUSE_<KEY>. The access token is best kept in .env, which only you may read.
since: all
`;

const ENVIRONMENT = `# Read by every command in this folder. Keep it to yourself: nobody else may read this file.
# CRAWLHOUSE_BASE_URL=https://…
# CRAWLHOUSE_ACCESS_TOKEN=…
`;

const SQL_README = `# Models of this project

A file sql/mart/NAME.sql makes the table mart.NAME, beside the models that ship with crawlhouse; of the same name, in
their place. Cases for them are in sql/cases/. See docs/models.md of crawlhouse.
`;

export const init: Command = {
  name: 'init',
  summary: 'a new project folder, ready to run',
  positionals: { shown: '[DIR]', most: 1 },
  flags: {},
  async run(invocation) {
    const folder = resolve(invocation.workingDirectory, invocation.positionals[0] ?? '.');
    if (existsSync(folder) && (await readdir(folder)).some((name) => !name.startsWith('.'))) {
      throw new CrawlhouseError('usage', `${folder} is not empty`, {
        hint: 'name a new folder: crawlhouse init DIR',
      });
    }
    endPrivacy();
    await mkdir(folder, { recursive: true });
    for (const name of ['pipelines', 'schemas', 'schedules.yaml']) {
      await cp(join(TEMPLATE, name), join(folder, name), { recursive: true });
    }
    await mkdir(join(folder, 'sql', 'mart'), { recursive: true });
    await writeFile(join(folder, 'sql', 'README.md'), SQL_README);
    await writeFile(join(folder, 'crawlhouse.yaml'), SETTINGS);
    await writeFile(join(folder, '.gitignore'), '.crawlhouse/\n.env\n*.duckdb\n*.duckdb.wal\n');
    await writeEnvironment(join(folder, '.env'));
    invocation.say(`${folder} is ready:\n  cd ${folder}\n\n`);
    invocation.say('Without an account, crawl a website:\n  crawlhouse crawl https://www.example.com/\n\n');
    invocation.say('With an account, put CRAWLHOUSE_BASE_URL and CRAWLHOUSE_ACCESS_TOKEN in .env, then:\n');
    invocation.say('  crawlhouse run\n');
    return 0;
  },
};

/** One that is there already stays as it is. */
async function writeEnvironment(path: string): Promise<void> {
  await writeFile(path, ENVIRONMENT, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
