import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { isInCatalog } from '../../../etl/engines/registry.ts';
import { backUp } from '../../../etl/state/catalog/published/back-up.ts';
import { checkOutput, filesOfProject } from '../../answers/query/result/check-output-file.ts';
import type { Command } from '../command.ts';
import { neededArguments } from '../flag-values.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'make a complete, verified copy of the published warehouse, even during a run',
  positionals: { shown: 'FILE', most: 1 },
  flags: { overwrite: { help: 'replace FILE if it exists' } },
  async run(invocation) {
    const hint = 'crawlhouse backup warehouse-backup.duckdb';
    const [name] = neededArguments(invocation, 'name the file of the copy', hint);
    const settings = await invocation.settings();
    if (!isInCatalog(settings))
      throw new CrawlhouseError(
        'usage',
        'backup copies a DuckDB warehouse, but the rows of this one are in another engine',
        { hint: 'back up the bucket and the catalog of that engine (docs/operate.md)' },
      );
    const { warehouse } = settings;
    const file = await checkOutput(resolve(invocation.workingDirectory, name), {
      ...filesOfProject(settings),
      named: 'backup',
    });
    if (existsSync(file) && !invocation.has('overwrite'))
      throw new CrawlhouseError('usage', `${file} already exists`, {
        hint: 'choose another file, or add --overwrite',
      });
    const made = await backUp(settings, file, invocation.signal);
    if (invocation.has('json')) await invocation.printJson(made);
    else
      await invocation.print(
        `${made.file}: ${counted(made.bytes, 'byte')}, ${counted(made.tables.length, 'table')} with the same rows as ${warehouse}\n`,
      );
    return 0;
  },
};
