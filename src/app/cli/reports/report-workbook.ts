import { rm } from 'node:fs/promises';
import { writeWhole } from '../../../core/files/atomic-file.ts';
import { giveUserMode } from '../../../core/files/private-files.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { loadQuestions } from '../../../etl/project/sql/questions/questions.ts';
import { asking } from '../../answers/explore/chosen-crawls.ts';
import { checkIssue } from '../../answers/explore/pages/page-statement.ts';
import { openWarehouse } from '../../answers/query/open-warehouse.ts';
import { checkOutput, filesOfProject } from '../../answers/query/result/check-output-file.ts';
import { type AskedWorkbook, writeCrawlWorkbook } from '../../answers/workbook/write-crawl-workbook.ts';
import type { Invocation } from '../command.ts';

/**
 * Writes the workbook of a crawl, atomically.
 *
 * @throws CrawlhouseError `usage` for an unknown project, crawl or issue, or without `--project` if there are several;
 * `nothing_published`
 */
export async function reportWorkbook(
  settings: Settings,
  { logger, say, signal }: Pick<Invocation, 'logger' | 'say' | 'signal'>,
  { output, ...asked }: AskedWorkbook & { readonly output: string },
): ReturnType<typeof writeCrawlWorkbook> {
  const path = await checkOutput(output, filesOfProject(settings));
  const questions = await loadQuestions(sqlFolders(settings));
  await using warehouse = await openWarehouse({ logger, say }, settings);
  for (const issue of asked.issues ?? []) await checkIssue(asking(warehouse, signal), issue);
  return await writeWhole(path, async (growing) => {
    // A link that someone placed there.
    await rm(growing, { force: true });
    const written = await writeCrawlWorkbook(growing, warehouse, { ...asked, questions }, signal);
    await giveUserMode(growing);
    return written;
  });
}
