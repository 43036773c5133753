import { typedRows } from '../../../core/text/typed-rows.ts';
import { loadSeed } from '../../../etl/project/sql/models/load-models.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { Bot, BotCheck, BotList, BotRange } from '../../../site/access-logs/bots/bot-list.ts';

/**
 * Reads the known bots of a project: the rows of the package, overridden by `sql/seeds/`. Works without shipped models,
 * too.
 *
 * @throws CrawlhouseError `bad_model` naming file and line
 */
export async function readBotList({ projectDir }: { readonly projectDir: string }): Promise<BotList> {
  const folders = sqlFolders({ projectDir, shipped_models: 'all' });
  const [bots, checks, ranges] = await Promise.all([
    loadSeed(folders, 'bots'),
    loadSeed(folders, 'bot_checks'),
    loadSeed(folders, 'bot_ranges'),
  ]);
  return new BotList({
    bots: typedRows(Bot, bots),
    checks: typedRows(BotCheck, checks),
    ranges: typedRows(BotRange, ranges),
  });
}
