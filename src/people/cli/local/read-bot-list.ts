import { loadSeed } from '../../../project/sql/models/load-models.ts';
import { sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { BotList, type BotRows } from '../../../service/site/logs/bots/bot-list.ts';

/**
 * The known bots of a project: rows of the package, and those of `sql/seeds/` over them. Also a project without shipped
 * models has them.
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
  // Their columns are checked against the headers of the seeds.
  return new BotList({ bots, checks, ranges } as unknown as BotRows);
}
