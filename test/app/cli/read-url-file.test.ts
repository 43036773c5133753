import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Invocation } from '../../../src/app/cli/command.ts';
import { readUrlFile } from '../../../src/app/cli/read-url-file.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function read(content: string): Promise<string[] | null> {
  const workingDirectory = await temporaryFolder();
  await writeFile(join(workingDirectory, 'urls.txt'), content);
  return readUrlFile({ workingDirectory, text: () => 'urls.txt' } as unknown as Invocation, 'from');
}

const [A, B] = ['https://a.example/', 'https://a.example/b,c'];

test.for([
  ['one URL per line', `${A}\n\n# old pages\n  ${B}\r\n`],
  ['a URL that is spelled in another way', `\uFEFFHTTPS://A.example:443#top\n${B}`],
  ['a header', `URL\n${A}\n${B}\n`],
  ['CSV with a column url', `clicks,url,title\n1,${A},"a, b"\n2,"${B}",\n`],
  ['CSV without a column url', `Old address;clicks\n${A};1\n${B};2\n`],
  ['CSV of tabs without a header', `${A}\t1\n${B}\t2\n`],
  ['columns in some lines', `${A}\n${B}\tGone since 2024\n`],
  ['quoted columns behind a URL', `${A},"Start, and more"\n${B};"2"\n`],
  ['columns behind a blank', `${A}, 2024-01-01\n${B}; gone\n`],
  ['pairs of URLs', `${A},https://a.example/new\n${B}, https://a.example/new\n`],
])('%s', async ([, content = '']) => {
  expect(await read(content)).toEqual([A, B]);
});

test.for([
  [
    'lines that are no URLs',
    `${A}\n/b\n${B}\nftp://a.example/\n`,
    'line 2: /b is not a URL; line 4: ftp://a.example/ has the scheme ftp, not http or https',
  ],
  [
    'texts behind URLs',
    `${A}\n${B} is gone\n`,
    'line 2: https://a.example/b,c is gone has a space, which a URL writes as %20',
  ],
  ['many of them', `${A}\n${'x\n'.repeat(7)}`, /line 2: x is not a URL; .*line 6: x is not a URL; 2 more$/],
  ['a cell without a URL', `url,clicks\n${A},1\n,2\n`, 'line 3: is empty'],
  ['a file without URLs', '# nothing\n', 'has no URL'],
  ['a text', 'old pages\n', 'line 1: old pages is not a URL'],
] as const)('%s are reported with file and line', async ([, content, problem]) => {
  const hint = 'write one URL per line, or a CSV file with a url column';
  const failure = read(content);
  await expect(failure).rejects.toMatchObject({ code: 'usage', hint });
  await expect(failure).rejects.toThrow(
    typeof problem === 'string' ? `--from urls.txt: ${problem}` : problem,
  );
});

test('without the flag there is no URL list', async () => {
  const invocation = { workingDirectory: '.', text: () => undefined } as unknown as Invocation;
  expect(await readUrlFile(invocation, 'from')).toBeNull();
});
