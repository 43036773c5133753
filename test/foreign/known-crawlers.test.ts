import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readBotList } from '../../src/app/cli/local/read-bot-list.ts';
import { type ForeignSuite, foreignFile, orSkip } from './foreign-files.ts';

const CRAWLERS: ForeignSuite = { repository: 'monperrus/crawler-user-agents', commit: null };

/** Its AI crawlers that sql/seeds/bots.csv omits: a token of robots.txt, libraries, and bots of no known operator. */
const OMITTED = [
  ...['Google-Extended', 'crawl4ai', 'AISearchBot', 'newsai', 'Spider', 'ExteContextCrawl', 'Flyriverbot'],
  ...['semantic-visions', 'TaraGroup', 'Thinkbot', 'TSM-turingos', 'ImageMind', 'Novellum', 'linkReader'],
  ...['Spawning-AI', 'The Knowledge AI'],
];

interface Crawler {
  readonly pattern: string;
  readonly instances?: readonly string[];
  readonly tags?: readonly string[];
}

test('each AI crawler of crawler-user-agents is a known AI crawler', async ({ skip }) => {
  const list = await readBotList({ projectDir: join(import.meta.dirname, '../..') });
  const data = await orSkip(foreignFile(CRAWLERS, 'crawler-user-agents.json'), skip);
  const crawlers = (JSON.parse(data.toString()) as readonly Crawler[]).filter(({ tags }) =>
    tags?.includes('ai-crawler'),
  );
  const agents = crawlers
    .filter(({ pattern }) => !OMITTED.some((one) => pattern.startsWith(one)))
    .flatMap(({ pattern, instances = [] }) => (instances.length > 0 ? instances : [pattern]));
  expect(agents.length).toBeGreaterThan(60);
  const unknown = agents.filter((agent) => list.recognise(agent)?.bot_class !== 'ai');
  process.stdout.write(
    `crawler-user-agents: ${agents.length - unknown.length} of ${agents.length} are known\n`,
  );
  expect(unknown, 'add them to sql/seeds/bots.csv, or to OMITTED').toEqual([]);
});
