import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildSite } from '../../scripts/demo-site/build-site.ts';
import { readFaults } from '../../scripts/demo-site/faults.ts';
import { temporaryFolder } from '../support/temporary.ts';

const { faults } = readFaults();

test('the demo contains every page with a planted fault, whatever the documentation contains', async () => {
  const docs = await temporaryFolder();
  const sentences = Array.from({ length: 200 }, (_, n) => `Sentence number ${n} is about the crawler.`);
  await writeFile(join(docs, 'crawler.md'), `# The crawler\n\n${sentences.join(' ')}\n`);
  const answers = buildSite(docs, faults, 'http://site.example');
  const planted = faults.flatMap(({ pages }) => Object.entries(pages));
  const addresses = [...new Set(planted.map(([path, { address }]) => address ?? path))];
  expect(addresses.filter((address) => !answers.has(address))).toEqual([]);
  const bodies = addresses.map((address) => answers.get(address)?.body ?? '');
  expect(new Set(bodies).size, 'no page is like another').toBe(bodies.length);
});

test('faults are planted in pages of a site language', () => {
  const docs = join(import.meta.dirname, '../../docs');
  const [fault] = faults;
  if (fault === undefined) throw new Error('the demo has no fault');
  const lost = [{ ...fault, links: { '/xx/crawler': [] } }];
  expect(() => buildSite(docs, lost, 'http://site.example')).toThrow('no language has /xx/crawler');
});
