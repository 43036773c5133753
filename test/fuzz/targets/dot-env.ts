import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { forgetSecrets } from '../../../src/core/secrets/redact.ts';
import { readDotEnv } from '../../../src/etl/project/settings/command-environment.ts';
import { fuzzFolder } from '../folder.ts';
import { called, Fault, same, type Target, type Verdict } from '../target.ts';

const BYTE_ORDER_MARK = '\ufeff';
/** A line that everybody reads alike: bare, or in quotes without quotes, escapes or comments. */
const PLAIN = /^([A-Za-z_]\w*)=(?:([\w./:@+-]*)|'([^'"`\\#\n]*)'|"([^'"`\\#\n]*)")$/;

/** The variables of a file of plain lines; undefined for any other file. */
function plainVariables(text: string): Record<string, string> | undefined {
  const variables = new Map<string, string>();
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    if (line === '' || /^#[^\r]*$/.test(line)) continue;
    const [, name, bare, single, double] = PLAIN.exec(line) ?? [];
    // Not even an assignment to an object keeps this name.
    if (name === undefined || name === '__proto__') return undefined;
    variables.set(name, bare ?? single ?? double ?? '');
  }
  return Object.fromEntries(variables);
}

async function check(folder: string, input: Buffer): Promise<Verdict> {
  const path = join(folder, '.env');
  await writeFile(path, input);
  const variables = await readDotEnv(folder);
  for (const [name, value] of Object.entries(variables))
    if (typeof value !== 'string') throw new Fault('a value is no text', name);
  const text = input.toString();
  const plain = plainVariables(text);
  if (plain !== undefined) same(variables, plain, 'the variables differ');
  const loaded = await called(() => loadSettings(folder, {})).finally(forgetSecrets);
  // What an editor of Windows writes before the first line, and at the ends of all, is no part of a name or a value.
  if (!text.startsWith(BYTE_ORDER_MARK)) {
    await writeFile(path, `${BYTE_ORDER_MARK}${text}`);
    same(await readDotEnv(folder), variables, 'a byte order mark makes a difference');
  }
  return loaded === undefined ? 'refused' : 'taken';
}

const line = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        'CRAWLHOUSE_BASE_URL',
        'CRAWLHOUSE_ACCESS_TOKEN',
        'CRAWLHOUSE_CONCURRENCY',
        'CRAWLHOUSE_KEEP_RAW_DAYS',
        'AWS_ACCESS_KEY_ID',
        'A',
        'toString',
      ),
      fc.constantFrom('=', '=', '=', ' = ', '==', ''),
      fc.oneof(
        fc.constantFrom(
          'https://a.example',
          '2',
          'never',
          "'it is'",
          '"a b"',
          '"a\\nb"',
          '"a',
          'x # y',
          '$A',
          '`a`',
        ),
        fc.string({ maxLength: 10 }),
      ),
    )
    .map(([name, sign, value]) => `${name}${sign}${value}`),
  fc.constantFrom('# a comment', '', 'export A=1', '  A=1', 'A=1  ', "B='a\nb'", 'no variable'),
);

/** Variables in the `.env` of a project folder, up to the settings. */
export const dotEnv: Target = {
  name: 'dot-env',
  seeds: [
    'CRAWLHOUSE_BASE_URL=https://a.example\nCRAWLHOUSE_ACCESS_TOKEN=secret-of-the-test\n',
    '# the service\r\nCRAWLHOUSE_CONCURRENCY=3\r\nCRAWLHOUSE_LOGS_DAYS="7"\r\n',
    'export AWS_ACCESS_KEY_ID=\'a b\'\nB="two\nlines"\nC=`x`\n',
    'A=1\nA=2\n B = 3 # three\nC="#"\n',
  ],
  words: [
    'CRAWLHOUSE_BASE_URL=',
    'CRAWLHOUSE_ACCESS_TOKEN=',
    'CRAWLHOUSE_PROJECTS=',
    'CRAWLHOUSE_LEDGER=',
    'CRAWLHOUSE_STORE_B_BUCKET=',
    'export ',
    '\\n',
    '=',
    '#',
    "'",
    '"',
  ],
  grammar: fc
    .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'))
    .map(([lines, end]) => lines.join(end)),
  shortRound: 500,
  async open() {
    const { folder, close } = fuzzFolder();
    return { close, check: (input) => check(folder, input) };
  },
};
