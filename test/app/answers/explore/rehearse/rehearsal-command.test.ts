import { expect, test } from 'vitest';
import { rehearsalCommand } from '../../../../../src/app/answers/explore/rehearse/rehearsal-command.ts';

test('the command of a rehearsal names the project and the crawl, and is one line', () => {
  const given = "depth > 3 -- deep\n  AND url LIKE '%--%'";
  expect(rehearsalCommand({ kind: 'remove', given }, { project: 'My shop', crawl: 'c1' })).toBe(
    String.raw`crawlhouse rehearse --remove 'depth > 3   AND url LIKE '\''%--%'\''' --project 'My shop' --crawl c1`,
  );
  const change = { kind: 'robots', given: 'robots.txt', content: '' } as const;
  expect(rehearsalCommand(change, {})).toBe('crawlhouse rehearse --robots robots.txt');
});
